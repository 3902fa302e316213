import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { Desk } from '../worker/admin-desk.ts'
import { connect, goThroughDiscord, deleteAllAccounts } from '../worker/discord-people.ts'
import { rows } from '../worker/rows.ts'
import { asked, changeForm, confirm, confirmPath, deskWithLoginAge, ageLogin, isSuperuser } from '../worker/step-up.ts'
import { activatePath, codeAt, holdClock, offered, passSteps } from '../worker/two-factor-people.ts'
import { addUser } from '../worker/visitor.ts'

/** A change that needs a recent login waits for the password, or for the code of a second factor. */

beforeAll(deleteAllAccounts)
afterEach(() => {
  vi.useRealTimers()
})

describe('a pending form', () => {
  test('is not carried out for a user who was demoted in the meantime', async () => {
    const desk = await deskWithLoginAge(301)
    const user = await addUser()
    const next = await asked(desk.act('users', 'make_superuser', user.id))
    await rows('UPDATE user SET is_superuser = 0 WHERE id = ?', desk.user.id)
    expect((await confirm(desk.visitor, next)).status).toBe(404)
    expect(await isSuperuser(user.id)).toBe(false)
  })

  test('is carried out once; a second click shows that access is confirmed', async () => {
    const desk = await deskWithLoginAge(301)
    const user = await addUser()
    const next = await asked(desk.act('users', 'make_superuser', user.id))
    expect((await confirm(desk.visitor, next)).status).toBe(303)
    await rows('UPDATE user SET is_superuser = 0 WHERE id = ?', user.id)
    const second = await confirm(desk.visitor, next)
    expect([second.status, second.headers.get('location')]).toEqual([303, '/admin/users/'])
    expect((await desk.see('users/')).text).toContain('Access is confirmed.')
    expect(await isSuperuser(user.id)).toBe(false)
  })

  test('does not affect those of other tabs, even at the same address', async () => {
    const desk = await deskWithLoginAge(301)
    const people = [await addUser(), await addUser(), await addUser()]
    const [first, second, third] = people.map(({ id }) => id)
    const waiting = [
      await asked(desk.act('users', 'make_superuser', first ?? 0)),
      await asked(desk.act('users', 'disable', second ?? 0)),
      await asked(desk.change('users', third ?? 0, { is_superuser: '1' })),
    ]
    expect(new Set(waiting).size).toBe(3)
    for (const next of waiting) expect((await confirm(desk.visitor, next)).status).toBe(303)
    expect(
      await rows(
        'SELECT is_superuser, is_active FROM user WHERE id IN (?, ?, ?) ORDER BY id',
        ...people.map(({ id }) => id),
      ),
    ).toEqual([
      { is_superuser: 1, is_active: 1 },
      { is_superuser: 0, is_active: 0 },
      { is_superuser: 1, is_active: 1 },
    ])
  })

  test('is dropped when its session has ten newer ones', async () => {
    const desk = await deskWithLoginAge(301)
    const user = await addUser()
    const oldest = await asked(desk.act('users', 'make_superuser', user.id))
    await rows('DELETE FROM waiting_form WHERE path <> ?', oldest)
    await rows('UPDATE waiting_form SET expires_at = expires_at - 1000')
    for (let count = 0; count < 10; count += 1) await asked(desk.act('users', 'disable', user.id))
    expect(await rows('SELECT 1 FROM waiting_form')).toHaveLength(10)
    expect((await confirm(desk.visitor, oldest)).headers.get('location')).toBe('/admin/users/')
    expect(await isSuperuser(user.id)).toBe(false)
  })

  test('that was refused in the meantime is shown again as filled in', async () => {
    const desk = await deskWithLoginAge(301)
    const user = await addUser()
    const path = `/admin/users/${user.id}/`
    const fields = await changeForm(desk, path, { username: 'kept-over-the-detour', is_superuser: '1' })
    const sent = await desk.visitor.submit(path, fields)
    const next = await asked(Promise.resolve({ status: sent.status, location: sent.headers.get('location') }))
    await rows("UPDATE user SET username = 'meanwhile' WHERE id = ?", user.id)
    const answer = await confirm(desk.visitor, next)
    expect(answer.status).toBe(409)
    expect(await answer.text()).toContain('kept-over-the-detour')
    expect(await isSuperuser(user.id)).toBe(false)
  })
})

describe('with a second factor', () => {
  async function deskWithApp() {
    holdClock()
    const desk = await Desk.open()
    const { offer, secret } = await offered(desk.visitor)
    expect((await desk.visitor.submit(activatePath, { offer, code: await codeAt(secret) })).status).toBe(200)
    passSteps(2)
    await desk.visitor.see('/admin/')
    return { desk, secret }
  }

  test('the password alone is not enough, and a code works once', async () => {
    const { desk, secret } = await deskWithApp()
    await ageLogin(desk, 301)
    const user = await addUser()
    const next = await asked(desk.act('users', 'make_superuser', user.id))
    const { html } = await desk.visitor.see(`${confirmPath}?next=${encodeURIComponent(next)}`)
    expect(html).toContain('name="code"')
    for (const code of ['', '000000']) {
      const refused = await confirm(desk.visitor, next, { code })
      expect(refused.status).toBe(422)
      expect(await refused.text()).toContain('Incorrect code.')
    }
    // A right code with a wrong password is not used up.
    const code = await codeAt(secret)
    expect((await confirm(desk.visitor, next, { code, password: 'a wrong password' })).status).toBe(422)
    expect(await isSuperuser(user.id)).toBe(false)
    expect((await confirm(desk.visitor, next, { code })).status).toBe(303)
    expect(await isSuperuser(user.id)).toBe(true)
    await ageLogin(desk, 301)
    expect((await confirm(desk.visitor, '/admin/', { code })).status).toBe(422)
  })

  test('Discord replaces the password but not the code', async () => {
    const { desk, secret } = await deskWithApp()
    await connect(desk.visitor, 'manager')
    await ageLogin(desk, 301)
    const user = await addUser()
    const next = await asked(desk.act('users', 'make_superuser', user.id))
    const back = await goThroughDiscord(desk.visitor, 'manager', { process: 'redirect', next })
    const place = back.headers.get('location') ?? ''
    expect(place).toContain(`${confirmPath}?next=`)
    const proof = new URL(place, 'http://x').searchParams.get('proof') ?? ''
    expect(await isSuperuser(user.id)).toBe(false)
    const { html } = await desk.visitor.see(place)
    expect(html).not.toContain('name="password"')
    expect((await desk.visitor.submit(confirmPath, { next, proof, code: '000000' })).status).toBe(422)
    // The proof is valid for one session and a few minutes.
    const stranger = await deskWithApp()
    await ageLogin(stranger.desk, 301)
    const borrowed = { next: '/admin/', proof, code: await codeAt(stranger.secret) }
    expect((await stranger.desk.visitor.submit(confirmPath, borrowed)).status).toBe(422)
    expect((await desk.visitor.submit(confirmPath, { next, proof, code: await codeAt(secret) })).status).toBe(303)
    expect(await isSuperuser(user.id)).toBe(true)
  })
})
