import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  ExploreAllListingsProps,
  NoticesProps,
  ProfileProps,
  ReferralsProps,
  SchoolProps,
  ServerProps,
  UnapprovedInvitesProps,
  WelcomeProps,
} from '../../src/classcords/contract.ts'
import { listPending } from '../../src/classcords/invites/list-pending.ts'
import { listNotices } from '../../src/classcords/notices/list-notices.ts'
import { listReferrals } from '../../src/classcords/referrals/own-referrals.ts'
import { exploreListings, schoolPage } from '../../src/classcords/servers/explore.ts'
import { serverPage } from '../../src/classcords/servers/server-page.ts'
import { listWelcome } from '../../src/classcords/servers/newest-servers.ts'
import type { MadeGroup } from '../worker/catalog.ts'
import { openCampus } from '../worker/campus.ts'
import { one, rows } from '../worker/rows.ts'
import { addUser, browserOf, Visitor } from '../worker/visitor.ts'
import { watchedDatabase } from '../worker/watched-database.ts'
import { addPerson, makePending, makeSchool, makeServer, type Person } from '../worker/directory.ts'
import { strict } from '../worker/strict.ts'

let school: MadeGroup
let other: MadeGroup
let regular: Person
let featured: { id: number }
let student: Visitor
let boss: Visitor

beforeAll(async () => {
  ;({ school, regular, student, boss } = await openCampus())
  other = await makeSchool()
  for (let n = 0; n < 12; n += 1) {
    await makeServer({ schools: [school.school_id], subjects: [school.subject_id], courses: [school.course_id] })
    await makeServer({ schools: [school.school_id], privacy: 'private' })
  }
  featured = await makeServer({ name: 'Featured public', schools: [school.school_id, other.school_id], featured: true })
  await makeServer({ name: 'Featured private', schools: [school.school_id], featured: true, privacy: 'private' })
  await makeServer({ name: 'Elsewhere', schools: [other.school_id] })
  await makeServer({ name: 'Dead', schools: [school.school_id], isListed: false })
  await makePending({ submitter: regular.discordUserId, school: school.school_id })
})

const names = (servers: { name: string }[]) => servers.map(({ name }) => name)
const placeOf = (answer: Response) => [answer.status, answer.headers.get('location')]

describe('the welcome page', () => {
  it('shows visitors public servers of every school, and 14 placeholders', async () => {
    const { data, html } = await new Visitor().see<WelcomeProps>('/classcords/?referral=%20abc%20')
    expect(html).toContain('<title>Class Cords</title>')
    expect(html).toContain('<meta name="description" content="Find and join Discord servers for your college classes"')
    const props = strict(WelcomeProps).parse(data.props)
    const real = props.servers.filter(({ id }) => id > 0)
    expect(data.page).toBe('Welcome')
    expect(real).toHaveLength(11)
    expect(real.every(({ privacy_level_info }) => privacy_level_info.value === 'public')).toBe(true)
    expect(names(real)).toContain('Featured public')
    expect(names(real)).toContain('Elsewhere')
    expect(names(real)).not.toContain('Featured private')
    expect(props.servers.filter(({ id }) => id < 0).map(({ id }) => id)).toEqual(
      Array.from({ length: 14 }, (_unused, index) => -1 - index),
    )
    for (const { id, datetime_created } of props.servers) expect([id, datetime_created === null]).toEqual([id, id < 0])
    expect(props).toMatchObject({ pending_invites_count: 0, referral: 'abc' })
  })

  it('shows a member the featured, the newest ten public and the newest ten private servers of their school', async () => {
    const { data } = await student.see<WelcomeProps>('/classcords/')
    const { servers, pending_invites_count, referral } = data.props
    const count = (privacy: string, featured: boolean) =>
      servers.filter((s) => s.privacy_level_info.value === privacy && s.is_required_for_trust === featured).length
    expect([count('public', false), count('private', false), count('public', true), count('private', true)]).toEqual([
      10, 10, 1, 1,
    ])
    expect(names(servers)).not.toContain('Elsewhere')
    expect([pending_invites_count, referral]).toEqual([0, null])
  })

  it('shows managers, but not superusers without the role, how many invites are pending', async () => {
    const { data } = await boss.see<WelcomeProps>('/classcords/')
    expect(data.props.pending_invites_count).toBe(1)
    const superuser = await addPerson({ school: school.school_id, isSuperuser: true })
    expect(
      (await (await browserOf(superuser)).see<WelcomeProps>('/classcords/')).data.props.pending_invites_count,
    ).toBe(0)
  })
})

