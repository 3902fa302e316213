import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { limitOf } from '../../src/web/limits/limits.ts'
import { takeOften } from '../worker/take-often.ts'
import { newcomer, personAt, signUp, submitWith } from '../worker/account-people.ts'
import { waitOut, whileMailsFail } from '../worker/mailbox.ts'
import { one, rows } from '../worker/rows.ts'
import { addUser, goodPassword, Visitor } from '../worker/visitor.ts'

/** The limits of account emails. */

const codePath = '/accounts/login/code/'
const resetPath = '/accounts/password/reset/'
const day = 24 * 3600_000
let people = 0
const somebody = () => `somebody${++people}@example.org`

beforeEach(async () => {
  await rows("DELETE FROM setting WHERE name LIKE 'account_mails%'")
  await waitOut('account-mails-of-site', 'site')
})

afterEach(() => {
  vi.restoreAllMocks()
})

async function ask(path: string, email: string, visitor = new Visitor()): Promise<Response> {
  await visitor.see(path)
  return visitor.submit(path, { email })
}

const set = (name: string, value: number) =>
  rows('INSERT INTO setting (name, value, changed_at) VALUES (?, ?, 0)', name, String(value))

/** Requests five emails of one kind to an address. */
async function askFive(path: string, email: string): Promise<void> {
  for (let n = 0; n < 5; n += 1) {
    // A minute has passed.
    for (const action of ['request-code-of', 'reset-password-of']) await waitOut(action, email.toLowerCase())
    expect((await ask(path, email)).status).toBe(303)
  }
  for (const action of ['request-code-of', 'reset-password-of']) await waitOut(action, email.toLowerCase())
}

const mailsTo = async (address: string) =>
  (await one<{ n: number }>('SELECT count(*) AS n FROM mail WHERE address = ?', address)).n

