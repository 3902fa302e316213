import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import type { DiscordServer } from '../../src/classcords/contract.ts'
import { addPerson, emptyDirectory, makeSchool, makeServer } from '../worker/directory.ts'
import { one, rows } from '../worker/rows.ts'
import { browserOf, Visitor } from '../worker/visitor.ts'

/** Every public page as link previews and search engines fetch it. */

const bots = {
  Discord: 'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)',
  Slack: 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
  iMessage:
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_1) AppleWebKit/601.2.4 (KHTML, like Gecko) Version/9.0.1 Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0',
  search: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
}

let school: { id: number; name: string }
let open: { id: number }
let closed: { id: number; invite: number }
let inviter: Awaited<ReturnType<typeof addPerson>>

beforeAll(async () => {
  await emptyDirectory()
  const group = await makeSchool()
  school = await one('SELECT id, name FROM school WHERE id = ?', group.school_id)
  await rows("UPDATE course SET code = 'MATH', level = '1110' WHERE id = ?", group.course_id)
  inviter = await addPerson({ school: group.school_id })
  const of = { schools: [group.school_id], courses: [group.course_id], subjects: [group.subject_id] }
  open = await makeServer({ name: 'Calculus </script> I', submitter: inviter.discordUserId, ...of })
  closed = await makeServer({ name: 'Secret Circle', privacy: 'private', submitter: inviter.discordUserId, ...of })
  await rows('UPDATE discord_server SET member_count = 1200, description = ? WHERE id = ?', 'Old exams.', open.id)
  await rows(
    `INSERT INTO referral (code, owner_id, max_uses, expiry_timeframe, created_at, expires_at) VALUES ('unfurled', ?, 5, '1w', 0, 9e15)`,
    inviter.discordUserId,
  )
})

/** What a preview reads, following redirects as previews do. */
async function unfurl(path: string, agent: string) {
  const visitor = new Visitor()
  let response = await visitor.get(path, { 'user-agent': agent, accept: '*/*' })
  let at = path
  while (response.status === 302) {
    at = response.headers.get('location') ?? ''
    response = await visitor.get(at, { 'user-agent': agent, accept: '*/*' })
  }
  const html = await response.text()
  const head = html.slice(0, html.indexOf('</head>'))
  const content = (name: string) =>
    new RegExp(`<meta (?:name|property)="${name}" content="([^"]*)"`).exec(head)?.[1] ?? null
  return {
    status: response.status,
    head,
    title: content('og:title'),
    description: content('og:description'),
    image: content('og:image'),
    robots: content('robots'),
    canonical: /<link rel="canonical" href="([^"]*)"/.exec(head)?.[1] ?? null,
  }
}

describe.each(Object.entries(bots))('to %s', (_name, agent) => {
  it('every public page has a title, a description, an image and a canonical address', async () => {
    const pages = {
      '/': 'Class Cords: find the Discord for your class',
      '/classcords/': 'Class Cords: Discord servers for your classes',
      '/classcords/all/': 'Explore all class servers',
      '/classcords/all/?q=calculus': 'Explore all class servers',
      [`/classcords/school/${school.id}/`]: `Discord servers at ${school.name}`,
      [`/classcords/server/${open.id}/`]: `Calculus &lt;/script&gt; I · MATH 1110 · ${school.name} · 1,200 members`,
    }
    for (const [path, title] of Object.entries(pages)) {
      const seen = await unfurl(path, agent)
      expect([seen.status, seen.title, seen.robots], path).toEqual([200, title, null])
      expect(seen.canonical, path).toBe(env.APP_URL + path.replace('?q=calculus', ''))
      expect(seen.description?.length, path).toBeGreaterThan(20)
      expect(seen.image, path).toMatch(/^http.+\/share\/(?:site|(?:server|school)-[1-8])\.png$/)
    }
    expect((await unfurl(`/classcords/server/${open.id}/`, agent)).description).toBe('1,200 members. Old exams.')
  })

  it('private pages reveal nothing', async () => {
    for (const path of [
      `/classcords/server/${closed.id}/`,
      `/classcords/join/${closed.invite}/`,
      '/classcords/referral/unfurled/',
      '/classcords/login/?referral=unfurled',
      '/s/0000000000',
    ]) {
      const { head, robots } = await unfurl(path, agent)
      expect(robots, path).toBe('noindex')
      for (const secret of ['Secret Circle', inviter.name, school.name, 'unfurled'])
        expect(head, path).not.toContain(secret)
    }
  })
})

