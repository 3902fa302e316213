import { beforeEach, expect, it } from 'vitest'
import { addressesOf, getWith, submitWith } from '../worker/account-people.ts'
import { connect, deleteAllAccounts, discordUsers, pick, setOff } from '../worker/discord-people.ts'
import { rows } from '../worker/rows.ts'
import { activatePath, codeAt, offered } from '../worker/two-factor-people.ts'
import { addUser, Visitor } from '../worker/visitor.ts'
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

/** A database in which the user's sessions end after the first round trip, which reads the session. */
const endingSessions = ({ userId }: Person) =>
  watchedDatabase({
    after: async (trip) => {
      if (trip === 1) await rows('DELETE FROM session WHERE user_id = ?', userId)
    },
  })

beforeEach(deleteAllAccounts)

it.each(changes)('a session that is ended %s anymore', async (_what, path, fields, before) => {
  const somebody = await person()
  await before?.(somebody)
  const sent = await fields(somebody)
  await somebody.visitor.see(emailPath)
  const state = await stateOf(somebody)
  const answer = await submitWith({ DB: endingSessions(somebody) }, somebody.visitor, path, sent)
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
  const DB = watchedDatabase({
    after: async (trip) => {
      if (trip === 3) await rows(ending, userId)
    },
  })
  const answer = await getWith({ DB }, visitor, back)
  expect(await discordUsers()).toEqual([])
  expect(answer.status).toBe(401)
})