describe('an address', () => {
  it('gets at most five codes and five links an hour, and the answer is the same for every address', async () => {
    const unconfirmed = newcomer()
    await signUp(unconfirmed)
    await waitOut('account-mails', unconfirmed.email)
    const answers = []
    for (const email of [(await addUser()).email, unconfirmed.email, somebody()]) {
      const said = []
      for (const path of [resetPath, codePath]) {
        await askFive(path, email)
        const visitor = new Visitor()
        const response = await ask(path, email, visitor)
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(3500)
        expect(Number(response.headers.get('retry-after'))).toBeLessThanOrEqual(3600)
        const { html } = await visitor.read(response)
        expect(html).toContain(`value="${email}"`)
        expect(response.status).toBe(429)
        said.push([html.replaceAll(email, 'X').replace(/"csrf_token":"[^"]*"|value="[\w-]{43}"/g, '')])
      }
      answers.push(said)
    }
    expect(JSON.stringify(answers[0])).toContain('Too many requests. Please try again in 60 minutes.')
    expect(answers[1]).toEqual(answers[0])
    expect(answers[2]).toEqual(answers[0])
  })

  it.each([
    ['of any kind', (name: string) => `${name}@example.org`, (name: string) => `${name}+other@example.org`],
    ['with a dot at Gmail', (name: string) => `a.${name}@gmail.com`, (name: string) => `a${name}@googlemail.com`],
  ])('%s keeps its limit when strangers use up the one that other spellings share', async (_, of, otherOf) => {
    const name = `person${Date.now()}`
    const { email } = await addUser({ email: of(name) })
    for (const path of [resetPath, codePath]) {
      await askFive(path, email.replace('@', '+news@'))
      const other = otherOf(name)
      // It has a limit of its own as well, so the answer tells nothing.
      expect((await ask(path, other)).status).toBe(303)
      expect(await mailsTo(other)).toBe(0)
      expect((await ask(path, email)).status).toBe(303)
    }
    expect(await mailsTo(email.replace('@', '+news@'))).toBe(10)
    expect(await mailsTo(email)).toBe(2)
  })

  it('can sign up after strangers have used up the limit of its other spellings', async () => {
    const person = newcomer()
    await askFive(resetPath, person.email.replace('@', '+1@'))
    await signUp(person)
    expect(await mailsTo(person.email)).toBe(1)
  })

  it.each([
    ['links', resetPath, 'account-mails'],
    ['codes', codePath, 'account-codes'],
  ])('gets twenty %s a day, and then one in two hours, so that strangers cannot lock out its owner', async (...how) => {
    const [, path, action] = how
    const address = somebody()
    await takeOften(`${action}-a-day`, address, 19, { limit: 20, window_ms: day })
    expect((await ask(path, address)).status).toBe(303)
    for (let n = 0; n < 2; n += 1) {
      await waitOut(action, address)
      await waitOut(`${action}-beyond`, address)
      for (const minute of ['request-code-of', 'reset-password-of']) await waitOut(minute, address)
      expect((await ask(path, address)).status).toBe(303)
      const refused = await ask(path, address)
      expect(refused.status).toBe(429)
      const wait = Number(refused.headers.get('retry-after'))
      expect([wait > 7000, wait <= 7200]).toEqual([true, true])
    }
  })

  it('has no links left: the page says that earlier links may still work, with or without an account', async () => {
    for (const email of [(await addUser()).email, somebody()]) {
      await useUp(email)
      const visitor = new Visitor()
      const { html } = await visitor.read(await ask(resetPath, email, visitor))
      expect(html).toContain('in the last 3 days and you have not logged in since, they may still work')
    }
  })

  it('gets links after strangers have used up its codes, and codes after they have used up its links', async () => {
    const [first, second] = [await addUser(), await addUser()]
    await askFive(codePath, first.email)
    expect((await ask(codePath, first.email)).status).toBe(429)
    expect((await ask(resetPath, first.email)).status).toBe(303)
    await askFive(resetPath, second.email)
    expect((await ask(resetPath, second.email)).status).toBe(429)
    expect((await ask(codePath, second.email)).status).toBe(303)
    const person = newcomer()
    await askFive(codePath, person.email)
    await signUp(person)
    expect(
      (
        await one<{ n: number }>(
          "SELECT count(*) AS n FROM mail WHERE address = ? AND kind = 'confirm_address'",
          person.email,
        )
      ).n,
    ).toBe(1)
  })

  it('over its limit can still sign up, and the page says that no email was sent', async () => {
    const person = newcomer()
    await askFive(resetPath, person.email)
    const { visitor, response } = await signUp(person)
    expect(response.status).toBe(303)
    const said = `Too many emails were requested, so none was sent to ${person.email}. Try again in 60 minutes.`
    const page = await visitor.see(response.headers.get('location') ?? '')
    expect(page.data.context.messages[0]?.message).toBe(said)
    expect(page.html).toContain('No email was sent to you just now.')
    expect(page.html).not.toContain('We have sent an email to you')
    expect((await visitor.see(response.headers.get('location') ?? '')).html).toContain('No email was sent to you just')
  })

  it('whose links strangers used up can still be added to an account by its owner, five times an hour', async () => {
    const address = somebody()
    await askFive(resetPath, address)
    const said = []
    for (let n = 0; n < 6; n += 1) {
      const { visitor } = await personAt('/accounts/email/')
      await visitor.submit('/accounts/email/', { action_add: '1', email: address })
      said.push((await visitor.see('/accounts/email/')).data.context.messages[0]?.message)
    }
    const sent = `Confirmation email sent to ${address}.`
    const refused = `Too many emails were requested, so none was sent to ${address}. Try again in 60 minutes.`
    expect(said).toEqual([sent, sent, sent, sent, sent, refused])
  })

  it('gets no additional email when a code is requested again', async () => {
    const address = somebody()
    await takeOften('account-codes', address, 3, { limit: 5, window_ms: 3600_000 })
    const visitor = new Visitor()
    await ask(codePath, address, visitor)
    await visitor.see(`${codePath}confirm/`)
    for (let n = 0; n < 2; n += 1) await visitor.submit(`${codePath}confirm/`, { action: 'resend' })
    expect((await visitor.see(`${codePath}confirm/`)).data.context.messages.at(-1)?.message).toBe(
      'Be patient, you are sending too many requests.',
    )
    expect(await mailsTo(address)).toBe(2)
  })

  it('has a separate limit for browsers its owner has logged in with, of five more', async () => {
    const user = await addUser()
    const own = new Visitor()
    await own.see('/accounts/login/')
    expect((await own.submit('/accounts/login/', { login: user.username, password: goodPassword })).status).toBe(303)
    await own.see('/')
    await own.submit('/accounts/logout/', {})
    await askFive(resetPath, user.email)
    expect((await ask(resetPath, user.email)).status).toBe(429)
    await set('account_mails_per_site_hour', 1)
    for (let n = 0; n < 3; n += 1) expect((await ask(codePath, user.email, own)).status).toBe(303)
    for (let n = 0; n < 5; n += 1) expect((await ask(resetPath, user.email, own)).status).toBe(303)
    expect((await ask(resetPath, user.email, own)).status).toBe(429)
    const other = await addUser()
    await useUp(other.email)
    expect((await ask(resetPath, other.email, own)).status).toBe(429)
  })
})

const useUp = (email: string) => takeOften('account-mails', email, 5, { limit: 5, window_ms: 3600_000 })

describe('a client', () => {
  it('may request sixty emails an hour in total', async () => {
    const visitor = new Visitor()
    await takeOften('account-mails-of-client', visitor.address, 59, { limit: 60, window_ms: 3600_000 })
    expect((await ask(resetPath, somebody(), visitor)).status).toBe(303)
    const [second, third] = [somebody(), somebody()]
    expect((await ask(resetPath, second, visitor)).status).toBe(429)
    expect((await ask(codePath, third, visitor)).status).toBe(429)
    expect([await mailsTo(second), await mailsTo(third)]).toEqual([0, 0])
    expect((await ask(resetPath, second)).status).toBe(303)
  })

  it('has a configurable limit', async () => {
    await set('account_mails_per_client_hour', 2)
    const visitor = new Visitor()
    const statuses = []
    for (let n = 0; n < 3; n += 1) statuses.push((await ask(resetPath, somebody(), visitor)).status)
    expect(statuses).toEqual([303, 303, 429])
  })
})

describe('an IPv6 network', () => {
  const from = (address: string) => Object.assign(new Visitor(), { address })

  it('may request ten times the emails of a client, from however many subnets', async () => {
    await waitOut('account-mails-of-network', '2001:db8:77')
    await takeOften('account-mails-of-network', '2001:db8:77', 599, { limit: 600, window_ms: 3600_000 })
    expect((await ask(resetPath, somebody(), from('2001:db8:77:1::1'))).status).toBe(303)
    const [refused, other] = [somebody(), somebody()]
    for (const path of [resetPath, codePath]) {
      const answer = await ask(path, refused, from('2001:db8:77:2::1'))
      expect(answer.status).toBe(429)
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(3500)
    }
    expect(await mailsTo(refused)).toBe(0)
    expect((await ask(resetPath, other, from('2001:db8:78:2::1'))).status).toBe(303)
    expect((await ask(resetPath, other)).status).toBe(303)
  })

  it('is not used up by requests that a mailbox refuses', async () => {
    await waitOut('account-mails-of-network', '2001:db8:80')
    const address = somebody()
    await useUp(address)
    expect((await ask(resetPath, address, from('2001:db8:80:1::1'))).status).toBe(429)
    // Nothing was taken before.
    const ofNetwork = await limitOf(env, 'account-mails-of-network', '2001:db8:80')
    expect(await ofNetwork.take({ limit: 1, window_ms: 3600_000 })).toMatchObject({ allowed: true })
  })

  it('follows the limit of a client, which is configurable', async () => {
    await waitOut('account-mails-of-network', '2001:db8:79')
    for (let n = 0; n < 11; n += 1) await waitOut('account-mails-of-client', `2001:db8:79:${n}`)
    await set('account_mails_per_client_hour', 1)
    const statuses = []
    for (let n = 0; n < 11; n += 1)
      statuses.push((await ask(resetPath, somebody(), from(`2001:db8:79:${n}::1`))).status)
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 303), 429])
  })
})

