import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { addressesOf, getWith, isLoggedIn, newcomer, loginStatus, logsIn, signUp } from '../worker/account-people.ts'
import {
  discordUsers,
  goThroughDiscord,
  people,
  pick,
  placeOf,
  setOff,
  loggedInThrough,
  deleteAllAccounts,
  usualPlace,
} from '../worker/discord-people.ts'
import { Desk } from '../worker/admin-desk.ts'
import { linkIn, mailsTo, mailTo, writtenTo } from '../worker/mailbox.ts'
import { one, rows } from '../worker/rows.ts'
import { confirmAddress, useClaimingKey } from '../../src/accounts/email/confirm-address.ts'
import { write } from '../../src/db/query.ts'
import { watchedDatabase } from '../worker/watched-database.ts'
import { addUser, goodPassword, Visitor } from '../worker/visitor.ts'
import { world } from '../worker/world.ts'

/**
 * If someone else created an account with a person's address, it must belong only to that person once they confirm it.
 */

const own = 'the victim’s own password'
const twice = { password1: own, password2: own }
const codePath = '/accounts/login/code/'
const resetPath = '/accounts/password/reset/'
let victims = 0
const victimAddress = () => `victim${++victims}@example.org`

beforeEach(async () => {
  await deleteAllAccounts()
  await world.emptyOutbox()
})

const confirmationOf = async (address: string) =>
  linkIn(await mailTo(address, 'Please Confirm'), '/accounts/confirm-email/')
const idOf = async (username: string) =>
  (await one<{ id: number }>('SELECT id FROM user WHERE username = ?', username)).id

/** Someone else signs up with the address. */
async function prepared() {
  const attacker = newcomer({ email: victimAddress() })
  const { visitor } = await signUp(attacker)
  return { attacker, visitor, link: await confirmationOf(attacker.email), userId: await idOf(attacker.username) }
}

async function askAt(path: string, email: string) {
  const visitor = new Visitor()
  await visitor.see(path)
  const answer = await visitor.submit(path, { email })
  const page = await visitor.see(answer.headers.get('location') ?? '')
  const masked = page.html.replaceAll(email, 'X').replace(/value="[\w-]{43}"|"csrf_token":"[^"]*"/g, '')
  return { visitor, said: [placeOf(answer), [...answer.headers.keys()].toSorted(), masked] }
}

/** Opens a link in a browser that no account knows. */
async function elsewhere(link: string) {
  const visitor = new Visitor()
  const { response, html } = await visitor.see(link)
  return { visitor, status: response.status, html }
}

