import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { linkIn, mailTo } from '../worker/mailbox.ts'
import { rows } from '../worker/rows.ts'
import { addUser, Visitor } from '../worker/visitor.ts'
import { world } from '../worker/world.ts'
import {
  connect,
  discordUsers,
  goThroughDiscord,
  people,
  type Persona,
  placeOf,
  deleteAllAccounts,
  usualPlace,
} from '../worker/discord-people.ts'

const path = '/accounts/3rdparty/signup/'
const taken =
  'An account already exists with this email address. Please sign in to that account first, then connect your Discord account.'

beforeEach(async () => {
  await deleteAllAccounts()
  await world.emptyOutbox()
})

async function atSignUp(persona: Persona): Promise<Visitor> {
  const visitor = new Visitor()
  expect(placeOf(await goThroughDiscord(visitor, persona, { next: '/classcords/all/' }))).toEqual([302, path])
  await visitor.see(path)
  return visitor
}

const count = (table: string) => env.DB.prepare(`SELECT count(*) AS n FROM ${table}`).first<number>('n')

describe('entering an address', () => {
  it.each([
    ['unverified', 'uma@example.com'],
    ['mailless', ''],
  ] as const)('is required of %s, with the address that Discord gave filled in', async (persona, value) => {
    const visitor = await atSignUp(persona)
    const { html, response } = await visitor.see(path)
    expect(response.status).toBe(200)
    expect(html).toContain('You are about to use your Discord account to login to')
    expect(/name="email"[^>]*value="([^"]*)"/.exec(html)?.[1]).toBe(value)
    expect(await count('user')).toBe(0)
  })

  it.each(['unverified', 'mailless'] as const)('signs %s in after they open the mailed link', async (persona) => {
    const visitor = await atSignUp(persona)
    const address = `${persona}.given@example.com`
    expect(placeOf(await visitor.submit(path, { email: address }))).toEqual([303, '/accounts/confirm-email/'])
    expect(visitor.cookies.has('session')).toBe(false)
    expect(await discordUsers()).toMatchObject([{ discord_id: people[persona].id }])
    expect(placeOf(await goThroughDiscord(visitor, persona))).toEqual([302, path])
    const mail = await mailTo(address)
    expect(mail.subject).toContain('Please Confirm Your Email Address')
    const link = /https?:\/\/\S+\/accounts\/confirm-email\/[\w-]+\//.exec(mail.text)?.[0] ?? ''
    const key = new URL(link).pathname
    await visitor.see(key)
    expect((await visitor.submit(key, {})).status).toBe(303)
    expect(placeOf(await goThroughDiscord(visitor, persona))).toEqual([302, usualPlace])
    expect((await visitor.see('/')).data.context.user.name).toBe(people[persona].name)
    await visitor.get(usualPlace)
    expect((await visitor.see('/')).data.context.messages.at(-1)?.message).toBe(
      `Welcome, ${people[persona].name}! Thanks for signing up via Discord.`,
    )
    expect(await discordUsers()).toMatchObject([{ login_count: 1 }])
  })

  it('answers a second press like the first, so that the browser is known when only its answer arrives', async () => {
    const visitor = await atSignUp('mailless')
    const email = 'mika.twice@example.com'
    const second = Object.assign(new Visitor(), { csrfToken: visitor.csrfToken })
    for (const [name, value] of visitor.cookies) second.cookies.set(name, value)
    expect(placeOf(await visitor.submit(path, { email }))).toEqual([303, '/accounts/confirm-email/'])
    expect(placeOf(await second.submit(path, { email }))).toEqual([303, '/accounts/confirm-email/'])
    expect(await count('user')).toBe(1)
    const key = linkIn(await mailTo(email), '/accounts/confirm-email/')
    expect((await second.see(key)).html).not.toContain('type="password"')
    expect((await second.submit(key, {})).status).toBe(303)
    expect(placeOf(await goThroughDiscord(second, 'mailless'))).toEqual([302, usualPlace])
    expect(await count('user')).toBe(1)
  })

  it.each(['discord_user', 'mail'])('can be sent again if it failed at the table %s', async (table) => {
    const visitor = await atSignUp('unverified')
    await rows(`CREATE TRIGGER fails BEFORE INSERT ON ${table} BEGIN SELECT RAISE(ABORT, 'full'); END`)
    expect((await visitor.submit(path, { email: 'again@example.com' })).status).toBe(500)
    await rows('DROP TRIGGER fails')
    // Minutes later.
    await rows('UPDATE discord_sign_up SET expires_at = expires_at - 300000')
    const answer = await visitor.submit(path, { email: 'again@example.com' })
    expect(placeOf(answer)).toEqual([303, '/accounts/confirm-email/'])
    expect((await mailTo('again@example.com')).subject).toContain('Please Confirm Your Email Address')
  })

  it('does not log in a user with an unconfirmed address, however often they return', async () => {
    const visitor = await atSignUp('unverified')
    await visitor.submit(path, { email: 'uma@example.com' })
    expect(placeOf(await goThroughDiscord(visitor, 'unverified'))).toEqual([302, path])
    expect(visitor.cookies.has('session')).toBe(false)
  })

  it('allows a correction, which invalidates the first link', async () => {
    const visitor = await atSignUp('unverified')
    await visitor.submit(path, { email: 'typo@example.com' })
    const key = new URL(
      /https?:\/\/\S+\/confirm-email\/[\w-]+\//.exec((await mailTo('typo@example.com')).text)?.[0] ?? '',
    )
    expect(placeOf(await goThroughDiscord(visitor, 'unverified'))).toEqual([302, path])
    expect((await visitor.see(path)).html).toContain('value="typo@example.com"')
    const answer = await visitor.submit(path, { email: 'right@example.com' })
    expect(placeOf(answer)).toEqual([303, '/accounts/confirm-email/'])
    const { results } = await env.DB.prepare('SELECT address, verified_at, is_primary FROM email_address').all()
    expect(results).toEqual([{ address: 'right@example.com', verified_at: null, is_primary: 1 }])
    await visitor.see('/')
    expect((await visitor.submit(key.pathname, {})).status).toBe(404)
    expect(await count('user')).toBe(1)
  })

  it('does not change an address that was confirmed in the meantime', async () => {
    const visitor = await atSignUp('unverified')
    await visitor.submit(path, { email: 'first@example.com' })
    await goThroughDiscord(visitor, 'unverified')
    await visitor.see(path)
    await env.DB.prepare('UPDATE email_address SET verified_at = 1').run()
    await visitor.submit(path, { email: 'second@example.com' })
    const { results } = await env.DB.prepare('SELECT address FROM email_address').all()
    expect(results).toEqual([{ address: 'first@example.com' }])
  })

  it('uses the address that Discord has verified since', async () => {
    const visitor = await atSignUp('mailless')
    await visitor.submit(path, { email: 'mika@example.com' })
    await env.DB.prepare('UPDATE discord_user SET discord_id = ?').bind(people.newcomer.id).run()
    expect(placeOf(await goThroughDiscord(visitor, 'newcomer'))).toEqual([302, usualPlace])
    const { results } = await env.DB.prepare('SELECT email FROM user').all()
    expect(results).toEqual([{ email: people.newcomer.email }])
  })

  it.each(['', 'x', 'a@b', 'a@b.', 'a b@c.de', 'a@b.de\r\nBcc: c@d.ef', `${'a'.repeat(300)}@b.de`])(
    'rejects %j and shows it again',
    async (email) => {
      const visitor = await atSignUp('mailless')
      const { response, html } = await visitor.read(await visitor.submit(path, { email }))
      expect(response.status).toBe(422)
      expect(html).toContain('Enter a valid email address.')
      expect(await count('user')).toBe(0)
    },
  )
})

