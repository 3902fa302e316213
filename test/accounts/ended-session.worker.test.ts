import { beforeEach, expect, it } from 'vitest'
import { addressesOf, getWith, submitWith } from '../worker/account-people.ts'
import { connect, deleteAllAccounts, loggedInThrough, discordUsers, pick, setOff } from '../worker/discord-people.ts'
import { one, rows } from '../worker/rows.ts'
import { activatePath, codeAt, offered } from '../worker/two-factor-people.ts'
import { addUser, goodPassword, Visitor } from '../worker/visitor.ts'
import { watchedDatabase } from '../worker/watched-database.ts'

/**
 * Ending a session ends what it was about to do: someone whom the owner has just logged out must not leave a way back
 * in. Here the session ends between the request's first look at it and the change.
 */

const emailPath = '/accounts/email/'
const connectionsPath = '/accounts/3rdparty/'
const addresses = ['second@example.net', 'third@example.net']

interface Person {
  userId: number
  visitor: Visitor
}

async function activateApp({ visitor }: Person): Promise<Record<string, string>> {
  const { offer, secret } = await offered(visitor)
  return { offer, code: await codeAt(secret) }
}

async function withApp(person: Person): Promise<void> {
  const answer = await person.visitor.submit(activatePath, await activateApp(person))
  expect(answer.status).toBe(200)
}

async function withoutPassword({ userId }: Person): Promise<void> {
  await rows('UPDATE user SET password_hash = NULL WHERE id = ?', userId)
}

const valueIn = (html: string, name: string) => new RegExp(`name="${name}"[^>]*value="([^"]+)"`).exec(html)?.[1] ?? ''

/** The fields of a form, and what must be so before. */
type Change = [
  what: string,
  path: string,
  fields: (person: Person) => Record<string, string> | Promise<Record<string, string>>,
  before?: (person: Person) => Promise<void>,
]

const changes: Change[] = [
  ['adds no address', emailPath, () => ({ action_add: '1', email: 'new@example.net' })],
  ['chooses no primary address', emailPath, () => ({ action_primary: '1', email: addresses[0] ?? '' })],
  ['removes no address', emailPath, () => ({ action_remove: '1', email: addresses[1] ?? '' })],
  ['activates no authenticator app', activatePath, activateApp],
  ['deactivates no authenticator app', '/accounts/2fa/totp/deactivate/', () => ({}), withApp],
  [
    'generates no recovery codes',
    '/accounts/2fa/recovery-codes/generate/',
    async ({ visitor }) => {
      const { html } = await visitor.see('/accounts/2fa/recovery-codes/generate/')
      return { replaces: valueIn(html, 'replaces') }
    },
    withApp,
  ],
  [
    'removes no Discord account',
    connectionsPath,
    async ({ visitor }) => ({ account: valueIn((await visitor.see(connectionsPath)).html, 'account') }),
    ({ visitor }) => connect(visitor, 'regular'),
  ],
  ['ends no other session', '/accounts/sessions/', () => ({ session: 'another' })],
  ['ends no other sessions', '/accounts/sessions/', () => ({ action_end_others: '1' })],
  [
    'sets no password',
    '/accounts/password/set/',
    () => ({ password1: 'of the intruder', password2: 'of the intruder' }),
    withoutPassword,
  ],
]

/** What a change could leave behind. */
async function stateOf({ userId }: Person) {
  return {
    addresses: await addressesOf(userId),
    password: await rows('SELECT password_hash FROM user WHERE id = ?', userId),
    apps: await rows('SELECT sealed_keys FROM two_factor WHERE user_id = ?', userId),
    codes: await rows('SELECT code_hash FROM recovery_code WHERE user_id = ? ORDER BY id', userId),
    discord: (await discordUsers()).map(({ user_id, unlinked_at }) => [user_id, unlinked_at]),
    mails: await rows('SELECT kind FROM mail'),
  }
}

async function person(): Promise<Person> {
  const { id: userId } = await addUser()
  for (const address of addresses)
    await rows(
      'INSERT INTO email_address (user_id, address, verified_at, created_at) VALUES (?, ?, 1, 0)',
      userId,
      address,
    )
  return { userId, visitor: await Visitor.loggedInAs({ id: userId }) }
}

/** A database in which something happens after a round trip; the first one reads the session, if there is one. */
const afterTrip = (trip: number, act: () => Promise<unknown>) =>
  watchedDatabase({
    after: async (present) => {
      if (present === trip) await act()
    },
  })
const endSessions = ({ userId }: Person) => rows('DELETE FROM session WHERE user_id = ?', userId)

beforeEach(deleteAllAccounts)

