import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { isLoggedIn, logsIn, presses } from '../worker/account-people.ts'
import { mailTo, whileMailsFail } from '../worker/mailbox.ts'
import { addUser, goodPassword, Visitor } from '../worker/visitor.ts'

const changePath = '/accounts/password/change/'
const setPath = '/accounts/password/set/'
const better = 'a much better password'
const twice = (password: string) => ({ password1: password, password2: password })

async function person(options: { password?: false } = {}) {
  const user = await addUser()
  if (options.password === false)
    await env.DB.prepare('UPDATE user SET password_hash = NULL WHERE id = ?').bind(user.id).run()
  const visitor = await Visitor.loggedInAs(user)
  await visitor.see('/accounts/')
  return { user, visitor }
}

describe('changing a password', () => {
  it('ends every other session at once, renews this one and notifies the owner', async () => {
    const { user, visitor } = await person()
    const elsewhere = await Visitor.loggedInAs(user)
    const before = visitor.cookies.get('session') ?? ''
    const response = await visitor.submit(changePath, { oldpassword: goodPassword, ...twice(better) })
    expect([response.status, response.headers.get('location')]).toEqual([303, '/accounts/'])
    expect((await visitor.see('/accounts/')).data.context.messages[0]?.message).toBe('Password successfully changed.')
    expect(visitor.cookies.get('session')).not.toBe(before)
    const thief = new Visitor()
    thief.cookies.set('session', before)
    expect([await isLoggedIn(visitor), await isLoggedIn(elsewhere), await isLoggedIn(thief)]).toEqual([
      true,
      false,
      false,
    ])
    expect([await logsIn(user.username, better), await logsIn(user.username, goodPassword)]).toEqual([true, false])
    const { text } = await mailTo(user.email, 'Password Changed')
    expect(text).toMatch(/When: \d{4}-\d\d-\d\d \d\d:\d\d UTC\nFrom: 198\.51\.\d+\.\d+\nBrowser: /)
    expect(text).toContain('If this was not you')
  })

  it('notifies another confirmed address while the primary one is not confirmed', async () => {
    const { user, visitor } = await person()
    const other = `other-${user.email}`
    await env.DB.batch([
      env.DB.prepare('UPDATE email_address SET verified_at = NULL WHERE user_id = ?').bind(user.id),
      env.DB.prepare('UPDATE user SET email_verified_at = NULL WHERE id = ?').bind(user.id),
      env.DB.prepare(
        'INSERT INTO email_address (user_id, address, verified_at, is_primary, created_at) VALUES (?, ?, 1, 0, 1)',
      ).bind(user.id, other),
    ])
    await visitor.submit(changePath, { oldpassword: goodPassword, ...twice(better) })
    expect((await mailTo(other, 'Password Changed')).text).toContain('If this was not you')
  })

  it.each([
    ['a wrong old one', { oldpassword: 'not the password', ...twice(better) }, 'Please type your current password.'],
    ['no old one', { oldpassword: '', ...twice(better) }, 'Please type your current password.'],
    [
      'one mistyped',
      { oldpassword: goodPassword, password1: better, password2: 'x' },
      'You must type the same password each time.',
    ],
    ['a short one', { oldpassword: goodPassword, ...twice('short') }, 'at least 10 characters'],
    ['a common one', { oldpassword: goodPassword, ...twice('1q2w3e4r5t') }, 'This password is too common.'],
  ])('is refused with %s', async (_what, fields, message) => {
    const { user, visitor } = await person()
    const response = await visitor.submit(changePath, fields)
    expect(response.status).toBe(422)
    expect((await visitor.read(response)).html).toContain(message)
    expect(await logsIn(user.username, goodPassword)).toBe(true)
  })

  it('changes nothing if it fails halfway', async () => {
    const { user, visitor } = await person()
    await env.DB.prepare(
      "CREATE TRIGGER fails BEFORE UPDATE OF expires_at ON session BEGIN SELECT RAISE(ABORT, 'full'); END",
    ).run()
    const response = await visitor.submit(changePath, { oldpassword: goodPassword, ...twice(better) })
    await env.DB.prepare('DROP TRIGGER fails').run()
    expect(response.status).toBe(500)
    expect([await logsIn(user.username, better), await logsIn(user.username, goodPassword)]).toEqual([false, true])
  })

  it('changes nothing if its notice cannot be stored', async () => {
    const { user, visitor } = await person()
    const fields = { oldpassword: goodPassword, ...twice(better) }
    expect((await whileMailsFail(() => visitor.submit(changePath, fields))).status).toBe(500)
    expect([await logsIn(user.username, better), await logsIn(user.username, goodPassword)]).toEqual([false, true])
  })

  it('is limited to five attempts a minute', async () => {
    const { visitor } = await person()
    const statuses: number[] = []
    for (let guess = 0; guess < 6; guess += 1)
      statuses.push((await visitor.submit(changePath, { oldpassword: 'guess', ...twice(better) })).status)
    expect(statuses).toEqual([422, 422, 422, 422, 422, 429])
  })

  it('redirects users without a password to setting one, and vice versa', async () => {
    const { user, visitor } = await person({ password: false })
    expect((await visitor.get(changePath)).headers.get('location')).toBe(setPath)
    expect((await visitor.see(setPath)).html).toContain('autoComplete="new-password"')
    const elsewhere = await Visitor.loggedInAs(user)
    const response = await visitor.submit(setPath, twice(better))
    expect([response.status, response.headers.get('location')]).toEqual([303, '/accounts/'])
    expect((await visitor.see('/accounts/')).data.context.messages[0]?.message).toBe('Password successfully set.')
    expect([await isLoggedIn(visitor), await isLoggedIn(elsewhere)]).toEqual([true, false])
    expect((await mailTo(user.email, 'Password Set')).text).toContain('A password was set')
    expect((await visitor.get(setPath)).headers.get('location')).toBe(changePath)
    expect(await logsIn(user.username, better)).toBe(true)
  })

  it('rejects an invalid first password, and requires a recent login', async () => {
    const { user, visitor } = await person({ password: false })
    expect((await visitor.submit(setPath, twice('short'))).status).toBe(422)
    await env.DB.prepare('UPDATE session SET authenticated_at = 0 WHERE user_id = ?').bind(user.id).run()
    const response = await visitor.submit(setPath, twice(better))
    expect(response.headers.get('location')).toMatch(
      /^\/accounts\/reauthenticate\/\?next=%2Faccounts%2Fpassword%2Fset%2F/,
    )
    const { results } = await env.DB.prepare('SELECT * FROM waiting_form').all()
    expect(JSON.stringify(results)).not.toContain(better)
  })
})