describe('explore', () => {
  it('has pages of 15, featured first, each server once, with correct totals', async () => {
    const first = strict(ExploreAllListingsProps).parse((await student.see('/classcords/all/')).data.props)
    expect(first.pagination).toEqual({
      current_page: 1,
      total_pages: 2,
      has_previous: false,
      has_next: true,
      previous_page_number: 0,
      next_page_number: 2,
    })
    const second = (await student.see<ExploreAllListingsProps>('/classcords/all/?page=2')).data.props
    const all = [...first.servers, ...second.servers]
    expect(new Set(all.map(({ id }) => id)).size).toBe(26)
    expect(names(all.slice(0, 2)).toSorted()).toEqual(['Featured private', 'Featured public'])
    expect(all.slice(2, 14).every(({ courses }) => courses.length === 1)).toBe(true)
    expect((await student.see<ExploreAllListingsProps>('/classcords/all/?page=99')).data.props.servers).toEqual(
      second.servers,
    )
  })

  it('shows visitors and people without a school the public servers of all schools', async () => {
    const unlinked = await browserOf(await addUser())
    const schoolless = await browserOf(await addPerson())
    for (const visitor of [new Visitor(), unlinked, schoolless]) {
      const { response, data } = await visitor.see<ExploreAllListingsProps>('/classcords/all/?page=abc&subject_id=abc')
      expect(response.status).toBe(200)
      expect(data.props.servers).toHaveLength(14)
      expect(data.props).toMatchObject({ subject_id: null, course_id: null, q: '', is_search_active: false })
    }
  })

  it('searches by subject, course and keywords', async () => {
    const total = async (query: string) => {
      const { props } = (await student.see<ExploreAllListingsProps>(`/classcords/all/?${query}`)).data
      expect(props.is_search_active).toBe(true)
      return props.servers.length
    }
    expect(await total(`subject_id=${school.subject_id}`)).toBe(12)
    expect(await total(`subject_id=${school.subject_id}&course_id=${school.course_id}`)).toBe(12)
    expect(await total(`subject_id=${other.subject_id}`)).toBe(0)
    expect(await total('q=featured')).toBe(2)
    expect(await total('q=FEAT%20priv')).toBe(1)
    expect(await total(`q=introduc&subject_id=${school.subject_id}`)).toBe(12)
    expect(await total('q=elsewhere')).toBe(0)
    expect(await total('q=%25')).toBe(0)
  })
})

describe('roles', () => {
  const pages = [
    '/classcords/',
    '/classcords/all/',
    '/classcords/profile/',
    '/classcords/referrals/',
    '/classcords/unapproved-invites/',
    '/classcords/notices/',
  ]

  it('decide who may see which page', async () => {
    const profile = '/classcords/profile/'
    const login = (path: string) => `/classcords/login/?next=${encodeURIComponent(path)}`
    const matrix: [string, Visitor, (number | string)[]][] = [
      [
        'anonymous',
        new Visitor(),
        [200, 200, login(pages[2] ?? ''), login(pages[3] ?? ''), login(pages[4] ?? ''), login(pages[5] ?? '')],
      ],
      ['unlinked', await browserOf(await addUser()), [200, 200, 404, 403, 403, 403]],
      [
        'superuser without Discord',
        await browserOf(await addUser({ isSuperuser: true })),
        [200, 200, 404, 403, 403, 403],
      ],
      ['schoolless', await browserOf(await addPerson()), [profile, 200, 200, profile, 403, profile]],
      ['regular', student, [200, 200, 200, 200, 403, 200]],
      [
        'superuser',
        await browserOf(await addPerson({ school: school.school_id, isSuperuser: true })),
        [200, 200, 200, 200, 403, 200],
      ],
      ['manager', boss, [200, 200, 200, 200, 200, 200]],
      [
        'schoolless manager',
        await browserOf(await addPerson({ role: 'manager' })),
        [profile, 200, 200, profile, profile, profile],
      ],
    ]
    for (const [who, visitor, expected] of matrix) {
      const answers = []
      for (const path of pages) {
        const [status, location] = placeOf(await visitor.get(path))
        answers.push(location ?? status)
      }
      expect([who, answers]).toEqual([who, expected])
    }
  })

  it('also hold for a disabled Discord account', async () => {
    const person = await addPerson({ role: 'manager', school: school.school_id })
    await env.DB.prepare('UPDATE discord_user SET is_disabled = 1 WHERE id = ?').bind(person.discordUserId).run()
    expect((await (await browserOf(person)).get('/classcords/unapproved-invites/')).status).toBe(403)
  })
})

