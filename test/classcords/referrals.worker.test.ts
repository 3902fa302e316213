import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { ReferralsProps } from '../../src/classcords/contract.ts'
import { admit, redeemReferral } from '../../src/classcords/referrals/admit.ts'
import { goThroughDiscord, placeOf, deleteAllAccounts } from '../worker/discord-people.ts'
import { addPerson, emptyDirectory, makeSchool, makeServer, type Person } from '../worker/directory.ts'
import { one, rows } from '../worker/rows.ts'
import { addUser, browserOf, stranger, Visitor } from '../worker/visitor.ts'
import { strict } from '../worker/strict.ts'

const path = '/classcords/referrals/'
let school: number
let person: Person

beforeEach(async () => {
  await deleteAllAccounts()
  await emptyDirectory()
  school = (await makeSchool()).school_id
  person = await addPerson({ school })
})

async function makeReferral(
  referral: { max?: number; used?: number; expiresAt?: number | null; revokedAt?: number | null } = {},
) {
  const code = crypto.randomUUID()
  await rows(
    `INSERT INTO referral (code, owner_id, max_uses, num_uses, expiry_timeframe, created_at, expires_at, revoked_at)
     VALUES (?, ?, ?, ?, '1w', 0, ?, ?)`,
    code,
    person.discordUserId,
    referral.max ?? 20,
    referral.used ?? 0,
    referral.expiresAt === undefined ? Date.now() + 60_000 : referral.expiresAt,
    referral.revokedAt ?? null,
  )
  return code
}
const usesOf = async (code: string) =>
  (await one<{ num_uses: number }>('SELECT num_uses FROM referral WHERE code = ?', code)).num_uses
const referralsOf = async (visitor: Visitor) => ReferralsProps.parse((await visitor.see(path)).data.props)

describe('the form', () => {
  it('defaults to 20 uses and a week, and shows an absolute link', async () => {
    const visitor = await browserOf(person)
    const answer = await visitor.submit(path, {})
    expect(placeOf(answer)).toEqual([303, path])
    const { data } = await visitor.see<ReferralsProps>(path)
    expect(data.context.messages).toMatchObject([{ level_tag: 'success', message: 'Referral created successfully!' }])
    const [referral] = strict(ReferralsProps).parse(data.props).referrals
    expect(referral).toMatchObject({
      num_uses: 0,
      max_uses: 20,
      expiry_timeframe: '1w',
      is_valid: true,
      is_expired: false,
      can_revoke: true,
    })
    expect(referral?.url).toMatch(/^http:\/\/localhost:8787\/classcords\/referral\/[0-9a-f]{32}\/$/)
  })

  it.each([
    [{ max_uses_choice: '21' }, 'Select a valid choice.'],
    [{ max_uses_choice: '0' }, 'Only manager users can create unlimited referrals.'],
    [{ expiry_timeframe: 'permanent' }, 'Only manager users can create permanent referrals.'],
  ])('is shown again, filled, with %j', async (fields, error) => {
    const visitor = await browserOf(person)
    const { response, data } = await visitor.read<ReferralsProps>(await visitor.submit(path, fields))
    expect(response.status).toBe(422)
    expect(data.props.referral_form.fields.map((field) => field.error)).toContain(error)
    expect(data.props.referral_form.fields.map((field) => field.value)).toContain(Object.values(fields)[0])
  })

  it("limits one person's active referrals to 100 uses in total, also for simultaneous requests", async () => {
    const visitor = await browserOf(person)
    const answers = await Promise.all(Array.from({ length: 8 }, () => visitor.submit(path, { max_uses_choice: '50' })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 303, 422, 422, 422, 422, 422, 422])
    const last = await visitor.read<ReferralsProps>(await visitor.submit(path, {}))
    expect(last.data.props.referral_form.non_field_errors).toEqual([
      'Your active referrals may total 100 uses; 0 left.',
    ])
    await rows('UPDATE referral SET expires_at = 5 WHERE owner_id = ?', person.discordUserId)
    expect((await visitor.submit(path, { max_uses_choice: '100' })).status).toBe(303)
  })

  it('has no such limit for superusers, and allows managers unlimited referrals', async () => {
    const superuser = await browserOf(await addPerson({ school, isSuperuser: true }))
    for (let n = 0; n < 3; n += 1) expect((await superuser.submit(path, { max_uses_choice: '100' })).status).toBe(303)
    const manager = await browserOf(await addPerson({ school, role: 'manager' }))
    expect((await manager.submit(path, { max_uses_choice: '0', expiry_timeframe: 'permanent' })).status).toBe(303)
    expect((await referralsOf(manager)).referrals).toMatchObject([
      { max_uses: 0, datetime_expires: null, is_valid: true },
    ])
  })

  it('is for people with a Discord account', async () => {
    const nobody = await stranger()
    expect(placeOf(await nobody.submit(path, {}))).toEqual([302, '/classcords/login/'])
    const unlinked = await browserOf(await addUser())
    expect((await unlinked.submit(path, {})).status).toBe(403)
  })
})

