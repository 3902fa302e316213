import { describe, expect, test } from 'vitest'
import { ManageCourseListProps } from '../../src/class-tracker/courses/contract.ts'
import { AddClassesProps } from '../../src/class-tracker/recipients/contract.ts'
import { ClassAlertsProps } from '../../src/class-tracker/alerts/contract.ts'
import { addUser, browserOf, goodPassword, Visitor } from '../worker/visitor.ts'
import { strict } from '../worker/strict.ts'

const home = '/class_tracker/'
const login = '/class_tracker/login_view/'
const staffPages = ['/class_tracker/manage_course_list/', '/class_tracker/add_classes/', '/class_tracker/class_alerts/']

const signedIn = async (isSuperuser: boolean) => browserOf(await addUser({ isSuperuser }))

describe('the index', () => {
  test('invites a visitor, restricts an ordinary user by name, and serves staff, each with 200', async () => {
    const anonymous = await new Visitor().see(home)
    expect(anonymous.response.status).toBe(200)
    expect(anonymous.html).toContain('Log In')
    const user = await addUser({ username: 'grace' })
    const plain = await (await Visitor.loggedInAs(user)).see(home)
    expect(plain.response.status).toBe(200)
    expect(plain.html).toContain('Access Restricted')
    expect(plain.html).toContain('grace')
    const staff = await (await signedIn(true)).see(home)
    expect(staff.response.status).toBe(200)
    for (const path of staffPages) expect(staff.html).toContain(`href="${path}"`)
    expect(staff.html).not.toContain('Access Restricted')
    expect(staff.data).toMatchObject({ page: 'ClassTrackerIndex', props: {} })
  })
})

describe.each(staffPages)('%s', (path) => {
  test('sends a visitor to log in and back, and is closed to others', async () => {
    const response = await new Visitor().get(`${path}?page=2`)
    expect(response.status).toBe(302)
    expect(response.headers.get('location')).toBe(`${login}?${new URLSearchParams({ next: `${path}?page=2` })}`)
    const plain = await (await signedIn(false)).get(path)
    expect(plain.status).toBe(403)
    expect(await plain.text()).toContain('Access Restricted')
  })

  test('answers its page data to a client that prefers JSON', async () => {
    const staff = await signedIn(true)
    const page = await staff.see(path)
    expect(page.response.status).toBe(200)
    const json = await staff.get(path, { accept: 'application/json' })
    expect(json.status).toBe(200)
    const data = await json.json<typeof page.data>()
    expect({ page: data.page, props: data.props }).toEqual({ page: page.data.page, props: page.data.props })
    const anonymous = await new Visitor().get(path, { accept: 'application/json' })
    expect([anonymous.status, await anonymous.json()]).toEqual([401, [expect.any(String)]])
    const plain = await (await signedIn(false)).get(path, { accept: 'application/json' })
    expect([plain.status, await plain.json()]).toEqual([403, [expect.any(String)]])
  })

  test('accepts any query', async () => {
    const staff = await signedIn(true)
    const odd = [
      'abc',
      '-1',
      '0',
      '1e3',
      '99999999999999999999',
      '%00',
      '💥',
      "'; DROP TABLE recipient",
      '9007199254740991',
    ]
    for (const value of odd) {
      const query = new URLSearchParams({ page: value, recipient_id: value, q: value })
      expect((await staff.get(`${path}?${query}`)).status, value).toBe(200)
    }
    expect((await staff.get(`${path}?q=%ff&page[]=1&page=2&page=3`)).status).toBe(200)
  })
})

