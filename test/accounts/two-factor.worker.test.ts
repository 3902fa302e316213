import { env } from 'cloudflare:workers'
import { base32 } from 'oslo/encoding'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { findTwoFactor, takeCode } from '../../src/accounts/two-factor/second-factor.ts'
import { nextOf, presses } from '../worker/account-people.ts'
import { placeOf } from '../worker/discord-people.ts'
import { whileMailsFail, writtenTo } from '../worker/mailbox.ts'
import {
  activatePath,
  codeAt,
  codesIn,
  holdClock,
  mailArrives,
  offered,
  overview,
  owner,
  passSteps,
} from '../worker/two-factor-people.ts'
import { addUser, goodPassword, Visitor } from '../worker/visitor.ts'

const generatePath = '/accounts/2fa/recovery-codes/generate/'

beforeEach(holdClock)
afterEach(() => {
  vi.useRealTimers()
})

describe('activating', () => {
  it('shows a QR code and the secret without a script', async () => {
    const { html } = await offered(await Visitor.loggedInAs(await addUser()))
    expect(html).toMatch(/<svg[^>]*role="img" aria-label="QR code/)
    expect(html).toContain('autoComplete="one-time-code"')
    expect(html).not.toContain('<script type="module"')
    expect(html).not.toMatch(/style="/)
  })

  it('needs a valid first code, then shows ten recovery codes once and notifies the owner', async () => {
    const { user, visitor, codes } = await owner()
    expect(codes).toHaveLength(10)
    const { html } = await visitor.see(overview)
    expect(html).toContain('Authentication using an authenticator app is active.')
    expect(html.replaceAll('<!-- -->', '')).toContain('There are 10 out of 10 recovery codes available.')
    expect(codesIn((await visitor.see('/accounts/2fa/recovery-codes/')).html)).toEqual([])
    await mailArrives(user.email, 'Authenticator App Activated')
  })

  it('shows the same secret again after a wrong code', async () => {
    const visitor = await Visitor.loggedInAs(await addUser())
    const { offer, secret } = await offered(visitor)
    for (const code of ['', '000000', await codeAt(secret, -1), await codeAt(secret, 1)]) {
      const { response, html } = await visitor.read(await visitor.submit(activatePath, { offer, code }))
      expect([response.status, html.includes('Incorrect code.')]).toEqual([422, true])
      expect(html).toContain(base32.encode(secret, { includePadding: false }).slice(0, 4))
    }
    expect((await visitor.see(overview)).html).toContain('An authenticator app is not active.')
  })

  it("rejects a secret that is forged, expired or another user's", async () => {
    const [visitor, other] = [await Visitor.loggedInAs(await addUser()), await Visitor.loggedInAs(await addUser())]
    const { offer, secret } = await offered(other)
    await visitor.see(overview)
    const code = await codeAt(secret)
    for (const sent of [offer, '', 'x', 'v1.a.b.c'])
      expect(placeOf(await visitor.submit(activatePath, { offer: sent, code }))).toEqual([303, activatePath])
    passSteps(70)
    await env.DB.prepare('UPDATE session SET authenticated_at = ?').bind(Date.now()).run()
    const late = await other.submit(activatePath, { offer, code: await codeAt(secret) })
    expect(placeOf(late)).toEqual([303, activatePath])
    const [said] = (await other.see(activatePath)).data.context.messages
    expect(said?.message).toContain('That QR code had expired, so nothing was changed.')
  })

  it('changes nothing if its notice cannot be stored', async () => {
    const user = await addUser()
    const visitor = await Visitor.loggedInAs(user)
    const { offer, secret } = await offered(visitor)
    const code = await codeAt(secret)
    expect((await whileMailsFail(() => visitor.submit(activatePath, { offer, code }))).status).toBe(500)
    expect(await findTwoFactor(env, user.id)).toBeNull()
  })

  it('succeeds once, even for simultaneous requests', async () => {
    const user = await addUser()
    const visitor = await Visitor.loggedInAs(user)
    const offers = [await offered(visitor), await offered(visitor)]
    const answers = await Promise.all(
      offers.map(async ({ offer, secret }) => visitor.submit(activatePath, { offer, code: await codeAt(secret) })),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 303])
    expect((await findTwoFactor(env, user.id))?.codesLeft).toBe(10)
    expect((await visitor.see(overview)).html).toContain('If you did not see its recovery codes, generate new ones.')
    expect(await writtenTo(user.email)).toEqual(['authenticator_activated'])
  })

  it('requires a recent login', async () => {
    expect(placeOf(await new Visitor().get(activatePath))[1]).toContain('/accounts/login/')
    const visitor = await Visitor.loggedInAs(await addUser())
    const { offer, secret } = await offered(visitor)
    passSteps(11)
    expect(placeOf(await visitor.get(activatePath))[1]).toContain('/accounts/reauthenticate/')
    const answer = await visitor.submit(activatePath, { offer, code: await codeAt(secret) })
    expect(placeOf(answer)[1]).toContain('/accounts/reauthenticate/')
    expect((await visitor.see(overview)).html).toContain('An authenticator app is not active.')
  })

  it('stores nothing usable', async () => {
    const { secret, codes } = await owner()
    const stored = JSON.stringify([
      await env.DB.prepare('SELECT * FROM two_factor').all(),
      await env.DB.prepare('SELECT * FROM recovery_code').all(),
    ])
    for (const one of [...codes, base32.encode(secret, { includePadding: false })]) expect(stored).not.toContain(one)
  })
})

describe('confirming access', () => {
  it('answers a second press with the same code like the first', async () => {
    const { visitor, secret } = await owner()
    passSteps(11)
    const detour = placeOf(await visitor.submit('/accounts/2fa/recovery-codes/generate/', {}))[1] ?? ''
    expect(detour).toContain('/accounts/reauthenticate/')
    const form = { password: goodPassword, next: nextOf(detour), code: await codeAt(secret) }
    const first = await visitor.submit('/accounts/reauthenticate/', form)
    expect([200, 303]).toContain(first.status)
    const second = await visitor.submit('/accounts/reauthenticate/', form)
    expect(second.status).toBe(303)
    passSteps(3)
    expect((await visitor.submit('/accounts/reauthenticate/', form)).status).toBe(422)
  })
})

describe('deactivating', () => {
  const path = '/accounts/2fa/totp/deactivate/'

  it('asks for confirmation, requires a recent login, removes everything and notifies the owner', async () => {
    const { user, visitor, secret } = await owner()
    expect((await visitor.see(path)).html).toContain('You are about to deactivate')
    passSteps(11)
    const detour = placeOf(await visitor.submit(path, {}))[1] ?? ''
    expect(detour).toContain('/accounts/reauthenticate/')
    const confirm = { password: goodPassword, next: nextOf(detour) }
    expect((await visitor.submit('/accounts/reauthenticate/', confirm)).status).toBe(422)
    expect(await findTwoFactor(env, user.id)).not.toBeNull()
    const answer = await visitor.submit('/accounts/reauthenticate/', { ...confirm, code: await codeAt(secret) })
    expect(placeOf(answer)).toEqual([303, overview])
    expect(await findTwoFactor(env, user.id)).toBeNull()
    expect(await env.DB.prepare('SELECT 1 FROM recovery_code WHERE user_id = ?').bind(user.id).first()).toBeNull()
    await mailArrives(user.email, 'Authenticator App Deactivated')
  })
})

describe('recovery codes', () => {
  /** The form that replaces them. */
  async function generateForm(visitor: Visitor): Promise<Record<string, string>> {
    const { html } = await visitor.see(generatePath)
    return { replaces: /name="replaces" value="([^"]+)"/.exec(html)?.[1] ?? '' }
  }

  it('are neither replaced nor deleted if the notice cannot be stored', async () => {
    const { user, visitor, codes } = await owner()
    const form = await generateForm(visitor)
    for (const path of [generatePath, '/accounts/2fa/totp/deactivate/'])
      expect((await whileMailsFail(() => visitor.submit(path, form))).status).toBe(500)
    expect(await takeCode(env, user.id, codes[0] ?? '', Date.now())).toBe('recovery')
  })

  it('can be replaced, which invalidates the old ones and is reported', async () => {
    const { user, visitor, codes } = await owner()
    const { html } = await visitor.read(await visitor.submit(generatePath, await generateForm(visitor)))
    const fresh = codesIn(html)
    expect(fresh).toHaveLength(10)
    expect(await takeCode(env, user.id, codes[0] ?? '', Date.now())).toBeNull()
    expect(await takeCode(env, user.id, fresh[0] ?? '', Date.now())).toBe('recovery')
    await mailArrives(user.email, 'New Recovery Codes Generated')
  })

  it.each(presses)('are replaced once by %s, and the codes that were shown work', async (_how, press) => {
    const { user, visitor } = await owner()
    const [answers] = await press(visitor, generatePath, await generateForm(visitor))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 303])
    const shown = answers.find(({ status }) => status === 200)
    const [code = ''] = codesIn(shown ? await shown.text() : '')
    expect(await takeCode(env, user.id, code, Date.now())).toBe('recovery')
    const other = answers.find(({ status }) => status === 303)
    expect(other?.headers.get('location')).toBe('/accounts/2fa/recovery-codes/')
    expect(await writtenTo(user.email)).toEqual(['authenticator_activated', 'recovery_codes_generated'])
  })

  it('that a later press made are not replaced by an earlier one that was held up', async () => {
    const { user, visitor } = await owner()
    const form = await generateForm(visitor)
    const { html } = await visitor.read(await visitor.submit(generatePath, form))
    await visitor.submit(generatePath, form)
    expect((await visitor.see('/accounts/2fa/recovery-codes/')).data.context.messages[0]?.message).toBe(
      'New codes were generated by another click. If you did not see them, generate new ones.',
    )
    expect(await takeCode(env, user.id, codesIn(html)[0] ?? '', Date.now())).toBe('recovery')
  })

  it('can be downloaded only right after they were shown, by their owner', async () => {
    const { visitor, codes } = await owner()
    const path = '/accounts/2fa/recovery-codes/download/'
    const answer = await visitor.submit(path, { codes: codes.join(' ') })
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="class-cords-recovery-codes.txt"')
    expect(answer.headers.get('content-type')).toContain('text/plain')
    expect(await answer.text()).toBe(`${codes.join('\n')}\n`)
    const { visitor: other } = await owner()
    await other.see(overview)
    for (const sent of [codes.join(' '), '', '<script>alert(1)</script>'])
      expect((await other.submit(path, { codes: sent })).status).toBe(303)
    expect((await visitor.get(path)).status).toBe(405)
  })

  it('do not exist without a second factor', async () => {
    const visitor = await Visitor.loggedInAs(await addUser())
    for (const path of ['/accounts/2fa/recovery-codes/', generatePath, '/accounts/2fa/totp/deactivate/'])
      expect(placeOf(await visitor.get(path))).toEqual([302, overview])
    await visitor.see(overview)
    expect(placeOf(await visitor.submit(generatePath, {}))).toEqual([303, overview])
  })
})

describe('changing SECRET_KEY', () => {
  it('locks no one out while the previous one is kept, and reencrypts the keys', async () => {
    const { user, secret } = await owner()
    const rotated = {
      ...env,
      SECRET_KEY: 'another secret of more than 32 characters',
      SECRET_KEY_PREVIOUS: env.SECRET_KEY,
    }
    expect(await takeCode(rotated, user.id, await codeAt(secret), Date.now())).toBe('totp')
    passSteps(1)
    const after = { ...env, SECRET_KEY: 'another secret of more than 32 characters' }
    expect(await takeCode(after, user.id, await codeAt(secret), Date.now())).toBe('totp')
  })
})
