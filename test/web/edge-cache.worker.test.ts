import { env } from 'cloudflare:workers'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { tokenIn, visit, withoutToken } from '../worker/direct-visit.ts'
import { addPerson, emptyDirectory, makeSchool, makeServer } from '../worker/directory.ts'
import { rows } from '../worker/rows.ts'
import { addUser, browserOf, Visitor } from '../worker/visitor.ts'

let school: { school_id: number; subject_id: number; course_id: number }
let server: { id: number; invite: number }
let privateServer: { id: number; invite: number }
let other: number
let otherSubject: number

beforeAll(async () => {
  await emptyDirectory()
  school = await makeSchool()
  ;({ school_id: other, subject_id: otherSubject } = await makeSchool())
  const places = { schools: [school.school_id], subjects: [school.subject_id], courses: [school.course_id] }
  server = await makeServer({ name: 'Calculus friends', ...places })
  privateServer = await makeServer({ name: 'Hidden friends', privacy: 'private', schools: [school.school_id] })
})

afterEach(() => vi.restoreAllMocks())

const emptyForms = [
  '/accounts/login/',
  '/accounts/signup/',
  '/accounts/login/code/',
  '/accounts/password/reset/',
  '/accounts/discord/login/',
  '/class_tracker/login_view/',
]

const schoolPath = () => `/classcords/school/${school.school_id}/`

/** The page is at the edge afterwards. */
async function warm(path: string): Promise<string> {
  await visit(path)
  const { edge, html } = await visit(path)
  expect(edge, path).toBe('hit')
  return html
}