describe("one's own referrals", () => {
  it('can be revoked while unused, only by their owner', async () => {
    const visitor = await browserOf(person)
    await visitor.submit(path, {})
    const [referral] = (await referralsOf(visitor)).referrals
    const revoke = (who: Visitor) => who.submit(`${path}${referral?.id}/revoke/`, {})
    expect((await revoke(await browserOf(await addPerson({ school })))).status).toBe(404)
    expect(placeOf(await revoke(visitor))).toEqual([303, path])
    expect((await referralsOf(visitor)).referrals).toMatchObject([
      { is_expired: true, is_valid: false, can_revoke: false },
    ])
    expect((await revoke(visitor)).status).toBe(409)
    await makeReferral({ used: 1 })
    const [used] = (await referralsOf(visitor)).referrals.filter(({ num_uses }) => num_uses === 1)
    expect((await visitor.submit(`${path}${used?.id}/revoke/`, {})).status).toBe(409)
  })

  it('are listed 20 per page', async () => {
    for (let n = 0; n < 21; n += 1) await makeReferral()
    const visitor = await browserOf(person)
    const second = ReferralsProps.parse((await visitor.see(`${path}?page=9`)).data.props)
    expect([second.referrals.length, second.pagination.current_page, second.pagination.total_pages]).toEqual([1, 2, 2])
  })
})

describe('a referral link', () => {
  it('is remembered through login and redeemed once', async () => {
    const code = await makeReferral()
    const visitor = new Visitor()
    expect(placeOf(await visitor.get(`/classcords/referral/${code}/`))).toEqual([
      302,
      `/classcords/login/?referral=${code}`,
    ])
    const { data, html } = await visitor.see('/classcords/login/')
    expect(data.context.messages).toMatchObject([{ level_tag: 'info', message: 'You may now log in via Discord' }])
    expect(html).toMatch(new RegExp(`name="referral"[^>]*value="${code}"`))
    expect(placeOf(await goThroughDiscord(visitor, 'stranger'))).toEqual([302, '/classcords/login-success/'])
    expect(await usesOf(code)).toBe(1)
    expect(visitor.cookies.has('referral')).toBe(false)
  })

  it('is also remembered by the call before the form', async () => {
    const code = await makeReferral()
    const visitor = await stranger()
    const answer = await visitor.call('GET', `/classcords/ajax/referral-redeem/?referral=%20${code}%20`)
    expect([answer.status, await answer.json()]).toEqual([200, {}])
    expect(placeOf(await goThroughDiscord(visitor, 'stranger'))).toEqual([302, '/classcords/login-success/'])
    const blank = await visitor.call('GET', '/classcords/ajax/referral-redeem/?referral=%20')
    expect([blank.status, await blank.json()]).toEqual([400, ['No referral code provided.']])
  })

  it('that is invalid is reported', async () => {
    const codes = [
      'nonsense',
      '%00%ff',
      'a'.repeat(500),
      await makeReferral({ expiresAt: 5 }),
      await makeReferral({ revokedAt: 5 }),
      await makeReferral({ max: 20, used: 20 }),
    ]
    for (const code of codes) {
      const visitor = new Visitor()
      expect(placeOf(await visitor.get(`/classcords/referral/${code}/`))).toEqual([302, '/classcords/login/'])
      expect((await visitor.see('/classcords/login/')).data.context.messages).toMatchObject([
        { level_tag: 'error', message: 'Invalid referral code.' },
      ])
    }
  })

  it('is invalid while its owner is disabled, in either place', async () => {
    const code = await makeReferral()
    const place = async () => placeOf(await new Visitor().get(`/classcords/referral/${code}/`))
    for (const [off, on] of [
      ['UPDATE discord_user SET is_disabled = 1 WHERE user_id = ?', 'UPDATE discord_user SET is_disabled = 0'],
      ['UPDATE user SET is_active = 0 WHERE id = ?', 'UPDATE user SET is_active = 1'],
    ] as const) {
      await rows(off, person.id)
      expect(await place()).toEqual([302, '/classcords/login/'])
      expect(await redeemReferral(env.DB, code, 'd1', Date.now())).toBe(false)
      await rows(on)
      expect(await place()).toEqual([302, `/classcords/login/?referral=${code}`])
    }
  })

  it('leads logged-in people to the welcome page', async () => {
    const visitor = await browserOf(person)
    expect(placeOf(await visitor.get(`/classcords/referral/${await makeReferral()}/`))).toEqual([302, '/classcords/'])
    expect((await visitor.see('/classcords/')).data.context.messages).toMatchObject([
      { message: 'You are already logged in' },
    ])
  })
})