describe('other pages', () => {
  it("profile: schools to select and one's place in the queue", async () => {
    const { data } = await student.see('/classcords/profile/')
    const props = strict(ProfileProps).parse(data.props)
    expect(props.show_school_modal).toBe(false)
    expect(props.schools.map(({ id }) => id)).toContain(school.school_id)
    expect(props.submissions).toMatchObject([{ state: 'pending', queue_position: 1, reason: '', can_resubmit: false }])
    const schoolless = await browserOf(await addPerson())
    expect((await schoolless.see<ProfileProps>('/classcords/profile/')).data.props.show_school_modal).toBe(true)
  })

  it('unapproved invites: what was submitted, by whom', async () => {
    const { data } = await boss.see('/classcords/unapproved-invites/')
    const props = strict(UnapprovedInvitesProps).parse(data.props)
    expect(props.unapproved_invites).toMatchObject([
      {
        is_valid: true,
        is_unlimited: true,
        expires_at: null,
        is_new_server: true,
        discord_server: { icon_url: null, privacy_level_info: { value: 'private', label: 'Private Server' } },
        submitter: { display_name: regular.name, role_info: { value: 'regular', label: 'Regular User' } },
        school: { id: school.school_id },
      },
    ])
    expect(data.page).toBe('UnapprovedInvites')
  })

  it('unapproved invites: how many servers their courses have already, without the server itself', async () => {
    const [course, free] = [school.course_id, other.course_id]
    const listed = await makeServer({ schools: [school.school_id], courses: [course], privacy: 'private' })
    await makeServer({ schools: [school.school_id], courses: [course], isListed: false })
    const invites = [await makePending(), await makePending()]
    const [ofAnother, ofListed] = invites
    await rows('UPDATE invite SET server_id = ? WHERE id = ?', listed.id, ofListed?.id)
    for (const { id } of invites)
      await rows('INSERT INTO invite_course (invite_id, course_id) VALUES (?1, ?2), (?1, ?3)', id, course, free)
    const { unapproved_invites: shown } = await listPending(env, 1)
    const others = (id?: number) =>
      shown.find((one) => one.id === id)?.other_servers.toSorted((one, two) => one.course_id - two.course_id)
    const expected = (servers: number) =>
      [
        { course_id: course, servers },
        { course_id: free, servers: 0 },
      ].toSorted((one, two) => one.course_id - two.course_id)
    expect(others(ofAnother?.id)).toEqual(expected(13))
    expect(others(ofListed?.id)).toEqual(expected(12))
    expect(shown.filter(({ changes_privacy }) => changes_privacy)).toEqual([])
    await rows("UPDATE invite SET privacy_level = 'public' WHERE state = 'pending'")
    const { unapproved_invites: open } = await listPending(env, 1)
    expect(open.filter(({ changes_privacy }) => changes_privacy)).toMatchObject([{ id: ofListed?.id }])
    await rows("UPDATE invite SET privacy_level = 'private' WHERE state = 'pending'")
    for (const { id } of invites) await rows('DELETE FROM invite WHERE id = ?', id)
    await rows('DELETE FROM discord_server WHERE id = ?', listed.id)
  })

  it('referrals and notices are empty at first', async () => {
    const referrals = strict(ReferralsProps).parse((await student.see('/classcords/referrals/')).data.props)
    expect(referrals.referrals).toEqual([])
    expect(referrals.referral_form.fields.map(({ name, value }) => [name, value])).toEqual([
      ['max_uses_choice', '20'],
      ['expiry_timeframe', '1w'],
    ])
    expect(strict(NoticesProps).parse((await student.see('/classcords/notices/')).data.props)).toMatchObject({
      notices: [],
      unread_count: 0,
    })
  })

  it('a school has a public page with its public servers', async () => {
    const { data, html } = await new Visitor().see(`/classcords/school/${other.school_id}/`)
    const props = strict(SchoolProps).parse(data.props)
    expect(names(props.servers)).toEqual(['Featured public', 'Elsewhere'])
    expect(html).toContain('Elsewhere')
    expect(html).toMatch(
      /<meta name="description" content="\d+ Discord servers? for classes at School \d+\. Find yours and join\."/,
    )
    expect((await new Visitor().get('/classcords/school/999999/')).status).toBe(404)
  })

  it('a server has a page for those who may see its invites', async () => {
    const open = await makeServer({ name: 'Open', schools: [school.school_id], notes: '**hi**', code: 'open-page' })
    const closed = await makeServer({ name: 'Closed', schools: [school.school_id], privacy: 'private' })
    const { data, html } = await new Visitor().see<ServerProps>(`/classcords/server/${open.id}/`)
    expect(strict(ServerProps).parse(data.props)).toMatchObject({
      server: { name: 'Open' },
      invites: [{ notes_md: '**hi**' }],
    })
    expect(html).toContain('<strong>hi</strong>')
    expect(html).toContain(`href="/classcords/join/${open.invite}/"`)
    const path = `/classcords/server/${closed.id}/`
    expect(placeOf(await new Visitor().get(path))).toEqual([302, `/classcords/login/?next=${encodeURIComponent(path)}`])
    expect((await new Visitor().get(path, { accept: 'application/json' })).status).toBe(401)
    const superuser = await addPerson({ isSuperuser: true, school: other.school_id })
    const foreigner = await addPerson({ school: other.school_id })
    expect((await student.get(path)).status).toBe(200)
    expect((await (await browserOf(superuser)).get(path)).status).toBe(200)
    expect((await (await browserOf(foreigner)).get(path)).status).toBe(403)
    for (const id of ['0', 'abc', '999999'])
      expect((await new Visitor().get(`/classcords/server/${id}/`)).status).toBe(404)
    const dead = await makeServer({ schools: [school.school_id], isListed: false })
    expect((await new Visitor().get(`/classcords/server/${dead.id}/`)).status).toBe(404)
  })

  it("a private server's refusal says what is missing and links to it", async () => {
    const closed = await makeServer({ schools: [school.school_id], privacy: 'private' })
    const refusalOf = async (person: Promise<{ id: number }>) => {
      const browser = await browserOf(await person)
      const page = await browser.get(`/classcords/server/${closed.id}/`)
      const call = await browser.call('GET', `/classcords/ajax/servers/${closed.id}/invites/`)
      return { html: await page.text(), statuses: [page.status, call.status], answer: await call.json() }
    }
    const unlinked = await refusalOf(addUser())
    expect(unlinked.statuses).toEqual([403, 403])
    expect(unlinked.answer).toEqual(['Connect Discord first: this private server is for members of its schools.'])
    expect(unlinked.html).toContain('<a href="/accounts/3rdparty/">Connect Discord</a>')
    const schoolless = await refusalOf(addPerson())
    expect(schoolless.answer).toEqual(['Select your school first: this private server is for members of its schools.'])
    expect(schoolless.html).toContain('<a href="/classcords/profile/">Select your school</a>')
    const foreign = await refusalOf(addPerson({ school: other.school_id }))
    expect(foreign.answer).toEqual(['This private server belongs to another school.'])
    for (const { html } of [unlinked, schoolless]) expect(html).not.toContain('another school')
    expect(foreign.html).not.toMatch(/Select your school|Connect Discord/)
  })

  it('login keeps referral and next, and redirects people who are logged in with Discord', async () => {
    const { data, html } = await new Visitor().see<{ referral: string | null }>(
      '/classcords/login/?referral=abc&next=/classcords/all/',
    )
    expect(data).toMatchObject({ page: 'ClasscordsLogin', props: { referral: 'abc' } })
    expect(html).toMatch(/name="referral"[^>]*value="abc"/)
    expect(html).toMatch(/name="next"[^>]*value="\/classcords\/all\/"/)
    const blank = await new Visitor().see<{ referral: string | null }>('/classcords/login/?referral=%20')
    expect(blank.data.props.referral).toBeNull()
    expect(placeOf(await student.get('/classcords/login/'))).toEqual([302, '/classcords/'])
  })

  it('login-success greets new and returning people and asks those without a school to select one', async () => {
    const arrive = async (person: { id: number }) => {
      const visitor = await Visitor.loggedInAs(person)
      const place = placeOf(await visitor.get('/classcords/login-success/'))
      return [place[1], (await visitor.see('/')).data.context.messages[0]?.message]
    }
    expect(await arrive(regular)).toEqual([
      '/classcords/',
      `Welcome, ${regular.name}! Thanks for signing up via Discord.`,
    ])
    const again = await addPerson({ loginCount: 2 })
    expect(await arrive(again)).toEqual([
      '/classcords/profile/',
      `Welcome back, ${again.name}! Successfully logged in via Discord.`,
    ])
    expect(await arrive(await addUser())).toEqual([
      '/classcords/',
      'Discord account not properly linked. Please contact an administrator.',
    ])
    expect(placeOf(await new Visitor().get('/classcords/login-success/'))).toEqual([
      302,
      '/classcords/login/?next=%2Fclasscords%2Flogin-success%2F',
    ])
  })
})

