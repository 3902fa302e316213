import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { removeConnection } from '../../src/accounts/discord/connections.ts'
import { addAddress, makePrimary, removeAddress } from '../../src/accounts/email/addresses.ts'
import { confirmAccessFirst } from '../../src/accounts/owner.ts'
import { newSecret } from '../../src/accounts/two-factor/keys.ts'
import { activate, deactivate, renewCodes } from '../../src/accounts/two-factor/second-factor.ts'
import { addressesOf, nextOf, personAt } from '../worker/account-people.ts'
import { rows } from '../worker/rows.ts'
import { goodPassword, Visitor } from '../worker/visitor.ts'

const path = '/accounts/email/'
const person = () => personAt(path)
let count = 0
const freshAddress = () => `again${++count}@example.net`

describe('every operation refuses an owner who has not confirmed access', () => {
  const by = { userId: 1, idHash: '', confirmedAt: Date.now() - 361_000 }
  it.each<[string, () => Promise<unknown>]>([
    ['to add an address', () => addAddress(env, by, freshAddress(), Date.now())],
    ['to choose the primary address', () => makePrimary(env, by, 1, [])],
    ['to remove an address', () => removeAddress(env, by, 1, [])],
    ['to remove the Discord account', () => removeConnection(env, by, 1, Date.now(), [])],
    ['to activate an app', () => activate(env, by, { secret: newSecret(), code: '000000' }, Date.now(), [])],
    ['to deactivate the app', () => deactivate(env, by, [])],
    ['to make new recovery codes', () => renewCodes(env, by, '', [])],
  ])('%s', async (_what, operation) => {
    await expect(operation()).rejects.toMatchObject({ status: 403, messages: [confirmAccessFirst] })
  })
})

describe('after 300 s', () => {
  async function stale() {
    const { user, visitor } = await person()
    await env.DB.prepare('UPDATE session SET authenticated_at = authenticated_at - 301000 WHERE user_id = ?')
      .bind(user.id)
      .run()
    return { user, visitor }
  }
  const again = '/accounts/reauthenticate/'
  /** Where a form that waits continues, once access is confirmed. */
  const askedFor = (response: Response) => {
    const detour = response.headers.get('location')
    expect(detour).toContain(again)
    return nextOf(detour)
  }

  it('a change waits for the password and is then carried out once', async () => {
    const { user, visitor } = await stale()
    const second = freshAddress()
    const response = await visitor.submit(path, { action_add: '1', email: second })
    const next = askedFor(response)
    expect(next).toMatch(/^\/accounts\/email\/\?form=/)
    expect(await addressesOf(user.id)).toHaveLength(1)
    const stored = await env.DB.prepare('SELECT * FROM waiting_form').all()
    expect(JSON.stringify(stored.results)).not.toContain(second)

    const asked = await visitor.see(response.headers.get('location') ?? '')
    expect(asked.html).toMatch(/type="password"[^>]*autoComplete="current-password"/i)
    const wrong = await visitor.submit(again, { password: 'not the password', next })
    expect(wrong.status).toBe(422)
    expect((await visitor.read(wrong)).html).toContain('Incorrect password.')
    const right = await visitor.submit(again, { password: goodPassword, next })
    expect([right.status, right.headers.get('location')]).toEqual([303, path])
    expect((await addressesOf(user.id))[1]).toMatchObject({ address: second })
    expect((await visitor.submit(path, { action_remove: '1', email: second })).status).toBe(303)
    const repeated = await visitor.submit(again, { password: goodPassword, next })
    expect([repeated.status, repeated.headers.get('location')]).toEqual([303, path])
    expect(await addressesOf(user.id)).toHaveLength(1)
  })

  it('a change that fails waits again', async () => {
    const { user, visitor } = await stale()
    const next = askedFor(await visitor.submit(path, { action_add: '1', email: freshAddress() }))
    await rows("CREATE TRIGGER fails BEFORE INSERT ON email_address BEGIN SELECT RAISE(ABORT, 'full'); END")
    expect((await visitor.submit(again, { password: goodPassword, next })).status).toBe(500)
    await rows('DROP TRIGGER fails')
    expect((await visitor.submit(again, { password: goodPassword, next })).status).toBe(303)
    expect(await addressesOf(user.id)).toHaveLength(2)
  })

  it('a change that waited too long is not carried out, and the next page says to make it again', async () => {
    const { user, visitor } = await stale()
    const next = askedFor(await visitor.submit(path, { action_add: '1', email: freshAddress() }))
    await env.DB.prepare('UPDATE waiting_form SET expires_at = 0').run()
    const answer = await visitor.submit(again, { password: goodPassword, next })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, path])
    expect(await addressesOf(user.id)).toHaveLength(1)
    expect((await visitor.see(path)).data.context.messages).toMatchObject([
      { level_tag: 'info', message: expect.stringContaining('If your change is not here, please make it again.') },
    ])
  })

  it('forms that two tabs send to the same address wait separately', async () => {
    const { user, visitor } = await stale()
    const [first, second] = [freshAddress(), freshAddress()]
    const ofFirst = askedFor(await visitor.submit(path, { action_add: '1', email: first }))
    const ofSecond = askedFor(await visitor.submit(path, { action_add: '1', email: second }))
    await visitor.submit(again, { password: goodPassword, next: ofFirst })
    expect((await addressesOf(user.id)).slice(1)).toMatchObject([{ address: first }])
    await visitor.submit(again, { password: goodPassword, next: ofSecond })
    expect((await addressesOf(user.id)).slice(1)).toMatchObject([{ address: first }, { address: second }])
  })

  it('reading pages needs no confirmation', async () => {
    expect((await (await stale()).visitor.get(path)).status).toBe(200)
  })

  it("no one can carry out another person's pending form", async () => {
    const [one, other] = [await stale(), await stale()]
    const address = freshAddress()
    const next = askedFor(await one.visitor.submit(path, { action_add: '1', email: address }))
    await other.visitor.submit(again, { password: goodPassword, next })
    expect(await addressesOf(other.user.id)).toHaveLength(1)
    expect(await addressesOf(one.user.id)).toHaveLength(1)
  })

  it('redirects only within this site', async () => {
    const { visitor } = await stale()
    const response = await visitor.submit(again, { password: goodPassword, next: '//evil.example' })
    expect(response.headers.get('location')).toBe('/accounts/')
  })

  it('password attempts are limited to ten a minute', async () => {
    const { visitor } = await stale()
    const statuses: number[] = []
    for (let guess = 0; guess < 11; guess += 1)
      statuses.push((await visitor.submit(again, { password: 'not the password' })).status)
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 422), 429])
  })

  it('requires a login', async () => {
    expect((await new Visitor().get(again)).headers.get('location')).toContain('/accounts/login/?next=')
  })
})