describe('an empty tracker', () => {
  test('has pages with the agreed props', async () => {
    const staff = await signedIn(true)
    const props = async (path: string) => (await staff.see(path)).data.props
    const pagination = {
      current_page: 1,
      total_pages: 1,
      has_previous: false,
      has_next: false,
      previous_page_number: 0,
      next_page_number: 0,
    }
    expect(strict(AddClassesProps).parse(await props('/class_tracker/add_classes/'))).toEqual({
      recipients: [],
      pagination,
      terms: [],
      schools: [],
    })
    expect(strict(ClassAlertsProps).parse(await props('/class_tracker/class_alerts/'))).toEqual({
      class_alerts: [],
      recipients: [],
      selected_recipient_id: null,
      q: '',
      pagination,
    })
    expect(strict(ManageCourseListProps).parse(await props('/class_tracker/manage_course_list/'))).toEqual({
      schools: [],
      terms: [],
      sources: [],
    })
  })
})

describe('the login page', () => {
  test('leads back to the previous page, only within this site', async () => {
    const { username } = await addUser({ isSuperuser: true })
    const signIn = async (next: string) => {
      const visitor = new Visitor()
      const page = await visitor.see<{ next: string }>(`${login}?${new URLSearchParams({ next })}`)
      const response = await visitor.submit(login, { username, password: goodPassword, next: page.data.props.next })
      expect(response.status).toBe(303)
      return response.headers.get('location')
    }
    expect(await signIn('/class_tracker/class_alerts/?page=2')).toBe('/class_tracker/class_alerts/?page=2')
    expect(await signIn('')).toBe(home)
    for (const evil of ['https://evil.example/', '//evil.example', '/\\evil.example', 'javascript:alert(1)'])
      expect(await signIn(evil)).toBe(home)
  })

  test('is shown again, filled in, if the credentials are wrong or incomplete', async () => {
    const { username } = await addUser({ isSuperuser: true })
    const visitor = new Visitor()
    await visitor.see(login)
    for (const fields of [{ username, password: 'wrong' }, { username }, { username, password: '' }]) {
      const again = await visitor.read<{ next: string }>(
        await visitor.submit(login, { next: '/class_tracker/add_classes/', ...fields } as Record<string, string>),
      )
      expect(again.response.status).toBe(422)
      expect(again.html).toMatch(/id="refused".*?Invalid username or password\.</)
      expect(again.html).toMatch(/id="username"[^>]* autofocus=""/)
      expect(again.html).toContain(`value="${username}"`)
      expect(again.html).not.toContain('value="wrong"')
      expect(again.data).toMatchObject({ page: 'ClassTrackerLogin', props: { next: '/class_tracker/add_classes/' } })
    }
    expect(visitor.cookies.has('session')).toBe(false)
  })

  test('limits guesses: 429 and when to try again', async () => {
    const { username } = await addUser({ isSuperuser: true })
    const visitor = new Visitor()
    await visitor.see(login)
    const attempt = (password: string) => visitor.submit(login, { username, password })
    for (let tries = 0; tries < 5; tries += 1) expect((await attempt('wrong')).status).toBe(422)
    const limited = await attempt(goodPassword)
    expect(limited.status).toBe(429)
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await limited.text()).toContain('Too many failed login attempts')
  })

  test('redirects users who are signed in', async () => {
    const staff = await signedIn(true)
    expect((await staff.get(login)).headers.get('location')).toBe(home)
  })
})

describe('the logout page', () => {
  test('asks on GET and signs out on POST', async () => {
    const staff = await signedIn(true)
    const page = await staff.see('/class_tracker/logout_view/')
    expect(page.response.status).toBe(200)
    expect(page.html).toContain('method="post"')
    expect((await staff.get(staffPages[0] ?? '')).status).toBe(200)
    const response = await staff.submit('/class_tracker/logout_view/', {})
    expect([response.status, response.headers.get('location')]).toEqual([303, home])
    expect((await staff.get(staffPages[0] ?? '')).status).toBe(302)
    expect((await staff.get('/class_tracker/logout_view/')).headers.get('location')).toBe(home)
  })

  test('signs no one out without a token', async () => {
    const staff = await signedIn(true)
    staff.csrfToken = 'x'
    expect((await staff.submit('/class_tracker/logout_view/', {})).status).toBe(403)
    expect((await staff.get(staffPages[0] ?? '')).status).toBe(200)
  })
})