describe('each page', () => {
  it("takes one round trip after the session's; a search takes one more", async () => {
    let trips = 0
    const counting = { ...env, DB: watchedDatabase({ before: () => void (trips += 1) }) }
    const viewer = { user: null, discordUser: null, schoolId: school.school_id, isManager: true, isSuperuser: false }
    const whole = { page: 1, schoolId: null, sort: 'relevance' as const, subjectId: null, courseId: null, query: '' }
    const search = {
      ...whole,
      subjectId: school.subject_id,
      courseId: school.course_id,
      query: 'server intro',
    }
    const form = { fields: [], hidden_fields: [], non_field_errors: [] }
    const pages = [
      () => listWelcome(counting, viewer, null),
      () => exploreListings(counting, viewer, whole, null),
      () => schoolPage(counting, school.school_id, 1),
      () => serverPage(counting, viewer, featured.id, 0),
      () => listPending(counting, 1),
      () => listReferrals(counting, regular.discordUserId, { page: 1, form, now: 0 }),
      () => listNotices(counting.DB, regular.discordUserId, 1),
    ]
    for (const page of pages) {
      trips = 0
      await page()
      expect([page.toString(), trips]).toEqual([page.toString(), 1])
    }
    trips = 0
    await exploreListings(counting, viewer, search, null)
    expect(trips).toBe(2)
  })
})

