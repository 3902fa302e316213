import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { isLoggedIn, submitWith } from '../worker/account-people.ts'
import { expectSameForUnknown } from '../worker/same-answer.ts'
import { addUser, Visitor } from '../worker/visitor.ts'
import { mailsTo, mailTo, waitOut, whileMailsFail, writtenTo, type Mail } from '../worker/mailbox.ts'
import { rows } from '../worker/rows.ts'
import { failingAt, watchedDatabase } from '../worker/watched-database.ts'
import { until } from '../worker/world.ts'

const path = '/accounts/login/code/'
const confirmPath = '/accounts/login/code/confirm/'

const linkCodeIn = ({ text }: Mail): string => /\b[B-Z]{4}-[B-Z]{4}\b/.exec(text)?.[0] ?? ''

async function ask(email: string, next = '') {
  const visitor = new Visitor()
  await visitor.see(path)
  const response = await visitor.submit(path, { email, next })
  if (response.status === 303) await visitor.see(confirmPath)
  return { visitor, response }
}

async function withCode(next = '') {
  const user = await addUser()
  const { visitor } = await ask(user.email, next)
  return { user, visitor, code: linkCodeIn(await mailTo(user.email, '[Class Cords] Sign-In Code')) }
}

const wrong = (code: string) => (code.startsWith('B') ? `C${code.slice(1)}` : `B${code.slice(1)}`)