describe('redeeming', () => {
  it('admits one of fifty simultaneous requests if one use is left', async () => {
    const code = await makeReferral({ max: 20, used: 19 })
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_unused, n) => redeemReferral(env.DB, code, `d${n}`, Date.now())),
    )
    expect([answers.filter(Boolean).length, await usesOf(code)]).toEqual([1, 20])
    expect(await rows('SELECT 1 FROM redemption')).toHaveLength(1)
  })

  it('takes one use per person', async () => {
    const code = await makeReferral()
    const answers = await Promise.all(Array.from({ length: 10 }, () => redeemReferral(env.DB, code, 'd1', Date.now())))
    expect([answers.every(Boolean), await usesOf(code)]).toEqual([true, 1])
  })

  it('never exceeds the maximum, even with a direct insert', async () => {
    const code = await makeReferral({ max: 20, used: 20 })
    const write = rows(
      'INSERT INTO redemption (referral_id, discord_id, created_at) SELECT id, ?, 0 FROM referral WHERE code = ?',
      'x',
      code,
    )
    await expect(write).rejects.toThrow(/CHECK constraint/)
  })
})

describe('admission', () => {
  const guildIds = async () => ['42']
  const ask = (referral: string, guilds = guildIds) => admit(env, { discordId: 'new', referral, guildIds: guilds })

  it('does not ask Discord about people with a valid code', async () => {
    const never = () => Promise.reject(new Error('asked'))
    expect(await ask(await makeReferral(), never)).toEqual({ admitted: true })
  })

  it('takes no second use from people who did not finish signing up, until the referral is revoked', async () => {
    const code = await makeReferral({ max: 20, used: 19 })
    const never = () => Promise.reject(new Error('asked'))
    const second = await makeReferral()
    for (const given of [code, code, '', 'other', second]) expect(await ask(given, never)).toEqual({ admitted: true })
    expect([await usesOf(code), await usesOf(second)]).toEqual([20, 0])
    expect(await admit(env, { discordId: 'else', referral: '', guildIds })).toMatchObject({ admitted: false })
    await rows('UPDATE referral SET revoked_at = 1 WHERE code = ?', code)
    for (const given of [code, '', 'other']) expect(await ask(given)).toMatchObject({ admitted: false })
  })

  it('asks for a code again once the sign-up is over, so that a deleted person does not return without one', async () => {
    const [code, second] = [await makeReferral(), await makeReferral()]
    expect(await ask(code)).toEqual({ admitted: true })
    await rows('UPDATE redemption SET created_at = ?', Date.now() - 23 * 3600_000)
    expect(await ask('')).toEqual({ admitted: true })
    await rows('UPDATE redemption SET created_at = ?', Date.now() - 25 * 3600_000)
    for (const given of ['', 'other']) expect(await ask(given)).toMatchObject({ admitted: false })
    // It was the last use, and theirs.
    await rows('UPDATE referral SET max_uses = 1 WHERE code = ?', code)
    expect([await ask(code), await usesOf(code)]).toEqual([{ admitted: true }, 1])
    await rows('UPDATE referral SET expires_at = 1 WHERE code = ?', code)
    expect(await ask(code)).toMatchObject({ admitted: false })
    expect([await ask(second), await usesOf(second)]).toEqual([{ admitted: true }, 1])
  })

  it('admits members of a trusted server and gives others the reason', async () => {
    expect(await ask('')).toEqual({
      admitted: false,
      reason: 'You need a referral code to create a new account on this website',
      trusted: [],
    })
    const made = await makeServer({ name: 'Commons', featured: true })
    expect(await ask('wrong')).toEqual({
      admitted: false,
      reason: 'Your referral code is invalid or has expired',
      trusted: [{ text: 'Commons', href: `${env.APP_URL}/classcords/join/${made.invite}/` }],
    })
    await rows(
      "INSERT INTO discord_server (server_id, name, privacy_level, is_required_for_trust, created_at) VALUES ('42', 'T', 'public', 1, 0)",
    )
    expect(await ask('wrong')).toEqual({ admitted: true })
    await rows("UPDATE discord_server SET is_active = 0 WHERE server_id = '42'")
    expect(await ask('wrong')).toMatchObject({ admitted: false })
    await rows("UPDATE discord_server SET is_active = 1 WHERE server_id = '42'")
    await expect(ask('', () => Promise.reject(new Error('Discord')))).rejects.toThrow('Discord')
  })
})

it("one's own referral can be scanned while it is valid", async () => {
  const owner = await addPerson({ school: (await makeSchool()).school_id })
  const { id } = await one<{ id: number }>(
    `INSERT INTO referral (code, owner_id, max_uses, expiry_timeframe, created_at, expires_at)
     VALUES ('scan-me', ?, 5, '1w', 0, 9e15) RETURNING id`,
    owner.discordUserId,
  )
  const visitor = await browserOf(owner)
  const html = await (await visitor.get(`/classcords/referrals/${id}/qr/`)).text()
  expect(html).toContain('aria-label="QR code of your referral"')
  expect(html).toContain(`${env.APP_URL}/classcords/referral/scan-me/`)
  const other = await browserOf(await addPerson({ school: (await makeSchool()).school_id }))
  expect((await other.get(`/classcords/referrals/${id}/qr/`)).status).toBe(404)
  await rows('UPDATE referral SET revoked_at = 1 WHERE id = ?', id)
  expect((await visitor.get(`/classcords/referrals/${id}/qr/`)).status).toBe(404)
})