describe('an address that already has an account', () => {
  it('opens no account if Discord has not verified it', async () => {
    const owner = await addUser({ username: 'uma', email: people.unverified.email ?? '' })
    const visitor = new Visitor()
    expect(placeOf(await goThroughDiscord(visitor, 'unverified'))).toEqual([302, '/accounts/3rdparty/signup/'])
    expect(visitor.cookies.has('session')).toBe(false)
    expect(await discordUsers()).toEqual([])
    const { n } = (await env.DB.prepare('SELECT count(*) AS n FROM session WHERE user_id = ?')
      .bind(owner.id)
      .first<{ n: number }>()) ?? { n: -1 }
    expect(n).toBe(0)
  })

  it('opens no account even if Discord has verified it', async () => {
    await addUser({ username: 'noor', email: 'NOOR@example.com' })
    const visitor = new Visitor()
    expect(placeOf(await goThroughDiscord(visitor, 'newcomer'))).toEqual([302, '/accounts/3rdparty/signup/'])
    expect(await discordUsers()).toEqual([])
  })
})

describe('a Discord account whose sign-up was never confirmed', () => {
  const connectAs = async (user: Awaited<ReturnType<typeof addUser>>) => {
    const visitor = await Visitor.loggedInAs(user)
    await connect(visitor, 'unverified')
    return (await visitor.see('/')).data.context.messages.at(-1)?.message
  }

  it('can be connected to the account that its owner has, and leaves the other one no way in', async () => {
    const owner = await addUser({ username: 'uma', email: people.unverified.email ?? '' })
    const visitor = await atSignUp('unverified')
    await visitor.submit(path, { email: owner.email })
    const [before] = await discordUsers()
    expect(await connectAs(owner)).toBe('The third-party account has been connected.')
    const { id, first_login_at } = before ?? {}
    expect(await discordUsers()).toMatchObject([{ id, first_login_at, user_id: owner.id, unlinked_at: null }])
    const abandoned = before?.user_id ?? 0
    expect(await rows('SELECT 1 FROM session WHERE user_id = ?', abandoned)).toEqual([])
    expect(await rows('SELECT password_hash FROM user WHERE id = ?', abandoned)).toEqual([{ password_hash: null }])
    expect(placeOf(await goThroughDiscord(new Visitor(), 'unverified'))).toEqual([302, usualPlace])
    expect(await rows('SELECT 1 FROM session WHERE user_id = ?', abandoned)).toEqual([])
  })

  it.each([
    ['logged in before', 'UPDATE user SET last_sign_in_at = 1 WHERE id = ?'],
    ['has a confirmed address', 'UPDATE email_address SET verified_at = 1 WHERE user_id = ?'],
    ['was disabled', 'UPDATE user SET is_active = 0 WHERE id = ?'],
  ])('stays where it is if that account %s', async (_what, change) => {
    const visitor = await atSignUp('unverified')
    await visitor.submit(path, { email: 'uma.given@example.com' })
    const [before] = await discordUsers()
    await rows(change, before?.user_id)
    expect(await connectAs(await addUser())).toBe(
      'The third-party account is already connected to a different account.',
    )
    expect(await discordUsers()).toEqual([before])
  })
})

