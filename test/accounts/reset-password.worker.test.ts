import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { makeResetKey } from '../../src/accounts/password/password-resets.ts'
import { writeTogether } from '../../src/db/query.ts'
import { isLoggedIn, presses, logsIn } from '../worker/account-people.ts'
import { placeOf } from '../worker/discord-people.ts'
import { expectSameForUnknown } from '../worker/same-answer.ts'
import { linkIn, mailsTo, mailTo, waitOut, writtenTo } from '../worker/mailbox.ts'
import { addUser, goodPassword, Visitor } from '../worker/visitor.ts'

const changePath = '/accounts/password/change/'
const resetPath = '/accounts/password/reset/'
const better = 'a much better password'
const twice = (password: string) => ({ password1: password, password2: password })

async function askReset(email: string, visitor = new Visitor()) {
  await visitor.see(resetPath)
  return { visitor, response: await visitor.submit(resetPath, { email }) }
}

async function resetLink(email: string) {
  await waitOut('reset-password-of', email)
  const { visitor } = await askReset(email)
  return { visitor, link: linkIn(await mailTo(email, 'Password Reset Email'), '/accounts/password/reset/key/') }
}

/** Opens a reset link as a browser does; returns the address of the form. */
async function opened(visitor: Visitor, link: string): Promise<string> {
  const response = await visitor.get(link)
  const form = response.headers.get('location') ?? ''
  await visitor.see(form)
  return form
}