it('a referral link has a preview, without its sender', async () => {
  const seen = await unfurl('/classcords/referral/unfurled/', bots.Discord)
  expect([seen.title, seen.image]).toEqual([
    'You&#x27;re invited to Class Cords',
    `${env.APP_URL}/share/invitation.png`,
  ])
})

it('a server says how many are online and when that was, on its page and in its dialog', async () => {
  const path = `/classcords/ajax/servers/${open.id}/invites/`
  const presence = async () => (await (await new Visitor().call('GET', path)).json<{ presence: unknown }>()).presence
  expect(await presence()).toBeNull()
  await rows('UPDATE discord_server SET online_count = 85, online_counted_at = 1000 WHERE id = ?', open.id)
  expect(await presence()).toEqual({ online_count: 85, counted_at: '1970-01-01T00:00:01.000Z' })
  const html = await (await new Visitor().get(`/classcords/server/${open.id}/`)).text()
  expect(html.replaceAll('<!-- -->', '')).toContain('85 online, counted <time dateTime="1970-01-01T00:00:01.000Z"')
})

it('a list says how many are online if that was counted within the last hour', async () => {
  const minute = 60_000
  // This user's page is not cached.
  const reader = await browserOf(inviter)
  const listed = async (ago: number) => {
    await rows(
      'UPDATE discord_server SET online_count = 85, online_counted_at = ? WHERE id = ?',
      Date.now() - ago,
      open.id,
    )
    const seen = await reader.see<{ servers: DiscordServer[] }>(`/classcords/school/${school.id}/`)
    const presence = seen.data.props.servers.find(({ id }) => id === open.id)?.presence
    return [
      presence?.online_count,
      /85<span class="unit"> online<\/span> <time [^>]*>[A-Z]\w\w \d+, \d+:\d\d [AP]M UTC/.test(
        seen.html.replaceAll('<!-- -->', ''),
      ),
    ]
  }
  expect(await listed(59 * minute)).toEqual([85, true])
  expect(await listed(61 * minute)).toEqual([undefined, false])
})

it('search engines get structured data, and no name can close its script', async () => {
  for (const [path, type] of [
    ['/', 'WebSite'],
    [`/classcords/school/${school.id}/`, 'CollectionPage'],
    [`/classcords/server/${open.id}/`, 'BreadcrumbList'],
  ] as const) {
    const { head } = await unfurl(path, bots.search)
    const text = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(head)?.[1] ?? ''
    expect(JSON.parse(text), path).toMatchObject({ '@context': 'https://schema.org', '@type': type })
  }
})

it('the sitemap lists public servers and schools, and robots.txt names it', async () => {
  const map = await new Visitor().get('/sitemap.xml')
  expect([map.status, map.headers.get('content-type')]).toEqual([200, 'application/xml; charset=utf-8'])
  const places = [...(await map.text()).matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, place]) =>
    place?.replace(env.APP_URL, ''),
  )
  expect(places).toEqual([
    '/',
    '/classcords/',
    '/classcords/all/',
    `/classcords/school/${school.id}/`,
    `/classcords/server/${open.id}/`,
  ])
  const first = await (await new Visitor().get('/sitemap.xml?page=1')).text()
  expect(await (await new Visitor().get('/sitemap.xml?page=9')).text()).toBe(first)
  const robots = await (await new Visitor().get('/robots.txt')).text()
  expect(robots).toContain(`Sitemap: ${env.APP_URL}/sitemap.xml`)
  for (const path of ['/admin/', '/classcords/join/']) expect(robots).toContain(`Disallow: ${path}`)
})