describe('the site', () => {
  it('has a configurable hourly limit', async () => {
    await set('account_mails_per_site_hour', 2)
    const statuses = []
    for (let n = 0; n < 3; n += 1) statuses.push((await ask(resetPath, somebody())).status)
    expect(statuses).toEqual([303, 303, 429])
    const person = newcomer()
    const { visitor } = await signUp(person)
    expect((await visitor.see('/accounts/confirm-email/')).data.context.messages[0]?.message).toContain('none was sent')
    expect(await mailsTo(person.email)).toBe(0)
  })

  it('over its limit, uses up no other limit, because no email is sent', async () => {
    await set('account_mails_per_site_hour', 1)
    expect((await ask(resetPath, somebody())).status).toBe(303)
    const [address, visitor] = [somebody(), new Visitor()]
    expect((await ask(resetPath, address, visitor)).status).toBe(429)
    const person = newcomer({ email: `a.b${Date.now()}@gmail.com` })
    await signUp(person)
    const plain = person.email.replace('.', '')
    for (const [action, key] of [
      ['account-mails', `${plain} in another spelling`],
      ['account-mails', address],
      ['account-mails-a-day', address],
      ['account-mails-of-client', visitor.address],
    ] as const) {
      // Nothing was taken before.
      const check = await (await limitOf(env, action, key)).take({ limit: 1, window_ms: day })
      expect([action, check.allowed]).toEqual([action, true])
    }
  })

  it('sends no email while limits cannot be checked', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const [address, visitor] = [somebody(), new Visitor()]
    await visitor.see(resetPath)
    // The limits of the client and of the reset are checked first.
    let asked = 0
    const LIMITER = new Proxy(env.LIMITER, {
      get(target, name) {
        if (name === 'get' && (asked += 1) > 2) throw new Error('The object is away.')
        const value: unknown = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    const answer = await submitWith({ LIMITER }, visitor, resetPath, { email: address })
    expect([answer.status, asked]).toEqual([429, 3])
    expect(await mailsTo(address)).toBe(0)
  })

  it('does not say that a link was sent while the time between two cannot be checked', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const [person, visitor] = [newcomer(), new Visitor()]
    await visitor.see('/accounts/signup/')
    // The limit of sign-ups is checked first.
    let asked = 0
    const LIMITER = new Proxy(env.LIMITER, {
      get(target, name) {
        if (name === 'get' && (asked += 1) > 1) throw new Error('The object is away.')
        const value: unknown = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    const answer = await submitWith({ LIMITER }, visitor, '/accounts/signup/', person)
    const flash = answer.headers.getSetCookie().find((cookie) => cookie.startsWith('flash='))
    visitor.cookies.set('flash', /^flash=([^;]*)/.exec(flash ?? '')?.[1] ?? '')
    const page = await visitor.see(answer.headers.get('location') ?? '')
    expect(page.data.context.messages[0]?.message).toBe(
      `No email could be sent to ${person.email} just now. Try again in 30 seconds.`,
    )
    expect(page.html).toContain('No email was sent to you just now.')
    expect(await mailsTo(person.email)).toBe(0)
  })

  it('sends a link at once after one could not be stored', async () => {
    const person = newcomer()
    const first = await whileMailsFail(() => signUp(person))
    expect([first.response.status, await mailsTo(person.email)]).toEqual([500, 0])
    const again = await first.visitor.submit('/accounts/signup/', person)
    const page = await first.visitor.see(again.headers.get('location') ?? '')
    expect(page.data.context.messages[0]?.message).toBe(`Confirmation email sent to ${person.email}.`)
    expect(await mailsTo(person.email)).toBe(1)
  })
})
