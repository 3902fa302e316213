import { afterEach, expect, test, vi } from 'vitest'
import { call, callAs } from '../../client/api.ts'
import { CallError, messagesInBody, messagesOf, unexpected } from '../../client/errors.ts'

const visitor = { is_authenticated: false, is_superuser: false, name: '', discord_user: null }
const ada = { ...visitor, is_authenticated: true, name: 'ada' }
const onDiscord = {
  id: 1,
  discord_id: '7',
  username: 'ada',
  discriminator: '0',
  display_name: 'ada',
  avatar_url: '',
  is_verified: true,
  login_count: 1,
  first_login: '',
  last_login: '',
  role_info: { value: 'regular', label: 'Regular' },
  school: null,
}

afterEach(() => vi.unstubAllGlobals())

function answering(body: BodyInit | null, init: ResponseInit = {}) {
  const asked = vi.fn<typeof fetch>(async () => new Response(body, init))
  vi.stubGlobal('fetch', asked)
  return asked
}

async function refusal(path = '/class_tracker/get_schools'): Promise<CallError> {
  const error: unknown = await call(path).catch((thrown: unknown) => thrown)
  if (!(error instanceof CallError)) throw new Error(`Expected a CallError, got ${String(error)}`)
  return error
}

test('an array in an error answer is shown as a list of messages', async () => {
  answering('["One", "Two"]', { status: 409 })
  expect(await refusal()).toMatchObject({ messages: ['One', 'Two'], status: 409 })
})

test('an object with detail shows that detail', () => {
  expect(messagesInBody({ detail: 'Not here' })).toEqual(['Not here'])
  expect(messagesInBody({ detail: ['A', 'B'] })).toEqual(['A', 'B'])
})

test.each([null, 'text', 7, {}, { detail: 3 }, { detail: '' }, [], [1, null], ['']])(
  'anything else says only that it was unexpected: %j',
  (body) => {
    expect(messagesInBody(body)).toEqual(['An unexpected error occurred'])
  },
)

test('a page of HTML instead of JSON is unexpected, whatever the status', async () => {
  answering('<html>Maintenance</html>', { status: 503 })
  expect((await refusal()).messages).toEqual([unexpected])
  answering('<html>Log in</html>', { status: 200 })
  expect((await refusal()).messages).toEqual([unexpected])
})

test('a thrown error shows its message', () => {
  expect(messagesOf(new Error('It broke'))).toEqual(['It broke'])
  expect(messagesOf('no error at all')).toEqual([unexpected])
})

test('every call requests JSON and sends the token', async () => {
  const asked = answering('{"schools": []}')
  callAs({ csrf_token: 'secret', user: visitor })
  await call('/class_tracker/get_schools', { method: 'POST' })
  const init = asked.mock.calls[0]?.[1]
  expect(init).toMatchObject({ method: 'POST', headers: { Accept: 'application/json', 'X-CSRFToken': 'secret' } })
})

test('a call refused for an old token is made again with the current one, which later calls use, too', async () => {
  const page = '/class_tracker/add_classes/'
  vi.stubGlobal('location', { pathname: page, search: '' })
  const asked = vi.fn<typeof fetch>(async (path, init) => {
    if (path === page) return Response.json({ context: { csrf_token: 'new', user: ada } })
    const isCurrent = new Headers(init?.headers).get('X-CSRFToken') === 'new'
    return Response.json({ detail: 'Forbidden' }, { status: isCurrent ? 200 : 403 })
  })
  vi.stubGlobal('fetch', asked)
  callAs({ csrf_token: 'old', user: ada })
  await Promise.all([call('/one', { method: 'POST' }), call('/other', { method: 'POST' })])
  await call('/one', { method: 'POST' })
  const paths = asked.mock.calls.map(([path]) => path)
  expect(paths.toSorted()).toEqual([page, page, '/one', '/one', '/one', '/other', '/other'])
})

/** A page that ada opened, in a browser where someone else has the session by now. Returns the paths it calls. */
function openedByAda(user: Parameters<typeof callAs>[0]['user'], answer: number) {
  vi.stubGlobal('location', { pathname: '/page/', search: '' })
  vi.stubGlobal('document', new EventTarget())
  vi.stubGlobal('navigator', { onLine: true })
  const asked = vi.fn<typeof fetch>(async (path, init) => {
    if (path === '/page/') return Response.json({ context: { csrf_token: 'theirs', user } })
    const isCurrent = new Headers(init?.headers).get('X-CSRFToken') === 'theirs'
    return Response.json([], { status: isCurrent ? answer : 403 })
  })
  vi.stubGlobal('fetch', asked)
  callAs({ csrf_token: 'mine', user: ada })
  return () => asked.mock.calls.map(([path]) => path)
}

test.each([
  ['another username', { ...ada, name: 'bob' }],
  ['the same name on Discord', { ...ada, discord_user: onDiscord }],
])('a page makes no call for the next user of the browser: %s', async (_who, user) => {
  const paths = openedByAda(user, 200)
  for (const _turn of [1, 2]) {
    await expect(call('/one', { method: 'POST' })).rejects.toMatchObject({
      messages: [expect.stringContaining('You are logged out.')],
      status: 401,
    })
  }
  expect(paths()).toEqual(['/one', '/page/', '/one', '/page/'])
})

test('a page whose user has logged out makes its calls as a visitor, which may be refused', async () => {
  const paths = openedByAda(visitor, 401)
  await expect(call('/one', { method: 'POST' })).rejects.toMatchObject({ status: 401 })
  expect(paths()).toEqual(['/one', '/page/', '/one'])
})

test('a refusal that has nothing to do with the token is final', async () => {
  vi.stubGlobal('location', { pathname: '/', search: '' })
  const asked = answering('{"detail": "Not yours"}', { status: 403 })
  callAs({ csrf_token: 'same', user: ada })
  await expect(call('/x', { method: 'POST' })).rejects.toMatchObject({ messages: ['Not yours'], status: 403 })
  expect(asked).toHaveBeenCalledTimes(2)
})

test('a status that the call accepts is an answer', async () => {
  answering('{"recipient": null}', { status: 422 })
  const answer = await call('/class_tracker/add_recipient/0', { accept: [422] })
  expect(answer).toEqual({ recipient: null })
})

test('a missing network has its own message', async () => {
  vi.stubGlobal('fetch', async () => Promise.reject(new TypeError('Failed to fetch')))
  vi.stubGlobal('navigator', { onLine: false })
  expect((await refusal()).messages[0]).toMatch(/offline/)
  vi.stubGlobal('navigator', { onLine: true })
  expect((await refusal()).messages[0]).toMatch(/could not be reached/)
})

test('a timeout has a message', async () => {
  vi.stubGlobal(
    'fetch',
    (_: string, { signal }: RequestInit) =>
      new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
  )
  const error: unknown = await call('/x', { timeout: 5 }).catch((thrown: unknown) => thrown)
  expect(messagesOf(error)[0]).toMatch(/did not respond in time/)
})

test('a call aborted by its caller shows no message', async () => {
  const leaving = new AbortController()
  vi.stubGlobal('fetch', async () => {
    leaving.abort()
    throw leaving.signal.reason
  })
  const error: unknown = await call('/x', { signal: leaving.signal }).catch((thrown: unknown) => thrown)
  expect(error).not.toBeInstanceOf(CallError)
})
