import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { takeCode } from '../../src/accounts/two-factor/second-factor.ts'
import { passSecondStep } from '../../src/accounts/two-factor/second-step.ts'
import { writeTogether } from '../../src/db/query.ts'
import { limitOf } from '../../src/web/limits/limits.ts'
import { takeOften } from '../worker/take-often.ts'
import { isLoggedIn } from '../worker/account-people.ts'
import { goThroughDiscord, placeOf, loggedInThrough, deleteAllAccounts } from '../worker/discord-people.ts'
import { mailTo } from '../worker/mailbox.ts'
import {
  activatePath,
  authenticate,
  codeAt,
  halfIn,
  holdClock,
  offered,
  overview,
  owner,
  passSteps,
} from '../worker/two-factor-people.ts'
import { rows } from '../worker/rows.ts'
import { addUser, goodPassword, Visitor } from '../worker/visitor.ts'

beforeEach(holdClock)
afterEach(() => {
  vi.useRealTimers()
})

describe('login with a second factor', () => {
  it('accepts the current code and continues to the requested page', async () => {
    const { user, secret } = await owner()
    const visitor = await halfIn(user, { next: '/class_tracker/?a=1', remember: 'on' })
    const answer = await visitor.submit(authenticate, { code: await codeAt(secret) })
    expect(placeOf(answer)).toEqual([303, '/class_tracker/?a=1'])
    expect(answer.headers.getSetCookie().find((one) => one.startsWith('session='))).toContain('Max-Age=2592000')
    const { data } = await visitor.see('/')
    expect(data.context.user.name).toBe(user.username)
    expect(data.context.messages.map(({ message }) => message)).toEqual([`Successfully signed in as ${user.username}.`])
    expect(visitor.cookies.has('second_step')).toBe(false)
  })

  it("applies to the class tracker's login", async () => {
    const { user, secret } = await owner()
    const visitor = new Visitor()
    await visitor.see('/class_tracker/login_view/')
    const form = { username: user.username, password: goodPassword }
    expect(placeOf(await visitor.submit('/class_tracker/login_view/', form))).toEqual([303, authenticate])
    await visitor.see(authenticate)
    const answer = await visitor.submit(authenticate, { code: await codeAt(secret) })
    expect(placeOf(answer)).toEqual([303, '/class_tracker/'])
  })

  it('applies to logging in with Discord', async () => {
    await deleteAllAccounts()
    const visitor = await loggedInThrough('newcomer')
    const { offer, secret } = await offered(visitor)
    await visitor.submit(activatePath, { offer, code: await codeAt(secret) })
    passSteps(1)
    const again = new Visitor()
    expect(placeOf(await goThroughDiscord(again, 'newcomer'))).toEqual([302, authenticate])
    expect(again.cookies.has('session')).toBe(false)
    await again.see(authenticate)
    expect(placeOf(await again.submit(authenticate, { code: await codeAt(secret) }))).toEqual([
      303,
      '/classcords/login-success/',
    ])
  })

  it.each([
    ['disabled', 'is_disabled = 1'],
    ['disconnected', 'unlinked_at = 1'],
  ])('does not complete with a Discord account that was %s after the first step', async (_what, change) => {
    await deleteAllAccounts()
    const visitor = await loggedInThrough('newcomer')
    const { offer, secret } = await offered(visitor)
    await visitor.submit(activatePath, { offer, code: await codeAt(secret) })
    passSteps(2)
    const again = new Visitor()
    expect(placeOf(await goThroughDiscord(again, 'newcomer'))).toEqual([302, authenticate])
    await again.see(authenticate)
    const token = again.cookies.get('second_step') ?? ''
    const passing = await passSecondStep(env, token, '000000', Date.now())
    await rows(`UPDATE discord_user SET ${change}`)
    const code = await codeAt(secret)
    await expect(writeTogether(env.DB, passing)).rejects.toThrow('The login has ended.')
    expect(placeOf(await again.submit(authenticate, { code }))).toEqual([303, '/accounts/login/'])
    expect(await isLoggedIn(again)).toBe(false)
  })

  it('applies to logging in with a mailed code, and does not complete once the address is removed', async () => {
    const { user, secret } = await owner()
    const visitor = new Visitor()
    await visitor.see('/accounts/login/code/')
    await visitor.submit('/accounts/login/code/', { email: user.email })
    const { text } = await mailTo(user.email, 'Sign-In Code')
    const code = /\b[A-Z]{4}-[A-Z]{4}\b/.exec(text)?.[0] ?? ''
    await visitor.see('/accounts/login/code/confirm/')
    expect(placeOf(await visitor.submit('/accounts/login/code/confirm/', { code }))).toEqual([303, authenticate])
    expect(visitor.cookies.has('session')).toBe(false)
    await visitor.see(authenticate)
    await rows('UPDATE email_address SET address = ? WHERE user_id = ?', `kept.${user.email}`, user.id)
    expect(placeOf(await visitor.submit(authenticate, { code: await codeAt(secret) }))).toEqual([
      303,
      '/accounts/login/',
    ])
  })

  it('can be sent again if the session could not be stored', async () => {
    const { user, secret } = await owner()
    const visitor = await halfIn(user)
    const code = await codeAt(secret)
    await rows("CREATE TRIGGER fails BEFORE INSERT ON session BEGIN SELECT RAISE(ABORT, 'full'); END")
    expect((await visitor.submit(authenticate, { code })).status).toBe(500)
    await rows('DROP TRIGGER fails')
    expect(placeOf(await visitor.submit(authenticate, { code }))).toEqual([303, '/'])
    expect(await isLoggedIn(visitor)).toBe(true)
  })

  it('rejects codes of other times or users, and used codes', async () => {
    const { user, secret } = await owner()
    const { secret: other } = await owner()
    const visitor = await halfIn(user)
    const code = await codeAt(secret)
    for (const wrong of [await codeAt(secret, -1), await codeAt(secret, 1), await codeAt(other), '']) {
      const { response, html } = await visitor.read(await visitor.submit(authenticate, { code: wrong }))
      expect([response.status, html.includes('Incorrect code.')]).toEqual([422, true])
    }
    expect((await visitor.submit(authenticate, { code: ` ${code.slice(0, 3)} ${code.slice(3)}` })).status).toBe(303)
    const second = await halfIn(user)
    expect((await second.submit(authenticate, { code })).status).toBe(422)
  })

  it('logs in one of two browsers that send the same code simultaneously', async () => {
    const { user, secret } = await owner()
    const visitors = [await halfIn(user), await halfIn(user), await halfIn(user)]
    const code = await codeAt(secret)
    const answers = await Promise.all(visitors.map((visitor) => visitor.submit(authenticate, { code })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 422, 422])
  })

  /** The same browser, with the cookies it has now. */
  function sameBrowser(visitor: Visitor): Visitor {
    const same = Object.assign(new Visitor(), { address: visitor.address, csrfToken: visitor.csrfToken })
    for (const [name, value] of visitor.cookies) same.cookies.set(name, value)
    return same
  }

  it.each(['app', 'recovery'])('answers a second press with the same %s code like the first', async (kind) => {
    const { user, secret, codes } = await owner()
    const visitor = await halfIn(user)
    const code = kind === 'app' ? await codeAt(secret) : (codes[0] ?? '')
    const presses = [sameBrowser(visitor), sameBrowser(visitor)]
    const answers = await Promise.all(presses.map((press) => press.submit(authenticate, { code })))
    expect(answers.map(placeOf)).toEqual([
      [303, '/'],
      [303, '/'],
    ])
    const late = sameBrowser(visitor)
    expect(placeOf(await late.submit(authenticate, { code }))).toEqual([303, '/'])
    const said = (await late.see('/')).data.context.messages.map(({ message }) => message)
    expect(said.some((message) => message.includes('You have 9 recovery codes left.'))).toBe(kind === 'recovery')
    expect((await sameBrowser(visitor).submit(authenticate, { code: '000000' })).status).toBe(422)
    expect((await (await halfIn(user)).submit(authenticate, { code })).status).toBe(422)
    passSteps(3)
    expect(placeOf(await visitor.submit(authenticate, { code }))).toEqual([303, '/accounts/login/'])
  })

  it('starts again if two-factor authentication is turned off at that moment', async () => {
    const { user } = await owner()
    const visitor = new Visitor()
    await visitor.see('/accounts/login/')
    // An expired login is deleted right before the new one is kept.
    await rows(
      "INSERT INTO second_step (id_hash, user_id, way, created_at, expires_at) VALUES ('old ' || ?1, ?1, '{}', 0, 0)",
      user.id,
    )
    await rows(
      `CREATE TRIGGER turned_off AFTER DELETE ON second_step BEGIN
        DELETE FROM two_factor WHERE user_id = OLD.user_id; END`,
    )
    const answer = await visitor.submit('/accounts/login/', { login: user.username, password: goodPassword })
    await rows('DROP TRIGGER turned_off')
    expect(placeOf(answer)).toEqual([303, '/accounts/login/'])
    expect((await visitor.see('/accounts/login/')).data.context.messages.map(({ message }) => message)).toEqual([
      'Your account changed while you were logging in. Please log in again.',
    ])
  })

  it('keeps a recovery code when the login ended meanwhile', async () => {
    const { user, codes } = await owner()
    const [code = ''] = codes
    const passing = await passSecondStep(env, 'a login that ended', code, Date.now())
    expect(await takeCode(env, user.id, code, Date.now(), passing)).toBeNull()
    expect(await takeCode(env, user.id, code, Date.now())).toBe('recovery')
  })

  it('rejects the code that activated it', async () => {
    const user = await addUser()
    const inside = await Visitor.loggedInAs(user)
    const { offer, secret } = await offered(inside)
    const code = await codeAt(secret)
    await inside.submit(activatePath, { offer, code })
    const visitor = await halfIn(user)
    expect((await visitor.submit(authenticate, { code })).status).toBe(422)
  })

  it('accepts each recovery code once, and says how many are left', async () => {
    const { user, codes } = await owner()
    const [first = ''] = codes
    const visitor = await halfIn(user)
    const typed = `${first.slice(0, 4)}-${first.slice(4)}`
    expect((await visitor.submit(authenticate, { code: typed })).status).toBe(303)
    const { data } = await visitor.see('/')
    expect(data.context.messages.at(-1)).toEqual({
      level_tag: 'warning',
      message: 'You used a recovery code. It cannot be used again. You have 9 recovery codes left.',
    })
    expect((await (await halfIn(user)).submit(authenticate, { code: first })).status).toBe(422)
    expect(await takeCode(env, user.id, codes[1] ?? '', Date.now())).toBe('recovery')
  })

  it('allows five guesses in five minutes, from any number of addresses', async () => {
    const { user, secret } = await owner()
    const visitors = await Promise.all([1, 2, 3, 4].map(() => halfIn(user)))
    const guesses = await Promise.all(
      visitors.flatMap((visitor) => [1, 2].map(() => visitor.submit(authenticate, { code: '000000' }))),
    )
    expect(guesses.filter(({ status }) => status === 422)).toHaveLength(5)
    const limited = guesses.filter(({ status }) => status === 429)
    expect(limited).toHaveLength(3)
    expect(Number(limited[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
    const [visitor] = visitors
    expect((await visitor?.submit(authenticate, { code: await codeAt(secret) }))?.status).toBe(429)
  })

  it('does not lock the owner out of a known browser when someone else guesses', async () => {
    const { user, secret } = await owner()
    const own = await halfIn(user)
    expect((await own.submit(authenticate, { code: await codeAt(secret) })).status).toBe(303)
    passSteps(3)
    const stranger = await halfIn(user)
    for (let guess = 0; guess < 5; guess += 1) await stranger.submit(authenticate, { code: '000000' })
    expect((await stranger.submit(authenticate, { code: await codeAt(secret) })).status).toBe(429)
    await own.see('/')
    await own.submit('/accounts/logout/', {})
    await own.see('/accounts/login/')
    await own.submit('/accounts/login/', { login: user.username, password: goodPassword })
    expect((await own.submit(authenticate, { code: await codeAt(secret) })).status).toBe(303)
  })

  it('counts only wrong codes against the limit of a client address', async () => {
    const [{ user, secret }, { user: other, secret: otherSecret }] = [await owner(), await owner()]
    const address = '203.0.113.70'
    const limit = await limitOf(env, 'second-step', address)
    await limit.clear()
    await takeOften('second-step', address, 8, { limit: 10, window_ms: 60_000 })
    const first = await halfIn(user)
    first.address = address
    expect((await first.submit(authenticate, { code: '000000' })).status).toBe(422)
    expect((await first.submit(authenticate, { code: await codeAt(secret) })).status).toBe(303)
    const second = await halfIn(other)
    second.address = address
    expect((await second.submit(authenticate, { code: await codeAt(otherSecret) })).status).toBe(303)
    const third = await halfIn(other)
    third.address = address
    expect((await third.submit(authenticate, { code: '000000' })).status).toBe(422)
    expect((await third.submit(authenticate, { code: '000000' })).status).toBe(429)
  })

  it('resets the limit after a right code', async () => {
    const { user, secret } = await owner()
    for (let n = 0; n < 3; n += 1) {
      const visitor = await halfIn(user)
      for (let guess = 0; guess < 4; guess += 1) await visitor.submit(authenticate, { code: '000000' })
      expect((await visitor.submit(authenticate, { code: await codeAt(secret) })).status).toBe(303)
      passSteps(3)
    }
  })
})

describe('second step', () => {
  it('requires the first one', async () => {
    const visitor = new Visitor()
    expect(placeOf(await visitor.get(authenticate))).toEqual([302, '/accounts/login/'])
    visitor.cookies.set('second_step', 'A'.repeat(43))
    await visitor.see('/accounts/login/')
    expect(placeOf(await visitor.submit(authenticate, { code: '000000' }))).toEqual([303, '/accounts/login/'])
  })

  it('gives access to nothing else before it is done', async () => {
    const { user } = await owner()
    const visitor = await halfIn(user)
    expect(await isLoggedIn(visitor)).toBe(false)
    expect(placeOf(await visitor.get(overview))[0]).toBe(302)
  })

  it.each([
    ['fifteen minutes', 'UPDATE second_step SET expires_at = 0'],
    ['another password', "UPDATE user SET password_hash = 'x'"],
    ['the account being disabled', 'UPDATE user SET is_active = 0'],
    ['the factor being gone', 'DELETE FROM two_factor'],
  ])('stops working after %s', async (_what, statement) => {
    const { user, secret } = await owner()
    const visitor = await halfIn(user)
    await env.DB.prepare(statement).run()
    const answer = await visitor.submit(authenticate, { code: await codeAt(secret) })
    expect(placeOf(answer)).toEqual([303, '/accounts/login/'])
    expect((await visitor.see('/accounts/login/')).data.context.messages[0]?.message).toContain('Please log in again.')
    expect(await isLoggedIn(visitor)).toBe(false)
  })

  it('is stored by a hash', async () => {
    const { user } = await owner()
    const visitor = await halfIn(user)
    const stored = JSON.stringify(await env.DB.prepare('SELECT * FROM second_step').all())
    expect(stored).not.toContain(visitor.cookies.get('second_step'))
  })
})