describe('a password form sent twice', () => {
  const forms = [
    ['changed', changePath, {}, 'Password successfully changed.'],
    ['set', setPath, { password: false }, 'Password successfully set.'],
  ] as const

  for (const [what, path, options, message] of forms)
    it.each(presses)(`is answered alike by %s, which stays logged in: ${what}`, async (_how, press) => {
      const { user, visitor } = await person(options)
      const [answers, second] = await press(visitor, path, { oldpassword: goodPassword, ...twice(better) })
      expect(answers.map(({ status, headers }) => [status, headers.get('location')])).toEqual([
        [303, '/accounts/'],
        [303, '/accounts/'],
      ])
      const { data } = await second.see('/accounts/')
      expect([data.context.user.is_authenticated, data.context.messages[0]?.message]).toEqual([true, message])
      expect(await logsIn(user.username, better)).toBe(true)
    })

  it('leaves the new cookie alone in an answer to the old one, which logs no one in', async () => {
    const { visitor } = await person()
    const old = `session=${visitor.cookies.get('session')}`
    await visitor.submit(changePath, { oldpassword: goodPassword, ...twice(better) })
    const late = await visitor.get('/accounts/', { cookie: old })
    expect([late.status, late.headers.getSetCookie().filter((cookie) => cookie.startsWith('session='))]).toEqual([
      302,
      [],
    ])
  })

  it.each([
    ['with another password', 'no password of theirs', 0],
    ['after a minute', better, 61_000],
  ])('is refused %s', async (_when, password, age) => {
    const { user, visitor } = await person()
    const [cookie, csrf_token] = [`session=${visitor.cookies.get('session')}`, visitor.csrfToken]
    await visitor.submit(changePath, { oldpassword: goodPassword, ...twice(better) })
    await env.DB.prepare('UPDATE session SET expires_at = expires_at - ? WHERE user_id = ?').bind(age, user.id).run()
    const fields = { csrf_token, oldpassword: goodPassword, ...twice(password) }
    const answer = await new Visitor().submit(changePath, fields, { cookie })
    expect([answer.status, answer.headers.getSetCookie().filter((set) => /^session=\w/.test(set))]).toEqual([401, []])
  })

  it('is refused where every session was ended in the meantime', async () => {
    const { user, visitor } = await person()
    const [cookie, csrf_token] = [`session=${visitor.cookies.get('session')}`, visitor.csrfToken]
    await visitor.submit(changePath, { oldpassword: goodPassword, ...twice(better) })
    await env.DB.prepare('DELETE FROM session WHERE user_id = ?').bind(user.id).run()
    const fields = { csrf_token, oldpassword: goodPassword, ...twice(better) }
    expect((await new Visitor().submit(changePath, fields, { cookie })).status).toBe(401)
  })
})