describe('login by code', () => {
  it('accepts a mailed code of eight consonants once, in the requesting browser only', async () => {
    const { user, visitor, code } = await withCode('/classcords/')
    expect(code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
    const stranger = new Visitor()
    await stranger.see(path)
    expect((await stranger.submit(confirmPath, { code })).headers.get('location')).toBe(path)
    const response = await visitor.submit(confirmPath, { code })
    expect([response.status, response.headers.get('location')]).toEqual([303, '/classcords/'])
    expect((await visitor.see('/')).data.context.messages[0]?.message).toBe(
      `Successfully signed in as ${user.username}.`,
    )
    expect(await isLoggedIn(visitor)).toBe(true)
  })

  it('does not outlive a password reset at the same moment', async () => {
    const { visitor, code } = await withCode()
    await env.DB.prepare(
      `CREATE TRIGGER resets AFTER UPDATE OF used_at ON sign_in_code BEGIN
        DELETE FROM session WHERE user_id = NEW.user_id;
        UPDATE user SET password_hash = 'of another password' WHERE id = NEW.user_id; END`,
    ).run()
    const response = await visitor.submit(confirmPath, { code })
    await env.DB.prepare('DROP TRIGGER resets').run()
    expect([response.status, response.headers.get('location')]).toEqual([303, '/accounts/login/'])
    const { data } = await visitor.see('/accounts/login/')
    expect(data.context.messages[0]?.message).toContain('Your account changed while you were logging in.')
    expect(data.context.user.is_authenticated).toBe(false)
  })

  it.each([
    ['small letters', (code: string) => code.toLowerCase()],
    ['no dash', (code: string) => code.replace('-', '')],
    ['spaces and dots', (code: string) => ` ${code.split('').join('. ')} `],
  ])('ignores %s', async (_what, typed) => {
    const { visitor, code } = await withCode()
    expect((await visitor.submit(confirmPath, { code: typed(code) })).headers.get('location')).toBe('/')
  })

  it('lets the browser autofill the code', async () => {
    const { visitor } = await withCode()
    const { html, data } = await visitor.see(confirmPath)
    expect(html).toContain('autoComplete="one-time-code"')
    expect(html).toMatch(/id="code"[^>]* autofocus=""/)
    expect(data.page).toBe('ConfirmLoginCode')
  })

  it('redirects to the login page without a pending code, and skips logged-in users', async () => {
    expect((await new Visitor().get(confirmPath)).headers.get('location')).toBe('/accounts/login/')
    const visitor = await Visitor.loggedInAs(await addUser())
    expect((await visitor.get(`${path}?next=/classcords/`)).headers.get('location')).toBe('/classcords/')
  })

  it('ends after three wrong codes, even for the right one', async () => {
    const { visitor, code } = await withCode()
    const cookie = visitor.cookies.get('code') ?? ''
    for (let guess = 0; guess < 2; guess += 1) {
      const refused = await visitor.submit(confirmPath, { code: wrong(code) })
      expect(refused.status).toBe(422)
      expect((await visitor.read(refused)).html).toContain('Incorrect code.')
    }
    const last = await visitor.submit(confirmPath, { code: wrong(code) })
    expect([last.status, last.headers.get('location')]).toEqual([303, path])
    expect((await visitor.see(path)).data.context.messages[0]?.message).toBe(
      'Too many failed login attempts. Try again later.',
    )
    expect(visitor.cookies.has('code')).toBe(false)
    visitor.cookies.set('code', cookie)
    expect((await visitor.submit(confirmPath, { code })).headers.get('location')).toBe(path)
    expect(await isLoggedIn(visitor)).toBe(false)
  })

  it('rejects a code whose address was removed while it was requested', async () => {
    const { user, visitor, code } = await withCode()
    const move = 'UPDATE email_address SET address = ? WHERE user_id = ?'
    await env.DB.prepare(move).bind(`kept.${user.email}`, user.id).run()
    expect((await visitor.submit(confirmPath, { code })).headers.get('location')).toBe(path)
    expect(await isLoggedIn(visitor)).toBe(false)
  })

  it.each([1, 2, 3, 4])('starts no session if the address is removed after database trip %i', async (trip) => {
    const { user, visitor, code } = await withCode()
    const move = () => rows('UPDATE email_address SET address = ? WHERE user_id = ?', `kept.${user.email}`, user.id)
    const after = async (present: number) => {
      if (present === trip) await move()
    }
    await submitWith({ DB: watchedDatabase({ after }) }, visitor, confirmPath, { code })
    expect(await rows('SELECT user_id FROM session WHERE user_id = ?', user.id)).toEqual([])
  })

  it('does not count a blank field as a guess', async () => {
    const { visitor, code } = await withCode()
    for (const blank of ['', '   ', '']) {
      const refused = await visitor.submit(confirmPath, { code: blank })
      expect(refused.status).toBe(422)
      expect((await visitor.read(refused)).html).toContain('This field is required.')
    }
    expect((await visitor.submit(confirmPath, { code })).headers.get('location')).toBe('/')
  })

  it('counts simultaneous guesses from many addresses', async () => {
    const { visitor, code } = await withCode()
    const answers = await Promise.all(
      Array.from({ length: 12 }, async (_, index) => {
        const helper = new Visitor()
        for (const [name, value] of visitor.cookies) helper.cookies.set(name, value)
        helper.csrfToken = visitor.csrfToken
        return helper.submit(confirmPath, { code: index < 11 ? wrong(code) : 'BBBB-BBBB' })
      }),
    )
    expect(answers.filter(({ status }) => status === 422).length).toBe(2)
    const after = await visitor.submit(confirmPath, { code })
    expect(after.headers.get('location')).toBe(path)
    expect(await isLoggedIn(visitor)).toBe(false)
  })

  /** A second request of the same browser, sent before the first was answered: it has the cookies of that time. */
  function twinOf(visitor: Visitor): Visitor {
    const twin = new Visitor()
    for (const [name, value] of visitor.cookies) twin.cookies.set(name, value)
    twin.csrfToken = visitor.csrfToken
    return twin
  }

  it('answers a second press like the first, because a browser may show only its answer', async () => {
    const { visitor, code } = await withCode()
    const [twin, late] = [twinOf(visitor), twinOf(visitor)]
    const answers = await Promise.all([visitor, twin].map((one) => one.submit(confirmPath, { code })))
    answers.push(await late.submit(confirmPath, { code }))
    expect(answers.map((answer) => answer.headers.get('location'))).toEqual(['/', '/', '/'])
    for (const one of [visitor, twin, late]) expect(await isLoggedIn(one)).toBe(true)
  })

  it('refuses a used code from another browser, after a minute, and after too many tries', async () => {
    const { user, visitor, code } = await withCode()
    const [guessing, late, other] = [twinOf(visitor), twinOf(visitor), (await ask(user.email)).visitor]
    const place = async (from: Visitor, typed: string) =>
      (await from.submit(confirmPath, { code: typed })).headers.get('location')
    expect(await place(visitor, code)).toBe('/')
    expect((await other.submit(confirmPath, { code })).status).toBe(422)
    const cookie = guessing.cookies.get('code') ?? ''
    for (let guess = 0; guess < 3; guess += 1) {
      expect(await place(guessing, wrong(code))).toBe(path)
      guessing.cookies.set('code', cookie)
    }
    expect(await place(guessing, code)).toBe(path)
    await env.DB.prepare('UPDATE sign_in_code SET used_at = used_at - 60000, tries = 1 WHERE user_id = ?')
      .bind(user.id)
      .run()
    expect(await place(late, code)).toBe(path)
    for (const one of [guessing, late, other]) expect(await isLoggedIn(one)).toBe(false)
  })

  it('expires after 180 s', async () => {
    const { visitor, code, user } = await withCode()
    await env.DB.prepare('UPDATE sign_in_code SET expires_at = expires_at - 180000 WHERE user_id = ?')
      .bind(user.id)
      .run()
    expect((await visitor.submit(confirmPath, { code })).headers.get('location')).toBe(path)
    expect((await visitor.see(path)).data.context.messages[0]?.message).toContain('expired')
  })

  it('replaces the code when it is resent; another resend costs a try', async () => {
    const { user, visitor, code } = await withCode()
    const codes = [code]
    for (let count = 2; count <= 3; count += 1) {
      await waitOut('request-code-of', user.email)
      expect((await visitor.submit(confirmPath, { action: 'resend' })).headers.get('location')).toBe(confirmPath)
      const mails = await until(
        () => mailsTo(user.email, 'Sign-In Code'),
        (found) => found.length === count,
        'another code',
      )
      codes.push(linkCodeIn(mails.at(-1) as Mail))
    }
    expect(new Set(codes).size).toBe(3)
    expect((await visitor.submit(confirmPath, { code: codes[1] ?? '' })).status).toBe(422)
    await waitOut('request-code-of', user.email)
    const refused = await visitor.read(await visitor.submit(confirmPath, { action: 'resend' }))
    expect(refused.response.status).toBe(422)
    expect(refused.html).toContain('We can’t send another code.')
    expect(refused.html).not.toContain('Incorrect code.')
    expect((await visitor.submit(confirmPath, { code: codes[2] ?? '' })).headers.get('location')).toBe('/')
    expect((await mailsTo(user.email, 'Sign-In Code')).length).toBe(3)
  })

  it('stays valid if the email with another one cannot be stored', async () => {
    const { visitor, code } = await withCode()
    expect((await whileMailsFail(() => visitor.submit(confirmPath, { action: 'resend' }))).status).toBe(500)
    expect((await visitor.submit(confirmPath, { code })).headers.get('location')).toBe('/')
  })

  it.each([1, 2, 3, 4, 5])('can be sent again if database trip %i of the login failed', async (trip) => {
    const { visitor, code } = await withCode()
    const failed = await submitWith({ DB: failingAt(trip, 'before') }, visitor, confirmPath, { code })
    expect([failed.status, failed.headers.getSetCookie()]).toEqual([500, []])
    expect((await visitor.submit(confirmPath, { code })).headers.get('location')).toBe('/')
    expect(await isLoggedIn(visitor)).toBe(true)
  })

  it('asks to wait when codes are requested too quickly', async () => {
    const { user, visitor } = await withCode()
    for (let turn = 0; turn < 2; turn += 1) expect((await ask(user.email)).response.status).toBe(303)
    await visitor.submit(confirmPath, { action: 'resend' })
    expect((await visitor.see(confirmPath)).data.context.messages.at(-1)?.message).toBe(
      'Be patient, you are sending too many requests.',
    )
    const fourth = await ask(user.email)
    expect(fourth.response.status).toBe(429)
    expect((await fourth.visitor.read(fourth.response)).html).toContain(`value="${user.email}"`)
  })

  it('is limited to 20 attempts a minute per client address', async () => {
    const visitor = new Visitor()
    await visitor.see(path)
    for (let turn = 0; turn < 20; turn += 1) expect((await visitor.submit(path, { email: 'nobody' })).status).toBe(422)
    expect((await visitor.submit(path, { email: 'somebody@example.net' })).status).toBe(429)
  })

  it('answers the same, in the same time, for an unknown address, and emails a note to it', async () => {
    const nobody = await expectSameForUnknown({
      path,
      masked: ({ html }, email) => html.replaceAll(email, 'X').replace(/value="[\w-]{43}"|"csrf_token":"[^"]*"/g, ''),
      afterwards: async (visitor) => {
        const guesses = []
        for (let guess = 0; guess < 3; guess += 1) {
          const answer = await visitor.submit(confirmPath, { code: 'BBBB-BBBB' })
          guesses.push([answer.status, answer.headers.get('location')])
        }
        return guesses
      },
    })
    expect((await mailTo(nobody, 'Unknown Account')).text).toContain('there is no such account')
    expect(await writtenTo(nobody)).toEqual(['unknown_account'])
  })

  it('goes to the stored spelling of an address, and the page shows the typed one', async () => {
    const user = await addUser()
    const typed = user.email.toUpperCase()
    const { visitor } = await ask(typed)
    expect((await visitor.see(confirmPath)).html).toContain(`If ${typed} belongs`)
    expect((await visitor.submit(confirmPath, { action: 'resend' })).headers.get('location')).toBe(confirmPath)
    const { html } = await visitor.see(confirmPath)
    expect([html.includes(typed), html.includes(user.email)]).toEqual([true, false])
    expect(await writtenTo(user.email)).toEqual(['sign_in_code', 'sign_in_code'])
  })

  it('stores no code that could be read or guessed from the database', async () => {
    const { visitor, code, user } = await withCode()
    const rows = JSON.stringify(
      (await env.DB.prepare('SELECT * FROM sign_in_code WHERE user_id = ?').bind(user.id).all()).results,
    )
    expect(rows).not.toContain(code.replace('-', ''))
    expect(rows).not.toContain(visitor.cookies.get('code') ?? '?')
    const { results } = await env.DB.prepare('SELECT sealed_body FROM mail WHERE user_id = ?').bind(user.id).all()
    expect(results).toEqual([{ sealed_body: null }])
  })

  it('always starts a new session', async () => {
    const [owner, { visitor, code }] = [await Visitor.loggedInAs(await addUser()), await withCode()]
    const planted = owner.cookies.get('session') ?? ''
    visitor.cookies.set('session', planted)
    await visitor.see('/accounts/')
    await visitor.submit(confirmPath, { code })
    expect(visitor.cookies.get('session')).not.toBe(planted)
    expect(await isLoggedIn(owner)).toBe(false)
  })

  it('rejects disabled accounts', async () => {
    const { user, visitor, code } = await withCode()
    await env.DB.prepare('UPDATE user SET is_active = 0 WHERE id = ?').bind(user.id).run()
    expect((await visitor.submit(confirmPath, { code })).headers.get('location')).toBe('/accounts/inactive/')
  })

  it('redirects only within this site', async () => {
    const { visitor, code } = await withCode('//evil.example')
    expect((await visitor.submit(confirmPath, { code })).headers.get('location')).toBe('/')
  })
})