it.each(changes)('a session that is ended %s anymore', async (_what, path, fields, before) => {
  const somebody = await person()
  await before?.(somebody)
  const sent = await fields(somebody)
  await somebody.visitor.see(emailPath)
  const state = await stateOf(somebody)
  const answer = await submitWith({ DB: afterTrip(1, () => endSessions(somebody)) }, somebody.visitor, path, sent)
  expect(await stateOf(somebody)).toEqual(state)
  const { html, data } = await somebody.visitor.read(answer)
  expect([answer.status, data.context.user.is_authenticated]).toEqual([401, false])
  expect(html).toContain('You were logged out.')
})

it.each([
  ['session is ended', 'DELETE FROM session WHERE user_id = ?'],
  ['user is deleted', 'DELETE FROM user WHERE id = ?'],
])('a Discord account is not connected if the %s while Discord answers', async (_what, ending) => {
  const { userId, visitor } = await person()
  const back = await pick(await setOff(visitor, { process: 'connect' }), 'newcomer')
  const answer = await getWith({ DB: afterTrip(3, () => rows(ending, userId)) }, visitor, back)
  expect(await discordUsers()).toEqual([])
  const { data } = await visitor.read(answer)
  expect([answer.status, data.context.user.is_authenticated]).toEqual([401, false])
})

it('a session that is ended keeps no form until access is confirmed', async () => {
  const somebody = await person()
  await rows('UPDATE session SET authenticated_at = 0 WHERE user_id = ?', somebody.userId)
  await somebody.visitor.see(emailPath)
  const DB = afterTrip(1, () => endSessions(somebody))
  const answer = await submitWith({ DB }, somebody.visitor, emailPath, { action_add: '1', email: 'new@example.net' })
  expect(answer.status).toBe(401)
})

const named = async ({ userId }: Person) =>
  await one<{ username: string; email: string }>('SELECT username, email FROM user WHERE id = ?', userId)

/** Forms of people who may be deleted while the form is under way, and whether they are logged in. */
const forms: [string, boolean, string, (person: Person) => Promise<Record<string, string>>][] = [
  [
    'logs in',
    false,
    '/accounts/login/',
    async (person) => ({ login: (await named(person)).username, password: goodPassword }),
  ],
  ['asks for a code', false, '/accounts/login/code/', async (person) => ({ email: (await named(person)).email })],
  [
    'asks for a new password',
    false,
    '/accounts/password/reset/',
    async (person) => ({ email: (await named(person)).email }),
  ],
  ['adds an address', true, emailPath, async () => ({ action_add: '1', email: 'new@example.net' })],
  ['asks for another link', true, emailPath, async () => ({ action_send: '1', email: addresses[1] ?? '' })],
  ['connects Discord', true, '/accounts/discord/login/', async () => ({ process: 'connect' })],
]

for (const [what, isLoggedIn, path, fields] of forms)
  it.each([1, 2, 3, 4])(`someone who ${what} and is deleted at database trip %i causes no error`, async (trip) => {
    const somebody = await person()
    const { userId } = somebody
    await rows(
      'UPDATE email_address SET verified_at = NULL WHERE user_id = ? AND address = ?',
      userId,
      addresses[1] ?? '',
    )
    const visitor = isLoggedIn ? somebody.visitor : new Visitor()
    const sent = await fields(somebody)
    await visitor.see(isLoggedIn ? emailPath : path)
    const DB = afterTrip(trip, () => rows('DELETE FROM user WHERE id = ?', userId))
    const answer = await submitWith({ DB }, visitor, path, sent)
    expect(answer.status).toBeLessThan(500)
  })

it.each([1, 2, 3, 4, 5, 6])(
  'someone without a confirmed address who logs in with Discord and is deleted at database trip %i causes no error',
  async (trip) => {
    await loggedInThrough('newcomer')
    await rows('UPDATE email_address SET verified_at = NULL')
    const visitor = new Visitor()
    const back = await pick(await setOff(visitor), 'newcomer')
    const answer = await getWith({ DB: afterTrip(trip, () => rows('DELETE FROM user')) }, visitor, back)
    expect(answer.status).toBe(302)
    expect(await rows('SELECT * FROM email_address WHERE user_id NOT IN (SELECT id FROM user)')).toEqual([])
  },
)

it('someone without any address is not told that an email was sent', async () => {
  const somebody = await person()
  const { username: login } = await named(somebody)
  await rows('DELETE FROM email_address WHERE user_id = ?', somebody.userId)
  const visitor = new Visitor()
  await visitor.see('/accounts/login/')
  const answer = await visitor.submit('/accounts/login/', { login, password: goodPassword })
  const { html } = await visitor.see(answer.headers.get('location') ?? '')
  expect(html).toContain('No email was sent to you just now.')
})