describe('a known address', () => {
  it('is revealed to people who verified it at Discord', async () => {
    await addUser({ username: 'noor', email: 'Noor@example.com' })
    const visitor = await atSignUp('newcomer')
    expect((await visitor.see(path)).html).toContain(taken)
    const { response, html } = await visitor.read(await visitor.submit(path, { email: 'noor@EXAMPLE.com' }))
    expect([response.status, html.includes(taken)]).toEqual([422, true])
    expect(await discordUsers()).toEqual([])
    expect(placeOf(await visitor.submit(path, { email: 'noor.other@example.com' }))).toEqual([
      303,
      '/accounts/confirm-email/',
    ])
  })

  it('is not revealed to anyone else: the answer is the same, and the owner gets an email', async () => {
    const owner = await addUser({ username: 'owner', email: 'owner@example.com' })
    const answers: unknown[] = []
    for (const [persona, email] of [
      ['unverified', owner.email],
      ['mailless', 'nobody@example.com'],
    ] as const) {
      const visitor = await atSignUp(persona)
      const answer = await visitor.submit(path, { email })
      const { data } = await visitor.see('/accounts/confirm-email/')
      answers.push([placeOf(answer), data.context.messages.map(({ message }) => message.replace(email, 'ADDRESS'))])
    }
    expect(answers[0]).toEqual(answers[1])
    expect((await mailTo(owner.email)).subject).toContain('Account Already Exists')
    for (const persona of ['unverified', 'mailless'] as const)
      expect(placeOf(await goThroughDiscord(new Visitor(), persona))).toEqual([302, path])
  })
})

describe('the last sign-up step', () => {
  it('is only for people coming from Discord', async () => {
    const visitor = new Visitor()
    expect(placeOf(await visitor.get(path))).toEqual([302, '/accounts/login/'])
    visitor.cookies.set('sign_up', 'A'.repeat(43))
    await visitor.see('/accounts/login/')
    expect(placeOf(await visitor.submit(path, { email: 'a@example.com' }))).toEqual([303, '/accounts/login/'])
    expect(await count('user')).toBe(0)
  })

  it('expires after fifteen minutes', async () => {
    const visitor = await atSignUp('unverified')
    await env.DB.prepare('UPDATE discord_sign_up SET expires_at = ?').bind(Date.now()).run()
    expect(placeOf(await visitor.submit(path, { email: 'a@example.com' }))).toEqual([303, '/accounts/login/'])
    const { data } = await visitor.see('/accounts/login/')
    expect(data.context.messages[0]?.message).toContain('Please log in with Discord again.')
  })

  it('completes once, even for simultaneous requests', async () => {
    const visitor = await atSignUp('mailless')
    const answers = await Promise.all([1, 2, 3].map((n) => visitor.submit(path, { email: `mika${n}@example.com` })))
    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303])
    expect([await count('user'), await count('email_address'), await count('discord_user')]).toEqual([1, 1, 1])
  })

  it('stores no readable personal data', async () => {
    const visitor = await atSignUp('unverified')
    const stored = JSON.stringify(await env.DB.prepare('SELECT * FROM discord_sign_up').all())
    for (const secret of [visitor.cookies.get('sign_up') ?? 'none', 'uma', people.unverified.id])
      expect(stored).not.toContain(secret)
  })
})