describe("a visitor's page", () => {
  it('is rendered once; then it costs one row and no rendering', async () => {
    for (const path of ['/classcords/', '/classcords/all/', schoolPath()]) {
      await rows("UPDATE site_version SET version = version || 'x'")
      const first = await visit(path)
      const second = await visit(path)
      expect([first.edge, second.edge], path).toEqual(['miss', 'hit'])
      expect(second.reads, path).toEqual({ trips: 1, rows: 1 })
      expect(withoutToken(second.html)).toBe(withoutToken(first.html))
      expect(second.html).toContain('Calculus friends')
      expect(second.response.headers.get('cache-control')).toBe('private, no-store')
      expect(second.response.headers.get('content-type')?.toLowerCase()).toBe('text/html; charset=utf-8')
      expect(second.response.headers.get('content-security-policy')).toBe(
        first.response.headers.get('content-security-policy'),
      )
    }
  })

  it('is served as it was stored: the database is not read for its content', async () => {
    await warm('/classcords/')
    const [kept] = await rows<{ version: string }>('SELECT version FROM site_version WHERE school_id = 0')
    await rows("UPDATE discord_server SET name = 'Renamed' WHERE id = ?", server.id)
    await rows('UPDATE site_version SET version = ? WHERE school_id = 0', kept?.version)
    expect((await visit('/classcords/')).html).toContain('Calculus friends')
    await rows("UPDATE discord_server SET name = 'Calculus friends' WHERE id = ?", server.id)
  })

  it('needs no row if it reads nothing from the database', async () => {
    for (const path of ['/classcords/login/', '/class_tracker/', ...emptyForms]) {
      await visit(path)
      const { edge, reads } = await visit(path)
      expect([edge, reads.rows], path).toEqual(['hit', 0])
    }
  })

  it('is the empty form, and never filled in from an address', async () => {
    for (const path of emptyForms) {
      await warm(path)
      const { edge, html } = await visit(`${path}?next=%2Fclasscords%2Fnotices%2F&email=somebody%40example.com`)
      expect(edge, path).toBeNull()
      expect((await warm(path)).includes('somebody@example.com'), path).toBe(false)
      if (path !== '/accounts/password/reset/') expect(html, path).toContain('/classcords/notices/')
    }
  })

  it('is never filled in from a cookie', async () => {
    // A separate time zone: nothing is cached for it yet.
    const cf = { timezone: 'Pacific/Fiji' } as RequestInitCfProperties
    for (const path of [...emptyForms, '/', '/classcords/', '/classcords/all/', '/classcords/login/', schoolPath()]) {
      const { html } = await visit(path, { cf, headers: { cookie: 'referral=planted-code' } })
      if (path === '/accounts/discord/login/') expect(html).toContain('value="planted-code"')
      expect((await visit(path, { cf })).html.includes('planted-code'), path).toBe(false)
    }
  })

  it('has only the token of the visitor who gets it', async () => {
    await warm('/classcords/')
    const [one, two] = [new Visitor(), new Visitor()]
    const seen = [await one.see('/classcords/'), await two.see('/classcords/')]
    const tokens = seen.map(({ html }) => tokenIn(html))
    expect(tokens[0]).toMatch(/^[\w-]{43}$/)
    expect(tokens[0]).not.toBe(tokens[1])
    expect(seen[0]?.html).not.toContain(tokens[1])
    for (const { html } of seen) {
      expect(new Set([...html.matchAll(/name="csrf_token" value="([^"]*)"/g)].map((field) => field[1]))).toEqual(
        new Set([tokenIn(html)]),
      )
    }
    expect((await one.submit('/accounts/discord/login/', {})).status).toBe(303)
    one.csrfToken = tokens[1] ?? ''
    expect((await one.submit('/accounts/discord/login/', {})).status).toBe(403)
  })

  it('is stored without any data of the visitor it was rendered for', async () => {
    const put = vi.spyOn(caches.default, 'put')
    await rows("UPDATE site_version SET version = version || 'y'")
    const headers = {
      'cf-connecting-ip': '203.0.113.77',
      'user-agent': 'Somebody/1.0',
      cookie: 'csrf=mine; other=theirs',
    }
    const { html, response } = await visit('/classcords/?utm_source=me', { headers })
    const texts = put.mock.calls.map(([key, stored]) => `${String(key)}\n${JSON.stringify([...stored.headers])}`)
    const text = texts.join('\n')
    expect(texts.map((one) => one.includes('/_edge/versions/0'))).toEqual([true, false])
    expect(text).not.toMatch(/203\.0\.113|Somebody|mine|theirs|utm|set-cookie/)
    expect(text).not.toContain(tokenIn(html))
    expect(response.headers.get('x-token-slot')).toBeNull()
  })
})

describe('a change', () => {
  const changes: [string, () => Promise<unknown>, () => Promise<unknown>][] = [
    [
      'of a name',
      () => rows("UPDATE discord_server SET name = 'Changed' WHERE id = ?", server.id),
      () => rows("UPDATE discord_server SET name = 'Calculus friends' WHERE id = ?", server.id),
    ],
    [
      'of its members',
      () => rows('UPDATE discord_server SET member_count = 4321 WHERE id = ?', server.id),
      () => rows('UPDATE discord_server SET member_count = 0 WHERE id = ?', server.id),
    ],
    [
      'of its picture',
      () => rows("UPDATE discord_server SET icon = 'abcdef' WHERE id = ?", server.id),
      () => rows('UPDATE discord_server SET icon = NULL WHERE id = ?', server.id),
    ],
    [
      'that features it',
      () => rows('UPDATE discord_server SET is_required_for_trust = 1 WHERE id = ?', server.id),
      () => rows('UPDATE discord_server SET is_required_for_trust = 0 WHERE id = ?', server.id),
    ],
    [
      'that takes it away',
      () => rows('UPDATE discord_server SET is_active = 0 WHERE id = ?', server.id),
      () => rows('UPDATE discord_server SET is_active = 1 WHERE id = ?', server.id),
    ],
    [
      'that makes it private',
      () => rows("UPDATE discord_server SET privacy_level = 'private' WHERE id = ?", server.id),
      () => rows("UPDATE discord_server SET privacy_level = 'public' WHERE id = ?", server.id),
    ],
    [
      'that ends its only invite',
      () => rows('UPDATE invite SET is_valid = 0 WHERE id = ?', server.invite),
      () => rows('UPDATE invite SET is_valid = 1 WHERE id = ?', server.invite),
    ],
    [
      'of a course',
      () => rows("UPDATE course SET code = 'NEW' WHERE id = ?", school.course_id),
      () => rows("UPDATE course SET code = 'OLD' WHERE id = ?", school.course_id),
    ],
    [
      'of its subjects',
      () => rows('DELETE FROM server_subject WHERE server_id = ?', server.id),
      () => rows('INSERT INTO server_subject (server_id, subject_id) VALUES (?, ?)', server.id, school.subject_id),
    ],
    [
      'of its schools',
      () => rows('INSERT INTO server_school (server_id, school_id) VALUES (?, ?)', server.id, other),
      () => rows('DELETE FROM server_school WHERE server_id = ? AND school_id = ?', server.id, other),
    ],
    [
      'of a school’s name',
      () => rows("UPDATE school SET name = name || ' College' WHERE id = ?", school.school_id),
      () => rows("UPDATE school SET name = 'Plain' WHERE id = ?", school.school_id),
    ],
  ]

  it.each(changes)('%s is visible at once, everywhere', async (_, change, back) => {
    for (const undo of [false, true]) {
      const before = new Map<string, string>()
      for (const path of ['/classcords/', '/classcords/all/', schoolPath()]) before.set(path, await warm(path))
      await (undo ? back() : change())
      for (const [path, html] of before) {
        const now = await visit(path)
        expect(now.edge, path).toBe('miss')
        expect(withoutToken(now.html), path).not.toBe(withoutToken(html))
      }
    }
  })

  it('that no one sees keeps the cached pages', async () => {
    await warm('/classcords/')
    await rows('UPDATE discord_server SET member_count = member_count + 1 WHERE id = ?', privateServer.id)
    await rows('INSERT INTO invite_use (invite_id, visitor, used_at) VALUES (?, ?, 1)', server.invite, 'somebody')
    await rows('UPDATE invite SET checked_at = 5, due_at = 6 WHERE id = ?', server.invite)
    await rows('UPDATE discord_server SET online_count = 12 WHERE id = ?', server.id)
    expect((await visit('/classcords/')).edge).toBe('hit')
  })

  it('at one school keeps the pages of another', async () => {
    const elsewhere = `/classcords/school/${other}/`
    await warm(elsewhere)
    await rows('UPDATE discord_server SET member_count = member_count + 1 WHERE id = ?', server.id)
    expect((await visit(elsewhere)).edge).toBe('hit')
    expect((await visit(schoolPath())).edge).toBe('miss')
  })

  it('that removes a server is visible too', async () => {
    const { id } = await makeServer({ name: 'Not for long', schools: [school.school_id] })
    for (const path of ['/classcords/', schoolPath()]) expect(await warm(path)).toContain('Not for long')
    await rows('DELETE FROM discord_server WHERE id = ?', id)
    for (const path of ['/classcords/', schoolPath()]) expect((await visit(path)).html).not.toContain('Not for long')
  })
})

describe('an unshared page', () => {
  it('is for everyone with a session, before and after the page is stored', async () => {
    const person = await browserOf(await addPerson({ school: school.school_id, role: 'manager' }))
    await rows("UPDATE site_version SET version = version || 'z'")
    const own = await person.get('/classcords/')
    expect(own.headers.get('x-edge-cache')).toBeNull()
    expect(await own.text()).toContain('Hidden friends')
    const { html, edge } = await visit('/classcords/')
    expect(edge).toBe('miss')
    expect(html).not.toContain('Hidden friends')
    expect(await (await person.get('/classcords/')).text()).toContain('Hidden friends')
  })

  it('is for visitors with a waiting message: it is shown once and never stored', async () => {
    await warm('/')
    const person = await browserOf(await addPerson())
    await person.submit('/accounts/logout/', {})
    const informed = await person.see('/')
    expect(informed.html).toContain('You have signed out.')
    expect(informed.response.headers.get('x-edge-cache')).toBeNull()
    const after = await person.see('/')
    expect([after.html.includes('You have signed out.'), after.response.headers.get('x-edge-cache')]).toEqual([
      false,
      'hit',
    ])
  })

  it('is for visitors with a referral, in the address or from before, or with a redirect target', async () => {
    await warm('/classcords/login/')
    for (const [path, cookie] of [
      ['/classcords/?referral=friend', ''],
      ['/classcords/all/?referral=friend', ''],
      ['/classcords/login/?referral=friend', ''],
      ['/classcords/login/', 'referral=friend'],
      ['/classcords/login/?next=/classcords/all/', ''],
    ] as const) {
      const { edge, html } = await visit(path, { headers: { cookie } })
      expect(edge, path + cookie).toBeNull()
      expect(html).toContain(path.includes('next') ? '/classcords/all/' : 'friend')
    }
    expect((await visit('/classcords/login/')).html).not.toContain('friend"')
  })

  it.each([
    ['a client that prefers JSON', '/classcords/', { headers: { accept: 'application/json' } }],
    ['HEAD', '/classcords/', { method: 'HEAD' }],
    ['an address written in another way', '/%63lasscords/', {}],
  ] as const)('is %s', async (_, path, asked) => {
    const { edge, response } = await visit(path, asked)
    expect([edge, response.status]).toEqual([null, 200])
  })
})

describe('the key', () => {
  it('contains only what the page knows of the query, in canonical order and form', async () => {
    const path = `/classcords/all/?q=calculus&subject_id=${school.subject_id}`
    const html = await warm(path)
    for (const same of [
      `/classcords/all/?subject_id=${school.subject_id}&q=calculus`,
      `${path}&page=1&page=7`,
      `${path}&page=nonsense&course_id=x&utm_source=a&fbclid=${'b'.repeat(300)}`,
      `/classcords/all/?q=%20calculus%0A&subject_id=${school.subject_id}&referral=%20`,
    ]) {
      const found = await visit(same)
      expect([found.edge, withoutToken(found.html) === withoutToken(html)], same).toEqual(['hit', true])
    }
  })

  it('has no page beyond the last, however far an address goes', async () => {
    for (const path of ['/classcords/all/', schoolPath(), '/classcords/all/?q=calculus', '/classcords/all/?q=!!']) {
      await rows("UPDATE site_version SET version = version || 'p'")
      const html = await warm(path)
      for (const page of [1, 2, 77, 1000, 9_999_999]) {
        const found = await visit(`${path}${path.includes('?') ? '&' : '?'}page=${page}`)
        expect([found.edge, withoutToken(found.html) === withoutToken(html)], `${path} ${page}`).toEqual(['hit', true])
      }
    }
  })

  it('distinguishes what the page distinguishes', async () => {
    await warm('/classcords/all/?q=calculus')
    for (const path of [
      '/classcords/all/?q=calculus%26page%3D2',
      '/classcords/all/?q=calculus&course_id=7',
      '/classcords/all/?q=calculus&school_id=0',
      '/classcords/all/?q=Calculus',
      '/classcords/all?q=calculus',
    ]) {
      expect((await visit(path)).edge, path).toBe('miss')
    }
    expect((await visit('/classcords/all/?q=%3Cscript%3Ealert(1)%3C/script%3E')).html).not.toContain('<script>alert')
  })

  it('contains the time zone, which the page passes to its scripts', async () => {
    const at = (timezone: string) => visit('/classcords/', { cf: { timezone } as RequestInitCfProperties })
    for (const zone of ['America/New_York', 'Asia/Tokyo']) {
      await at(zone)
      const { edge, html } = await at(zone)
      expect([edge, html.includes(`"time_zone":"${zone}"`)]).toEqual(['hit', true])
    }
    expect((await visit('/classcords/')).html).toContain('"time_zone":"UTC"')
  })

  it('does not contain the host, so that no other name can store a page under ours', async () => {
    const put = vi.spyOn(caches.default, 'put')
    await rows("UPDATE site_version SET version = version || 'h'")
    await visit('/classcords/', { headers: { host: 'evil.example', 'x-forwarded-host': 'evil.example' } })
    expect(String(put.mock.calls[0]?.[0])).toMatch(new RegExp(`^${env.APP_URL}/_edge/`))
  })
})

describe('a page is not stored', () => {
  it('if it is a 404', async () => {
    for (const path of ['/classcords/school/999999/', '/classcords/school/0/', '/classcords/school/x/', '/nowhere/']) {
      for (let time = 0; time < 2; time += 1) {
        const { response, edge, html } = await visit(path)
        expect([response.status, edge], path).toEqual([404, null])
        expect(html).toContain('Page not found')
      }
    }
  })

  it("if it failed; it still has the visitor's token", async () => {
    await rows("UPDATE site_version SET version = version || 'e'")
    await rows('ALTER TABLE listing RENAME TO listing_away')
    const failed = await visit('/classcords/all/')
    await rows('ALTER TABLE listing_away RENAME TO listing')
    expect([failed.response.status, failed.edge]).toEqual([500, null])
    expect(tokenIn(failed.html)).toMatch(/^[\w-]{43}$/)
    expect((await visit('/classcords/all/')).response.status).toBe(200)
  })
})

describe('the edge', () => {
  it('is asked if this isolate remembers other pages, and answers the same', async () => {
    const first = await visit('/classcords/all/?q=friends')
    for (let other = 2; other < 50; other += 1) await visit(`/classcords/all/?q=${other}`)
    const match = vi.spyOn(caches.default, 'match')
    const found = await visit('/classcords/all/?q=friends')
    expect([found.edge, match.mock.calls.length]).toEqual(['hit', 1])
    expect(withoutToken(found.html)).toBe(withoutToken(first.html))
    await visit('/classcords/all/?q=friends')
    expect(match).toHaveBeenCalledTimes(1)
  })
})

describe('a call with the same answer for everyone', () => {
  const subjects = '/classcords/ajax/subjects/'
  const courses = () => `${subjects}${school.subject_id}/courses/`
  const asked = async (path: string, cookie = '') => {
    const { html, edge, reads, response } = await visit(path, { headers: { accept: 'application/json', cookie } })
    return { answer: JSON.parse(html) as unknown, edge, rows: reads.rows, type: response.headers.get('content-type') }
  }

  it('is cached by version, with and without its slash', async () => {
    for (const path of [subjects, courses()]) {
      await rows("UPDATE site_version SET version = version || 'j'")
      const first = await asked(path)
      expect(first).toMatchObject({ edge: 'miss', type: 'application/json' })
      for (const same of [path, path.slice(0, -1), `${path}?utm_source=a&page=7`])
        expect(await asked(same)).toEqual({ ...first, edge: 'hit', rows: 1 })
    }
  })

  it('is shared with people without a school, and only with them', async () => {
    const cookieOf = async (person: Promise<{ id: number }>) =>
      `session=${(await Visitor.loggedInAs(await person)).cookies.get('session')}`
    const { answer } = await asked(subjects)
    expect(await asked(subjects, await cookieOf(addPerson()))).toMatchObject({ edge: 'hit', answer })
    expect(await asked(subjects, await cookieOf(addUser()))).toMatchObject({ edge: 'hit', answer })
    const own = await asked(subjects, await cookieOf(addPerson({ school: school.school_id })))
    expect([own.edge, own.answer]).not.toEqual(['hit', answer])
    expect(own.edge).toBeNull()
  })

  it('changes with what it lists', async () => {
    const before = await asked(subjects)
    const made = await makeServer({ schools: [other], subjects: [otherSubject] })
    const after = await asked(subjects)
    expect(after.edge).toBe('miss')
    expect(JSON.stringify(after.answer)).toContain(`"id":${otherSubject},`)
    expect(JSON.stringify(before.answer)).not.toContain(`"id":${otherSubject},`)
    await rows('DELETE FROM discord_server WHERE id = ?', made.id)
    expect((await asked(subjects)).answer).toEqual(before.answer)
  })
})

describe('without the edge', () => {
  it.each(['match', 'put'] as const)('pages are rendered: %s fails', async (call) => {
    vi.spyOn(caches.default, call).mockRejectedValue(new Error('no cache'))
    await rows("UPDATE site_version SET version = version || 'w'")
    for (let time = 0; time < 2; time += 1) {
      const { response, html } = await visit('/classcords/')
      expect([response.status, html.includes('Calculus friends')]).toEqual([200, true])
    }
  })
})
