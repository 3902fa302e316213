import { beforeAll, describe, expect, test } from 'vitest'
import { makeGroup, makeRecipient, makeSection } from '../worker/catalog.ts'
import { addUser, browserOf, site, stranger, Visitor } from '../worker/visitor.ts'

/** Every call with its method; `#` is a placeholder for an id. */
const calls = [
  ['GET', 'get_schools'],
  ['GET', 'get_subjects/#/#'],
  ['GET', 'get_course_sections/#/#'],
  ['GET', 'get_recipient_form/#'],
  ['GET', 'get_recipient_link/#'],
  ['GET', 'get_seat_history/#'],
  ['GET', 'recipients/#/watched_sections'],
  ['POST', 'add_watched_section/#/#'],
  ['POST', 'remove_watched_section/#/#'],
  ['POST', 'add_recipient/#'],
  ['POST', 'remove_recipient/#'],
  ['POST', 'remove_contact/#'],
  ['POST', 'refresh_recipient_link/#'],
  ['POST', 'retry_delivery/#'],
  ['POST', 'refresh_available_terms'],
  ['POST', 'refresh_semester_data/#/#'],
  ['POST', 'fetch_new_semester_course_sections/#/#/#'],
] as const

/** Ids that may be 0, in the order of the path. */
const zeroAllowed: Record<string, readonly number[]> = {
  'get_subjects/#/#': [0],
  'get_recipient_form/#': [0],
  'add_recipient/#': [0],
  'refresh_semester_data/#/#': [0],
  'fetch_new_semester_course_sections/#/#/#': [0, 2],
}

const wrongIds = [
  '-1',
  'abc',
  '1e3',
  '1.0',
  '+1',
  '01',
  '%31%00',
  '99999999999999999999',
  '9007199254740993',
  '１',
  '%F0%9F%92%A5',
  "1'--",
]

const address = (path: string, ids: readonly string[]) => {
  let index = -1
  return `/class_tracker/${path.replace(/#/g, () => ids[(index += 1)] ?? '1')}`
}
const fieldsOf = (path: string): Record<string, string> | undefined =>
  path.startsWith('add_recipient') ? { 'recipient-name': 'Ada' } : undefined

async function expectRefusal(response: Response, status: number, what = ''): Promise<string[]> {
  expect(response.status, what).toBe(status)
  expect(response.headers.get('content-type')).toContain('application/json')
  const messages = await response.json<string[]>()
  expect(
    Array.isArray(messages) && messages.length > 0 && messages.every((message) => typeof message === 'string'),
  ).toBe(true)
  return messages
}

let staff: Visitor

beforeAll(async () => {
  staff = await browserOf(await addUser({ isSuperuser: true }))
  // So that ids of 1 exist.
  const group = await makeGroup()
  await makeSection(group, '10001')
  await makeRecipient([{ kind: 'phone', address: '+12125550001' }])
})

describe.each(calls)('%s %s', (method, path) => {
  test('is only for superusers', async () => {
    const anonymous = await stranger()
    await expectRefusal(await anonymous.call(method, address(path, []), fieldsOf(path)), 401)
    const plain = await browserOf(await addUser())
    await expectRefusal(await plain.call(method, address(path, []), fieldsOf(path)), 403)
  })

  test('answers JSON whatever is accepted', async () => {
    await expectRefusal(
      await new Visitor().fetch(address(path, []), { method, headers: { accept: 'text/html', origin: site } }),
      method === 'GET' ? 401 : 403,
    )
  })

  test('supports no other method', async () => {
    const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((other) => other !== method)
    for (const other of others) {
      const response = await staff.call(other, address(path, []))
      expect(response.headers.get('allow')).toBe(method === 'GET' ? 'GET, HEAD' : method)
      await expectRefusal(response, 405, other)
    }
  })
})

describe.each(calls.filter(([method]) => method === 'POST'))('%s %s', (method, path) => {
  test('is refused without a token, with another one, and from another site', async () => {
    const send = (headers: Record<string, string>) =>
      staff.fetch(address(path, []), { method, headers: { accept: 'application/json', origin: site, ...headers } })
    await expectRefusal(await send({}), 403)
    await expectRefusal(await send({ 'x-csrftoken': 'x'.repeat(43) }), 403)
    await expectRefusal(await send({ 'x-csrftoken': staff.csrfToken, origin: 'https://evil.example' }), 403)
  })
})

describe.each(calls.filter(([, path]) => path.includes('#')))('%s %s', (method, path) => {
  const ids = path.split('#').length - 1

  test('is a 404 for invalid ids', async () => {
    for (let place = 0; place < ids; place += 1) {
      const zero = zeroAllowed[path]?.includes(place) ? [] : ['0']
      for (const wrong of [...wrongIds, ...zero]) {
        const given = Array.from({ length: ids }, (_, index) => (index === place ? wrong : '1'))
        await expectRefusal(await staff.call(method, address(path, given), fieldsOf(path)), 404, given.join('/'))
      }
    }
  })

  test('is a 404 for ids that do not exist', async () => {
    const given = Array.from({ length: ids }, () => '987654321')
    await expectRefusal(await staff.call(method, address(path, given), fieldsOf(path)), 404)
  })
})

describe('the form of add_recipient', () => {
  const send = (body: BodyInit, headers: Record<string, string>) =>
    staff.fetch('/class_tracker/add_recipient/0', {
      method: 'POST',
      headers: { accept: 'application/json', origin: site, 'x-csrftoken': staff.csrfToken, ...headers },
      body,
    })
  const urlencoded = { 'content-type': 'application/x-www-form-urlencoded' }

  test('may be urlencoded or multipart', async () => {
    await expectRefusal(await send('{"recipient-name":"Ada"}', { 'content-type': 'application/json' }), 415)
    await expectRefusal(await send('recipient-name=Ada', { 'content-type': 'text/plain' }), 415)
    await expectRefusal(await send('recipient-name=Ada', { 'content-type': 'multipart/form-data' }), 400)
    expect((await send('recipient-name=Ada', urlencoded)).status).toBe(200)
    const form = new FormData()
    form.append('recipient-name', 'Ada')
    form.append('contact-new-number', new File(['x'], 'number.txt'))
    expect((await send(form, {})).status).toBe(200)
  })

  test('has a size limit', async () => {
    await expectRefusal(await send(`recipient-name=${'x'.repeat(70_000)}`, urlencoded), 413)
  })

  test('accepts any Unicode without a server error', async () => {
    for (const name of ['\u0000', '\ud83c', '%00', '%ff%fe', '‮evil', '👩‍👩‍👧‍👦', 'a'.repeat(5000), '\u0301', '<script>']) {
      const response = await send(
        `recipient-name=${name.startsWith('%') ? name : encodeURIComponent(name.toWellFormed())}`,
        urlencoded,
      )
      expect([200, 422], JSON.stringify(name)).toContain(response.status)
    }
    const many = Array.from({ length: 500 }, (_, index) => `contact-${index + 1}-number=x`).join('&')
    expect((await send(`recipient-name=Ada&${many}`, urlencoded)).status).toBe(422)
  })
})