describe('password reset', () => {
  it('says that it removes what was set up before, where a link claims an account that was never confirmed', async () => {
    const user = await addUser()
    await env.DB.prepare('UPDATE email_address SET verified_at = NULL WHERE user_id = ?').bind(user.id).run()
    const { path, adding } = await makeResetKey({ id: user.id, last_login_at: null, address: user.email }, Date.now())
    await writeTogether(env.DB, [adding])
    const visitor = new Visitor()
    const form = await opened(visitor, path)
    expect((await visitor.see(form)).html).toContain(
      'everything set up before is removed: the old password, sessions, connected accounts, other email addresses and two-factor authentication.',
    )
    const confirmed = await resetLink((await addUser()).email)
    expect((await visitor.see(await opened(visitor, confirmed.link))).html).not.toContain('is removed')
  })

  it('accepts a mailed link once, and removes its key from the URL', async () => {
    const user = await addUser()
    const elsewhere = await Visitor.loggedInAs(user)
    const { visitor, response } = await askReset(user.email.toUpperCase())
    expect([response.status, response.headers.get('location')]).toEqual([303, '/accounts/password/reset/done/'])
    expect((await visitor.see('/accounts/password/reset/done/')).html).toContain('We have sent you an email.')
    const mail = await mailTo(user.email, '[Class Cords] Password Reset Email')
    expect(mail.text).toContain(user.username)
    const link = linkIn(mail, '/accounts/password/reset/key/')
    expect(link).toMatch(new RegExp(`/key/${user.id.toString(36)}-[\\w-]{43}/$`))
    const first = await visitor.get(link)
    const form = first.headers.get('location') ?? ''
    expect([first.status, form]).toEqual([302, `/accounts/password/reset/key/${user.id.toString(36)}-set-password/`])
    expect(first.headers.getSetCookie().find((cookie) => cookie.startsWith('reset='))).toMatch(/HttpOnly; SameSite=Lax/)
    expect((await visitor.see(form)).html).toContain(user.username)
    expect((await new Visitor().get(form)).status).toBe(404)

    expect((await visitor.submit(form, twice('short'))).status).toBe(422)
    const done = await visitor.submit(form, twice(better))
    expect([done.status, done.headers.get('location')]).toEqual([303, '/accounts/password/reset/key/done/'])
    const said = await visitor.see('/accounts/password/reset/key/done/')
    expect(said.html).toContain('Your password is now changed.')
    expect(said.data.context.messages[0]?.message).toBe('Password successfully changed.')
    expect([await isLoggedIn(visitor), await isLoggedIn(elsewhere)]).toEqual([false, false])
    expect((await mailTo(user.email, '[Class Cords] Password Reset')).subject).toMatch(/Password Reset( Email)?$/)
    expect(await writtenTo(user.email)).toEqual(['password_reset', 'password_was_reset'])
    for (const path of [link, form]) {
      const again = await visitor.see(path)
      expect(again.response.status).toBe(404)
      expect(again.html).toContain('possibly because it has already been used')
    }
    expect(await logsIn(user.username, better)).toBe(true)
  })

  it('unlocks an account that was locked by wrong guesses', async () => {
    const user = await addUser()
    for (const login of [user.username, user.email]) {
      for (let guess = 0; guess < 5; guess += 1) expect(await logsIn(login, 'a wrong guess')).toBe(false)
      expect(await logsIn(login, goodPassword)).toBe(false)
    }
    const { visitor, link } = await resetLink(user.email)
    await visitor.submit(await opened(visitor, link), twice(better))
    expect(await logsIn(user.username, better)).toBe(true)
    expect(await logsIn(user.email, better)).toBe(true)
  })

  it.each([
    ['a login', async (user: { username: string }) => void (await logsIn(user.username, goodPassword))],
    [
      'a change of password',
      async (user: { id: number }) => {
        const visitor = await Visitor.loggedInAs(user)
        await env.DB.prepare(
          'UPDATE password_reset SET signed_in_at = (SELECT last_sign_in_at FROM user WHERE id = user_id)',
        ).run()
        await visitor.see(changePath)
        expect((await visitor.submit(changePath, { oldpassword: goodPassword, ...twice(better) })).status).toBe(303)
      },
    ],
    [
      'three days',
      async () => void (await env.DB.prepare('UPDATE password_reset SET expires_at = expires_at - 259200000').run()),
    ],
    [
      'the account being disabled',
      async (user: { id: number }) =>
        void (await env.DB.prepare('UPDATE user SET is_active = 0 WHERE id = ?').bind(user.id).run()),
    ],
  ])('stops working after %s', async (_what, happens) => {
    const user = await addUser()
    const { visitor, link } = await resetLink(user.email)
    const form = await opened(visitor, link)
    await happens(user)
    expect((await visitor.submit(form, twice('yet another password'))).status).toBe(404)
    expect((await visitor.get(link)).status).toBe(404)
  })

  it('succeeds for one of two simultaneous requests', async () => {
    const user = await addUser()
    const { visitor, link } = await resetLink(user.email)
    const form = await opened(visitor, link)
    const answers = await Promise.all([
      visitor.submit(form, twice(better)),
      visitor.submit(form, twice('another password')),
    ])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 404])
  })

  it.each(presses)('answers %s with the same password like the first, and resets once', async (_what, press) => {
    const user = await addUser()
    const { visitor, link } = await resetLink(user.email)
    const form = await opened(visitor, link)
    const [answers, second] = await press(visitor, form, twice(better))
    expect(answers.map(placeOf)).toEqual([
      [303, '/accounts/password/reset/key/done/'],
      [303, '/accounts/password/reset/key/done/'],
    ])
    expect([second.cookies.has('session'), second.cookies.has('reset')]).toEqual([false, false])
    expect(await writtenTo(user.email)).toEqual(['password_reset', 'password_was_reset'])
    const key = link.split('-').slice(1).join('-').replace('/', '')
    second.cookies.set('reset', key)
    expect((await second.submit(form, twice('another password'))).status).toBe(404)
    expect((await second.get(form)).status).toBe(404)
    expect(await logsIn(user.username, better)).toBe(true)
    await env.DB.prepare('UPDATE password_reset SET used_at = used_at - 60000').run()
    expect((await second.submit(form, twice(better))).status).toBe(404)
  })

  it('counts passwords that are sent with a used link like failed logins', async () => {
    const user = await addUser()
    const { visitor, link } = await resetLink(user.email)
    const form = await opened(visitor, link)
    const key = visitor.cookies.get('reset') ?? ''
    await visitor.submit(form, twice(better))
    visitor.cookies.set('reset', key)
    for (let guess = 0; guess < 5; guess += 1)
      expect((await visitor.submit(form, twice(`some guess number ${guess}`))).status).toBe(404)
    expect((await visitor.submit(form, twice(better))).status).toBe(404)
    expect(await logsIn(user.username, better)).toBe(false)
  })

  it('keeps the link valid if the new password cannot be stored', async () => {
    const user = await addUser()
    const { visitor, link } = await resetLink(user.email)
    const form = await opened(visitor, link)
    const fails = "CREATE TRIGGER fails BEFORE UPDATE OF password_hash ON user BEGIN SELECT RAISE(ABORT, 'full'); END"
    await env.DB.prepare(fails).run()
    const failed = await visitor.submit(form, twice(better))
    await env.DB.prepare('DROP TRIGGER fails').run()
    expect(failed.status).toBe(500)
    expect((await visitor.submit(form, twice(better))).status).toBe(303)
    expect(await logsIn(user.username, better)).toBe(true)
  })

  it('accepts only keys that were issued, for their own user', async () => {
    const [user, other] = [await addUser(), await addUser()]
    const { visitor, link } = await resetLink(user.email)
    const key = link.split('-').slice(1).join('-')
    for (const uid of [other.id.toString(36), '0', '-1', 'zzzzzzzzzzzzzz', "1'"]) {
      expect((await visitor.get(`/accounts/password/reset/key/${uid}-${key}`)).status).toBe(404)
    }
    for (const bad of ['x', 'x-y', `${user.id.toString(36)}-${'A'.repeat(43)}`, '%00-%00', 'set-password']) {
      const { response, html } = await visitor.see(`/accounts/password/reset/key/${bad}/`)
      expect(response.status).toBe(404)
      expect(html).toContain('Bad Token')
    }
    const { results } = await env.DB.prepare('SELECT * FROM password_reset').all()
    expect(JSON.stringify(results)).not.toContain(key.replace('/', ''))
  })

  it('answers the same, in the same time, for an unknown address, and emails a note to it', async () => {
    const nobody = await expectSameForUnknown({
      path: resetPath,
      masked: ({ html }) => html.replace(/"csrf_token":"[^"]*"/, ''),
    })
    expect((await mailTo(nobody, '[Class Cords] Unknown Account')).text).toContain('/accounts/signup/')
  })

  it("always points to the configured site, whatever the request's host", async () => {
    const user = await addUser()
    const visitor = new Visitor()
    visitor.origin = 'https://evil.example'
    await visitor.see(resetPath)
    await visitor.submit(
      resetPath,
      { email: user.email },
      { 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' },
    )
    const mail = await mailTo(user.email, 'Password Reset Email')
    expect(mail.text + mail.html).not.toContain('evil.example')
    expect(linkIn(mail, '/accounts/password/reset/key/')).toMatch(/^\/accounts\//)
  })

  it('never emails an address that was merely added', async () => {
    const user = await addUser()
    const added = `added-by-${user.username}@example.net`
    await env.DB.prepare('INSERT INTO email_address (user_id, address, created_at) VALUES (?, ?, 0)')
      .bind(user.id, added)
      .run()
    await askReset(added)
    expect((await mailTo(added, '')).subject).toContain('Unknown Account')
  })

  it('emails nothing to the account of a look-alike address', async () => {
    const user = await addUser()
    const lookalike = user.email.replace('user', 'uſer')
    await askReset(lookalike)
    expect(await writtenTo(user.email)).toEqual([])
    expect(await writtenTo(lookalike)).toEqual(['unknown_account'])
  })

  it('rejects invalid addresses and limits requests', async () => {
    const { visitor, response } = await askReset('a@example.net\r\nBcc: b@example.net')
    expect(response.status).toBe(422)
    const user = await addUser()
    const statuses: number[] = []
    for (let turn = 0; turn < 6; turn += 1) statuses.push((await askReset(user.email)).response.status)
    expect(statuses).toEqual([303, 303, 303, 303, 303, 429])
    for (let turn = 1; turn < 20; turn += 1)
      expect((await visitor.submit(resetPath, { email: 'nobody' })).status).toBe(422)
    const limited = await visitor.submit(resetPath, { email: 'kept@example.net' })
    expect(limited.status).toBe(429)
    expect((await visitor.read(limited)).html).toContain('value="kept@example.net"')
    expect((await mailsTo('kept@example.net')).length).toBe(0)
  })

  it('allows 20 attempts a minute with a key', async () => {
    const user = await addUser()
    const { visitor, link } = await resetLink(user.email)
    const form = await opened(visitor, link)
    for (let turn = 0; turn < 20; turn += 1) expect((await visitor.submit(form, twice('short'))).status).toBe(422)
    expect((await visitor.submit(form, twice(better))).status).toBe(429)
  })
})