describe('the list', () => {
  it('is updated at once by every kind of write', async () => {
    const server = await makeServer({ name: 'Comes and goes', schools: [school.school_id] })
    const seen = async () =>
      (await one<{ n: number }>('SELECT count(*) AS n FROM listing WHERE server_id = ?', server.id)).n
    const counted = async () =>
      (await one<{ n: number }>('SELECT COALESCE(sum(servers), 0) AS n FROM listing_count')).n -
      (await one<{ n: number }>('SELECT count(*) AS n FROM listing')).n
    const write = (statement: string) => env.DB.prepare(statement).bind(server.id).run()
    expect(await seen()).toBe(2)
    for (const [off, on] of [
      ['UPDATE invite SET is_valid = 0 WHERE server_id = ?', 'UPDATE invite SET is_valid = 1 WHERE server_id = ?'],
      ['UPDATE discord_server SET is_active = 0 WHERE id = ?', 'UPDATE discord_server SET is_active = 1 WHERE id = ?'],
      [
        "UPDATE invite SET state = 'rejected' WHERE server_id = ?",
        "UPDATE invite SET state = 'approved' WHERE server_id = ?",
      ],
    ] as const) {
      await write(off)
      expect([await seen(), await counted()]).toEqual([0, 0])
      await write(on)
      expect([await seen(), await counted()]).toEqual([2, 0])
    }
    await write('DELETE FROM server_school WHERE server_id = ?')
    expect([await seen(), await counted()]).toEqual([1, 0])
    await write('DELETE FROM discord_server WHERE id = ?')
    expect([await seen(), await counted()]).toEqual([0, 0])
  })
})
