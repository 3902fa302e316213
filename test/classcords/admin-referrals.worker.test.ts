import { beforeAll, describe, expect, test } from 'vitest'
import { Desk } from '../worker/admin-desk.ts'
import { openCampus } from '../worker/campus.ts'
import { addPerson, type Person } from '../worker/directory.ts'
import { one, rows } from '../worker/rows.ts'
import { stranger } from '../worker/visitor.ts'

let desk: Desk
let manager: Person

beforeAll(async () => {
  desk = await Desk.open()
  ;({ manager } = await openCampus())
})

describe('referrals', () => {
  const add = (owner: Person, max_uses: string, expiry_timeframe = '1w') =>
    desk.add('referrals', { owner_id: String(owner.discordUserId), max_uses, expiry_timeframe })
  const newest = (owner: Person) =>
    one<{ id: number; code: string; max_uses: number; num_uses: number; revoked_at: number | null }>(
      'SELECT id, code, max_uses, num_uses, revoked_at FROM referral WHERE owner_id = ? ORDER BY id DESC LIMIT 1',
      owner.discordUserId,
    )

  test("follow their owner's limits, and their code is never shown", async () => {
    const owner = await addPerson()
    expect((await add(owner, '100')).text).toContain('The referral was added.')
    const { code } = await newest(owner)
    expect((await add(owner, '20')).text).toContain('active referrals may total 100 uses')
    expect((await add(owner, '0')).text).toContain('Only manager users can create unlimited referrals.')
    expect((await add(owner, '20', 'permanent')).text).toContain('Only manager users can create permanent referrals.')
    expect((await add(owner, '7')).text).toContain('Select a valid choice.')
    expect(await rows('SELECT 1 FROM referral WHERE owner_id = ?', owner.discordUserId)).toHaveLength(1)
    expect((await add(manager, '0', 'permanent')).text).toContain('The referral was added.')
    for (const page of ['referrals/', `referrals/?owner_id=${owner.discordUserId}`, 'referrals/export.csv', 'audit/']) {
      const text = await (await desk.visitor.get(`/admin/${page}`)).text()
      expect(text, page).not.toContain(code)
    }
    expect(await desk.titles(`referrals/?q=${code}`)).toEqual([`Referral of ${owner.name}`])
  })

  test('can be revoked until they end, with their uses kept, and deleted only if unused', async () => {
    const owner = await addPerson()
    await add(owner, '20')
    const { id } = await newest(owner)
    expect((await desk.act('referrals', 'revoke', id)).text).toContain('1 referral revoked.')
    expect((await newest(owner)).revoked_at).toBeGreaterThan(0)
    expect(await desk.entry('referral')).toMatchObject({ act: 'revoked', area: 'classcords', row_key: String(id) })
    expect((await desk.act('referrals', 'revoke', id)).text).toContain('This referral has already ended')
    expect((await desk.delete('referrals', id)).text).toContain('was deleted')
    await add(owner, '20')
    const used = await newest(owner)
    await rows("INSERT INTO redemption (referral_id, discord_id, created_at) VALUES (?, '77', 0)", used.id)
    const link = async () =>
      (await (await stranger()).get(`/classcords/referral/${used.code}/`)).headers.get('location')
    expect(await link()).toContain(used.code)
    expect((await desk.delete('referrals', used.id)).text).toContain(
      'This referral was used, so it is kept as a record of who joined. Revoke it instead.',
    )
    expect((await desk.act('referrals', 'revoke', used.id)).text).toContain('1 referral revoked.')
    expect(await newest(owner)).toMatchObject({ id: used.id, num_uses: 1, revoked_at: expect.any(Number) as number })
    expect(await link()).toBe('/classcords/login/')
    expect(await desk.entry('referral')).toMatchObject({ act: 'revoked', row_key: String(used.id) })
    await add(owner, '20')
    const full = await newest(owner)
    await rows('UPDATE referral SET num_uses = max_uses WHERE id = ?', full.id)
    expect((await desk.act('referrals', 'revoke', full.id)).text).toContain('1 referral revoked.')
    await add(owner, '20')
    const ended = await newest(owner)
    await rows('UPDATE referral SET expires_at = 1 WHERE id = ?', ended.id)
    expect((await desk.act('referrals', 'revoke', ended.id)).text).toContain('This referral has already ended')
  })

  test("cannot exceed their maximum, nor an owner's total", async () => {
    const owner = await addPerson()
    await add(owner, '50')
    const { id } = await newest(owner)
    await rows(
      `INSERT INTO redemption (referral_id, discord_id, created_at)
       SELECT ?, value, 0 FROM json_each('["1","2","3","4","5","6","7","8","9","10","11","12","13","14","15","16","17","18","19","20","21"]')`,
      id,
    )
    expect((await desk.change('referrals', id, { max_uses: '20' })).text).toContain(
      'It has already been used more times than that.',
    )
    expect((await desk.change('referrals', id, { max_uses: '100' })).text).toContain('was saved')
    await add(owner, '20')
    await rows('UPDATE referral SET max_uses = 50 WHERE id = ?', id)
    await add(owner, '50')
    expect((await desk.change('referrals', id, { max_uses: '100' })).text).toContain(
      'active referrals may total 100 uses',
    )
    expect((await one<{ max_uses: number }>('SELECT max_uses FROM referral WHERE id = ?', id)).max_uses).toBe(50)
  })
})