describe('codes and password links', () => {
  it.each([codePath, resetPath])(
    'are not sent to an unconfirmed address (%s); the answer is the same',
    async (path) => {
      const { attacker } = await prepared()
      const [verified, nobody] = [await addUser(), victimAddress()]
      await world.emptyOutbox()
      const answers = []
      for (const email of [verified.email, attacker.email, nobody]) answers.push((await askAt(path, email)).said)
      expect(answers[1]).toEqual(answers[0])
      expect(answers[2]).toEqual(answers[0])
      expect((await mailTo(attacker.email)).subject).toContain('Please Confirm Your Email Address')
      expect(await writtenTo(attacker.email)).toEqual(['confirm_address', 'confirm_address'])
      expect(await writtenTo(nobody)).toEqual(['unknown_account'])
      expect(await rows('SELECT 1 FROM password_reset WHERE user_id <> ?', verified.id)).toEqual([])
      expect(await rows('SELECT 1 FROM sign_in_code WHERE user_id <> ?', verified.id)).toEqual([])
    },
  )

  it('are sent on the next request only to addresses that are allowed then', async () => {
    const { attacker, link } = await prepared()
    const { visitor } = await askAt(codePath, attacker.email)
    await visitor.submit(`${codePath}confirm/`, { action: 'resend' })
    expect(await writtenTo(attacker.email)).toEqual(['confirm_address', 'confirm_address', 'confirm_address'])
    const victim = await elsewhere(link)
    await victim.visitor.submit(link, twice)
    await visitor.submit(`${codePath}confirm/`, { action: 'resend' })
    const { text } = await mailTo(attacker.email, 'Sign-In Code')
    const code = /\b[B-Z]{4}-[B-Z]{4}\b/.exec(text)?.[0] ?? ''
    expect(placeOf(await visitor.submit(`${codePath}confirm/`, { code }))).toEqual([303, '/'])
  })

  it("sent by an administrator give the account only to the mailbox's owner", async () => {
    const { attacker, userId } = await prepared()
    await connectDirectly(userId)
    const desk = await Desk.open()
    await desk.act('users', 'mail_link', userId)
    const mail = await mailTo(attacker.email, 'Password Reset Email')
    expect(mail.text + mail.html).not.toContain(attacker.username)
    const victim = new Visitor()
    const form = (await victim.get(linkIn(mail, '/accounts/password/reset/key/'))).headers.get('location') ?? ''
    await victim.see(form)
    expect(placeOf(await victim.submit(form, twice))).toEqual([303, '/accounts/password/reset/key/done/'])
    expect(await addressesOf(userId)).toEqual([{ address: attacker.email, is_verified: 1, is_primary: 1 }])
    expect(await discordUsers()).toMatchObject([{ unlinked_at: expect.any(Number) }])
    expect(await logsIn(attacker.username, goodPassword)).toBe(false)
    expect(await logsIn(attacker.email, own)).toBe(true)
  })

  it('stop working once their address no longer belongs to the account', async () => {
    const { attacker, userId } = await prepared()
    const desk = await Desk.open()
    await desk.act('users', 'mail_link', userId)
    const link = linkIn(await mailTo(attacker.email, 'Password Reset Email'), '/accounts/password/reset/key/')
    await rows("UPDATE email_address SET address = 'their@example.net', verified_at = 1 WHERE user_id = ?", userId)
    expect((await new Visitor().get(link)).status).toBe(404)
    await rows(
      'INSERT INTO email_address (user_id, address, is_primary, created_at) VALUES (?, ?, 0, 0)',
      userId,
      attacker.email,
    )
    expect((await new Visitor().get(link)).status).toBe(404)
  })

  it('without the address they were sent to do not work', async () => {
    const user = await addUser()
    await askAt(resetPath, user.email)
    const link = linkIn(await mailTo(user.email, 'Password Reset Email'), '/accounts/password/reset/key/')
    await rows('UPDATE password_reset SET address = NULL')
    expect((await new Visitor().get(link)).status).toBe(404)
  })
})

/** Links a Discord account that has this address. */
async function connectDirectly(userId: number) {
  await rows(
    `INSERT INTO discord_user (user_id, discord_id, username, discriminator, display_name, is_verified, login_count, first_login_at, last_login_at)
     VALUES (?, ?, 'sasha', '0', 'Sasha', 0, 1, 0, 0)`,
    userId,
    people.stranger.id,
  )
}

