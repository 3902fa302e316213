import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { newcomer, presses, loginStatus, signUp } from '../worker/account-people.ts'
import { placeOf } from '../worker/discord-people.ts'
import { expectNotFaster } from '../worker/durations.ts'
import { linkIn, mailsTo, mailTo, writtenTo, waitOutLink } from '../worker/mailbox.ts'
import { addUser, goodPassword, Visitor } from '../worker/visitor.ts'

const path = '/accounts/signup/'

describe('sign-up', () => {
  it('emails a link that confirms the address only on POST; then the user can log in', async () => {
    const person = newcomer()
    const { visitor, response } = await signUp(person)
    expect([response.status, response.headers.get('location')]).toEqual([303, '/accounts/confirm-email/'])
    const sent = await visitor.see('/accounts/confirm-email/')
    expect(sent.html).toContain('Verify Your Email Address')
    expect(sent.html).toContain('We have sent an email to you.')
    expect(sent.data.context.messages).toEqual([
      { level_tag: 'info', message: `Confirmation email sent to ${person.email}.` },
    ])
    expect(visitor.cookies.has('session')).toBe(false)

    const mail = await mailTo(person.email, '[Class Cords] Please Confirm Your Email Address')
    const link = linkIn(mail, '/accounts/confirm-email/')
    expect(mail.html).toContain(`href="${env.APP_URL}${link}"`)
    expect(await loginStatus(person.username)).toEqual([303, '/accounts/confirm-email/', false])

    const shown = await visitor.see(link)
    expect(shown.html).toContain(person.email)
    expect(shown.html).toContain(`of the user ${person.username}`)
    expect(await loginStatus(person.username)).toEqual([303, '/accounts/confirm-email/', false])

    const done = await visitor.submit(link, {})
    expect([done.status, done.headers.get('location')]).toEqual([303, '/accounts/login/'])
    expect((await visitor.see('/accounts/login/')).data.context.messages).toEqual([
      { level_tag: 'success', message: `You have confirmed ${person.email}.` },
    ])
    expect(await loginStatus(person.email)).toEqual([303, '/', true])
    expect((await mailTo(person.email, 'Email Confirmation')).text).toContain('If this was not you')
  })

  it('includes no text typed by a stranger in the email', async () => {
    const person = newcomer({ username: `www.evil-${Date.now()}.com` })
    await signUp(person)
    const { subject, text, html } = await mailTo(person.email, 'Please Confirm')
    expect(subject + text + html).not.toContain('evil')
  })

  it('emails another link when an unconfirmed user logs in, or says that none was sent', async () => {
    const person = newcomer()
    await signUp(person)
    const messageAfter = async (page: string, fields: Record<string, string>) => {
      const visitor = new Visitor()
      await visitor.see(page)
      expect((await visitor.submit(page, fields)).headers.get('location')).toBe('/accounts/confirm-email/')
      return (await visitor.see('/accounts/confirm-email/')).data.context.messages[0]?.message
    }
    const { username } = person
    const login = { login: username, password: goodPassword }
    expect(await messageAfter('/accounts/login/', login)).toContain('no other one was sent')
    await waitOutLink(person.email)
    expect(await messageAfter('/accounts/login/', login)).toBe(`Confirmation email sent to ${person.email}.`)
    await waitOutLink(person.email)
    const tracker = { username, password: goodPassword }
    expect(await messageAfter('/class_tracker/login_view/', tracker)).toBe(
      `Confirmation email sent to ${person.email}.`,
    )
    expect(await writtenTo(person.email)).toEqual(['confirm_address', 'confirm_address', 'confirm_address'])
  })

  it('fills in the address from its URL, and redirects logged-in users', async () => {
    expect((await new Visitor().see(`${path}?email=a%22b@example.org`)).html).toContain('value="a&quot;b@example.org"')
    const visitor = await Visitor.loggedInAs(await addUser())
    const response = await visitor.get(`${path}?next=/classcords/`)
    expect([response.status, response.headers.get('location')]).toEqual([302, '/classcords/'])
  })

  it.each([
    ['a bad address', { email: 'nobody' }, 'Enter a valid email address.'],
    ['a line break in the address', { email: 'a@example.org\r\nBcc: b@example.org' }, 'Enter a valid email address.'],
    ['two addresses', { email: 'a@example.org,b@example.org' }, 'Enter a valid email address.'],
    ['an overlong address', { email: `${'a'.repeat(60)}@${'b'.repeat(250)}.org` }, 'Enter a valid email address.'],
    ['a name with spaces', { username: 'two words' }, 'A username has 1 to 150'],
    ['a name in look-alike letters', { username: 'аdmin' }, 'A username has 1 to 150'],
    ['an overlong name', { username: 'x'.repeat(151) }, 'A username has 1 to 150'],
    ['a short password', { password1: 'short', password2: 'short' }, 'at least 10 characters'],
    ['a common password', { password1: 'Password123', password2: 'Password123' }, 'too common'],
    ['an overlong password', { password1: 'x'.repeat(257), password2: 'x'.repeat(257) }, 'at most 256 characters'],
    ['a mistyped password', { password2: 'something else' }, 'You must type the same password each time.'],
    [
      'a password like the name',
      { username: 'galileo-galilei', password1: 'galileo-galilei', password2: 'galileo-galilei' },
      'too similar to the username',
    ],
  ])('refuses %s and shows the form again, filled in', async (_what, fields, message) => {
    const asked = newcomer(fields as Record<string, string>)
    const { visitor, response } = await signUp(asked)
    expect(response.status).toBe(422)
    const { html } = await visitor.read(response)
    expect(html).toContain(message)
    expect(html).toContain(`value="${asked.username}"`)
    expect(html).not.toContain(goodPassword)
    expect(await env.DB.prepare('SELECT id FROM user WHERE username = ?').bind(asked.username).first()).toBeNull()
  })

  it.each([
    ['one written on another keyboard', 'Zu\u0308rich ﬁne pass', 'Z\u00fcrich fine pass'],
    ['emoji', '🔑🔒🔓🗝️🚪🏠🪟🧱🪜🧰', '🔑🔒🔓🗝️🚪🏠🪟🧱🪜🧰'],
    ['a zero character', 'a\u0000b c passwords', 'a\u0000b c passwords'],
    ['256 characters', 'é'.repeat(256), 'é'.repeat(256)],
    ['256 characters of two code units each', '🔑'.repeat(256), '🔑'.repeat(256)],
    ['letters with separate accents', 'e\u0301'.repeat(200), 'e\u0301'.repeat(200)],
  ])('accepts a password with unusual characters: %s', async (_what, chosen, typed) => {
    const person = newcomer({ password1: chosen, password2: chosen })
    expect((await signUp(person)).response.status).toBe(303)
    expect((await loginStatus(person.username, typed))[1]).toBe('/accounts/confirm-email/')
  })

  it('rejects a taken name in any letter case, and gives it to one of two simultaneous requests', async () => {
    const { username } = await addUser()
    expect((await signUp(newcomer({ username: username.toUpperCase() }))).response.status).toBe(422)
    const same = newcomer()
    const both = await Promise.all([signUp(same), signUp({ ...same, email: `other-${same.email}` })])
    expect(both.map(({ response }) => response.status).toSorted()).toEqual([303, 422])
  })

  it.each(presses)('answers %s like the first, and mails one link', async (_what, press) => {
    const person = newcomer()
    const visitor = new Visitor()
    await visitor.see(path)
    const [answers, second] = await press(visitor, path, person)
    expect(answers.map(placeOf)).toEqual([
      [303, '/accounts/confirm-email/'],
      [303, '/accounts/confirm-email/'],
    ])
    expect(await writtenTo(person.email)).toEqual(['confirm_address'])
    expect(second.cookies.has('session')).toBe(false)
    // Also if the first answer never arrived, this is the browser that signed up.
    const link = linkIn(await mailTo(person.email, 'Please Confirm'), '/accounts/confirm-email/')
    expect((await second.see(link)).html).not.toContain('type="password"')
  })

  it.each([
    ['another password', { password1: 'some other password', password2: 'some other password' }],
    ['another address', { email: 'somebody-else@example.org' }],
  ])('with a name that was just taken is refused with %s', async (_what, fields) => {
    const person = newcomer()
    await signUp(person)
    const { visitor, response } = await signUp({ ...person, ...fields })
    expect(response.status).toBe(422)
    expect((await visitor.read(response)).html).toContain('A user with that username already exists.')
    expect(visitor.cookies.has('browser')).toBe(false)
  })

  it.each([
    ['minutes later', 'UPDATE user SET created_at = created_at - 300000 WHERE username = ?'],
    [
      'once the address is confirmed',
      'UPDATE email_address SET verified_at = 1 WHERE user_id = (SELECT id FROM user WHERE username = ?)',
    ],
    ['of a disabled account', 'UPDATE user SET is_active = 0 WHERE username = ?'],
  ])('is refused with the same name, address and password %s', async (_when, statement) => {
    const person = newcomer()
    await signUp(person)
    await env.DB.prepare(statement).bind(person.username).run()
    expect((await signUp(person)).response.status).toBe(422)
  })

  it('counts passwords for a name that was just taken like failed logins', async () => {
    const person = newcomer()
    await signUp(person)
    for (let guess = 0; guess < 5; guess += 1) {
      const guessed = `some guess number ${guess}`
      expect((await signUp({ ...person, password1: guessed, password2: guessed })).response.status).toBe(422)
    }
    expect((await signUp(person)).response.status).toBe(422)
    expect((await loginStatus(person.username))[0]).toBe(429)
  })

  it('does not reveal that an address has an account, and notifies its owner', async () => {
    const owner = await addUser()
    const [taken, free] = [newcomer({ email: owner.email.toUpperCase() }), newcomer()]
    const answers = await Promise.all(
      [taken, free].map(async (fields) => {
        const { visitor, response } = await signUp(fields)
        const page = await visitor.see('/accounts/confirm-email/')
        const again = await signUp({ ...fields, email: `x-${fields.email}` })
        const logIn = await loginStatus(fields.username)
        return [
          response.status,
          response.headers.get('location'),
          [...response.headers.keys()].toSorted(),
          page.data.context.messages.map(({ message }) => message.replace(fields.email, 'X')),
          again.response.status,
          logIn,
        ]
      }),
    )
    expect(answers[0]).toEqual(answers[1])
    const mail = await mailTo(owner.email, '[Class Cords] Account Already Exists')
    expect(mail.text).toContain('/accounts/password/reset/')
    expect(await mailsTo(taken.email)).toEqual([])
  })

  it('takes as long for an address with an account', async () => {
    const timed = async (fields: Record<string, string>) => {
      const visitor = new Visitor()
      await visitor.see(path)
      const startedAt = performance.now()
      expect((await visitor.submit(path, fields)).status).toBe(303)
      return performance.now() - startedAt
    }
    await timed(newcomer())
    await expectNotFaster(
      async () => timed(newcomer({ email: (await addUser()).email })),
      () => timed(newcomer()),
    )
  })

  it('blocks the 21st attempt within a minute from one address, and shows the form again', async () => {
    const visitor = new Visitor()
    await visitor.see(path)
    const bad = newcomer({ email: 'nobody' })
    for (let count = 0; count < 20; count += 1) expect((await visitor.submit(path, bad)).status).toBe(422)
    const response = await visitor.submit(path, bad)
    expect(response.status).toBe(429)
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await visitor.read(response)).html).toContain(`value="${bad.username}"`)
  })
})