describe('confirming an address', () => {
  it('needs nothing else in the browser that signed up', async () => {
    const { attacker: person, visitor, link } = await prepared()
    const { html } = await visitor.see(link)
    expect(html).not.toContain('type="password"')
    expect(placeOf(await visitor.submit(link, {}))).toEqual([303, '/accounts/login/'])
    expect(await loginStatus(person.email)).toEqual([303, '/', true])
  })

  it('needs nothing else in a browser that entered the password', async () => {
    const { attacker: person, link } = await prepared()
    const { visitor } = await elsewhere(link)
    await visitor.see('/accounts/login/')
    await visitor.submit('/accounts/login/', { login: person.username, password: goodPassword })
    expect((await visitor.see(link)).html).not.toContain('type="password"')
    expect(placeOf(await visitor.submit(link, {}))).toEqual([303, '/accounts/login/'])
    expect(await logsIn(person.email, goodPassword)).toBe(true)
  })

  it('needs a new password in any other browser, and the old one stops working', async () => {
    const { attacker, link, visitor: theirs } = await prepared()
    const { visitor, status, html } = await elsewhere(link)
    expect(status).toBe(200)
    expect(html).toContain('type="password"')
    const without = await visitor.submit(link, { action: 'confirm' })
    expect(without.status).toBe(422)
    expect((await visitor.submit(link, { password1: 'short', password2: 'short' })).status).toBe(422)
    expect(await logsIn(attacker.username, goodPassword)).toBe(false)

    expect(placeOf(await visitor.submit(link, twice))).toEqual([303, '/accounts/login/'])
    expect((await visitor.see('/accounts/login/')).data.context.messages[0]?.message).toBe(
      `You have confirmed ${attacker.email}.`,
    )
    expect(await logsIn(attacker.username, goodPassword)).toBe(false)
    expect(await loginStatus(attacker.email, own)).toEqual([303, '/', true])
    expect((await mailTo(attacker.email, 'Email Confirmation')).text).toContain('A new password was set')
    expect((await theirs.get(link)).status).toBe(404)
  })

  it('removes everything that was in the account before', async () => {
    const { attacker, link, userId } = await prepared()
    const intruder = await Visitor.loggedInAs({ id: userId })
    await intruder.see('/accounts/')
    await connectDirectly(userId)
    await rows("INSERT INTO two_factor (user_id, sealed_keys, last_step, activated_at) VALUES (?, 'x', 0, 0)", userId)
    await rows("INSERT INTO recovery_code (user_id, code_hash) VALUES (?, 'x')", userId)
    await rows(
      "INSERT INTO second_step (id_hash, user_id, way, created_at, expires_at) VALUES ('x', ?, '{}', 0, 9e15)",
      userId,
    )
    await rows("INSERT INTO email_address (user_id, address, created_at) VALUES (?, 'their@example.net', 0)", userId)
    await rows(
      "INSERT INTO oauth_state (state_hash, browser_hash, process, next, referral, user_id, created_at, expires_at) VALUES ('x', 'x', 'connect', '', '', ?, 0, 9e15)",
      userId,
    )
    const { visitor } = await elsewhere(link)
    expect((await visitor.submit(link, twice)).status).toBe(303)
    expect(await isLoggedIn(intruder)).toBe(false)
    expect(await discordUsers()).toMatchObject([{ unlinked_at: expect.any(Number), sealed_tokens: null }])
    expect(await addressesOf(userId)).toEqual([{ address: attacker.email, is_verified: 1, is_primary: 1 }])
    for (const table of ['two_factor', 'recovery_code', 'second_step', 'oauth_state'])
      expect(await rows(`SELECT 1 FROM ${table} WHERE user_id = ?`, userId)).toEqual([])
  })

  it('is not possible for a disabled account, whose Discord account it would set free', async () => {
    const { link, userId } = await prepared()
    await connectDirectly(userId)
    const { visitor } = await elsewhere(link)
    await rows('UPDATE user SET is_active = 0 WHERE id = ?', userId)
    expect((await visitor.submit(link, twice)).status).toBe(404)
    expect((await visitor.get(link)).status).toBe(404)
    // It was disabled after the page had looked the key up.
    const key = link.split('/').at(-2) ?? ''
    expect(await confirmAddress(env, key, Date.now(), [])).toBe(false)
    expect(await write(env.DB, await useClaimingKey(key, Date.now()))).toMatchObject({ changes: 0 })
    expect(await discordUsers()).toMatchObject([{ user_id: userId, unlinked_at: null }])
  })

  it('unlinks a Discord account that brought the address unverified', async () => {
    const attacker = new Visitor()
    await goThroughDiscord(attacker, 'unverified')
    await attacker.see('/accounts/3rdparty/signup/')
    const address = victimAddress()
    await attacker.submit('/accounts/3rdparty/signup/', { email: address })
    const link = await confirmationOf(address)
    const { visitor, html } = await elsewhere(link)
    expect(html).toContain('type="password"')
    expect((await visitor.submit(link, twice)).status).toBe(303)
    expect(placeOf(await goThroughDiscord(attacker, 'unverified'))).toEqual([302, '/accounts/3rdparty/signup/'])
    expect(await isLoggedIn(attacker)).toBe(false)
    expect(await logsIn(address, own)).toBe(true)
    expect(await rows('SELECT user_id FROM discord_user WHERE unlinked_at IS NULL')).toEqual([])
  })

  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'keeps out someone who logs in with Discord at the same time, at database read %i',
    async (look) => {
      const attacker = new Visitor()
      await goThroughDiscord(attacker, 'unverified')
      await attacker.see('/accounts/3rdparty/signup/')
      const address = victimAddress()
      await attacker.submit('/accounts/3rdparty/signup/', { email: address })
      const link = await confirmationOf(address)
      const { visitor } = await elsewhere(link)
      const back = await pick(await setOff(attacker), 'unverified')
      const DB = watchedDatabase({
        after: async (trip) => {
          if (trip === look) expect((await visitor.submit(link, twice)).status).toBe(303)
        },
      })
      await getWith({ DB }, attacker, back)
      expect(await rows('SELECT 1 FROM session')).toEqual([])
      await visitor.submit(link, twice)
      expect(await logsIn(address, own)).toBe(true)
    },
  )

  it('that was added to another account gives its owner no access to that account', async () => {
    const user = await addUser()
    const attacker = await Visitor.loggedInAs(user)
    const address = victimAddress()
    await attacker.see('/accounts/email/')
    await attacker.submit('/accounts/email/', { action_add: '1', email: address })
    const link = await confirmationOf(address)
    for (const visitor of [new Visitor(), await Visitor.loggedInAs(await addUser())]) {
      const { response, html } = await visitor.see(link)
      expect(response.status).toBe(403)
      expect(html).toContain(`Someone added ${address} to their account in another browser.`)
      expect(html).toContain('/accounts/login/?next=%2Faccounts%2Fconfirm-email%2F')
      expect(html).not.toContain('type="password"')
      for (const fields of [{}, twice, { action: 'confirm' }])
        expect((await visitor.submit(link, fields)).status).toBe(403)
    }
    expect((await addressesOf(user.id))[1]).toMatchObject({ address, is_verified: 0 })
    expect(await logsIn(user.username, goodPassword)).toBe(true)

    // The owner continues by logging in wherever they read the email.
    const phone = new Visitor()
    const asked = /href="(\/accounts\/login\/[^"]+)"/.exec((await phone.see(link)).html)?.[1] ?? ''
    await phone.see(asked)
    const next = new URLSearchParams(asked.split('?')[1]).get('next') ?? ''
    const fields = { login: user.username, password: goodPassword, next }
    expect(placeOf(await phone.submit('/accounts/login/', fields))).toEqual([303, link])
    await phone.see(link)
    expect(placeOf(await phone.submit(link, {}))).toEqual([303, '/accounts/email/'])
    expect((await addressesOf(user.id))[1]).toMatchObject({ address, is_verified: 1 })
  })

  it('that was removed from the account in the meantime does nothing', async () => {
    const { attacker, link, userId } = await prepared()
    const { visitor } = await elsewhere(link)
    await rows("UPDATE email_address SET address = 'their@example.net' WHERE user_id = ?", userId)
    expect((await visitor.submit(link, twice)).status).toBe(404)
    await rows('UPDATE email_address SET address = ?, is_primary = 0 WHERE user_id = ?', attacker.email, userId)
    await rows(
      "INSERT INTO email_address (user_id, address, verified_at, is_primary, created_at) VALUES (?, 'their@example.net', 1, 1, 0)",
      userId,
    )
    expect((await visitor.submit(link, twice)).status).toBe(403)
    expect(await logsIn(attacker.username, goodPassword)).toBe(true)
  })

  it('twice at once sets one password', async () => {
    const { attacker, link } = await prepared()
    const browsers = await Promise.all([elsewhere(link), elsewhere(link)])
    const answers = await Promise.all(
      browsers.map(({ visitor }, n) => visitor.submit(link, { password1: `${own} ${n}`, password2: `${own} ${n}` })),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 404])
    const winner = answers.findIndex(({ status }) => status === 303)
    expect(await logsIn(attacker.email, `${own} ${winner}`)).toBe(true)
  })

  it('is not needed after logging in through Discord with it', async () => {
    const attacker = newcomer({ email: people.newcomer.email ?? '' })
    const { visitor } = await signUp(attacker)
    const link = await confirmationOf(attacker.email)
    const victim = await loggedInThrough('newcomer')
    expect((await victim.see('/')).data.context.user.name).toBe(people.newcomer.name)
    expect((await visitor.submit(link, {})).status).toBe(409)
    expect((await visitor.submit(link, twice)).status).toBe(409)
    expect(await logsIn(attacker.username, goodPassword)).toBe(false)
    expect(placeOf(await goThroughDiscord(new Visitor(), 'newcomer'))).toEqual([302, usualPlace])
    expect(await mailsTo(attacker.email, 'Account Already Exists')).toEqual([])
  })
})
