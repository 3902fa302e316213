import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { newcomer, presses, loginStatus, signUp } from '../worker/account-people.ts'
import { placeOf } from '../worker/discord-people.ts'
import { linkIn, mailsTo, mailTo, writtenTo, waitOutLink } from '../worker/mailbox.ts'
import { goodPassword, Visitor } from '../worker/visitor.ts'
import { until } from '../worker/world.ts'

const better = 'a much better password'

const passAMinute = (address: string) =>
  env.DB.prepare('UPDATE email_confirmation SET used_at = used_at - 60000 WHERE address = ?').bind(address).run()

describe('confirmation link', () => {
  it('works once, for three days, and then offers a new one', async () => {
    const person = newcomer()
    const { visitor } = await signUp(person)
    const link = linkIn(await mailTo(person.email, 'Please Confirm'), '/accounts/confirm-email/')
    await env.DB.prepare('UPDATE email_confirmation SET expires_at = expires_at - ? WHERE address = ?')
      .bind(3 * 24 * 3600_000, person.email)
      .run()
    const expired = await visitor.see(link)
    expect(expired.response.status).toBe(404)
    expect(expired.html).toContain('link expired or is invalid')
    expect((await visitor.submit(link, { action: 'confirm' })).status).toBe(404)

    await visitor.submit(link, { action: 'resend' })
    const throttled = await visitor.see('/accounts/confirm-email/')
    expect(throttled.data.context.messages[0]).toMatchObject({ level_tag: 'warning' })
    expect(throttled.data.context.messages[0]?.message).toMatch(/no other one was sent.*in \d+ seconds/)
    await waitOutLink(person.email)
    await visitor.submit(link, { action: 'resend' })
    expect(await writtenTo(person.email)).toEqual(['confirm_address', 'confirm_address'])
    const second = linkIn((await untilCount(person.email, 2)).at(-1) ?? fail(), '/accounts/confirm-email/')
    expect(second).not.toBe(link)
    expect((await visitor.submit(second, {})).status).toBe(303)
    expect((await visitor.get(second)).status).toBe(404)
    await passAMinute(person.email)
    expect((await visitor.submit(second, {})).status).toBe(404)
  })

  it('is sent to each account with an address, so that one of a stranger does not keep the owner from theirs', async () => {
    const address = `shared${Date.now()}@example.org`
    const [theirs, own] = [newcomer({ email: address }), newcomer({ email: address })]
    await signUp(theirs)
    const first = linkIn(await mailTo(address, 'Please Confirm'), '/accounts/confirm-email/')
    const { visitor } = await signUp(own)
    expect((await visitor.see('/accounts/confirm-email/')).data.context.messages[0]?.message).toBe(
      `Confirmation email sent to ${address}.`,
    )
    const second = linkIn((await untilCount(address, 2)).at(-1) ?? fail(), '/accounts/confirm-email/')
    const { html } = await visitor.see(first)
    expect(html).not.toContain('You did not sign up in this browser')
    expect(html).toContain(`If ${theirs.username} is not the username you chose, do not confirm it`)
    expect((await visitor.see(second)).html).toContain(`of the user ${own.username}`)
    expect((await visitor.submit(second, {})).status).toBe(303)
    expect(await loginStatus(own.username)).toEqual([303, '/', true])
  })

  it('stores nothing usable in the database', async () => {
    const person = newcomer()
    await signUp(person)
    const link = linkIn(await mailTo(person.email, 'Please Confirm'), '/accounts/confirm-email/')
    const key = link.split('/').at(-2) ?? ''
    expect(key).toMatch(/^[\w-]{43}$/)
    for (const table of ['email_confirmation', 'mail']) {
      const { results } = await env.DB.prepare(`SELECT * FROM ${table}`).all()
      expect(JSON.stringify(results)).not.toContain(key)
    }
  })

  it('verifies a shared address for only one of two accounts that confirm it simultaneously', async () => {
    const address = `both${Date.now()}@example.org`
    const links: string[] = []
    for (const person of [newcomer({ email: address }), newcomer({ email: address })]) {
      await signUp(person)
      links.push(linkIn((await untilCount(address, links.length + 1)).at(-1) ?? fail(), '/accounts/confirm-email/'))
      await waitOutLink(address)
    }
    const visitor = new Visitor()
    await visitor.see('/accounts/login/')
    const answers = await Promise.all(
      links.map((link) => visitor.submit(link, { password1: goodPassword, password2: goodPassword })),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 409])
    const refused = answers.find(({ status }) => status === 409)
    expect(await refused?.text()).toContain(
      `Unable to confirm ${address} because it is already confirmed by a different account.`,
    )
    const verified = await env.DB.prepare(
      'SELECT count(*) AS n FROM email_address WHERE address = ? AND verified_at IS NOT NULL',
    )
      .bind(address)
      .first()
    expect(verified).toEqual({ n: 1 })
  })

  it.each(presses)('answers %s like the first, and confirms once', async (_what, press) => {
    const person = newcomer()
    const { visitor } = await signUp(person)
    const link = linkIn(await mailTo(person.email, 'Please Confirm'), '/accounts/confirm-email/')
    const [answers, second] = await press(visitor, link, {})
    expect(answers.map(placeOf)).toEqual([
      [303, '/accounts/login/'],
      [303, '/accounts/login/'],
    ])
    expect(second.cookies.has('session')).toBe(false)
    expect((await second.see('/accounts/login/')).data.context.messages.at(-1)?.message).toBe(
      `You have confirmed ${person.email}.`,
    )
    expect(await writtenTo(person.email)).toEqual(['confirm_address', 'address_confirmed'])
    // Only in a browser of the account, and only while the address is confirmed.
    const stranger = new Visitor()
    await stranger.see('/accounts/login/')
    expect((await stranger.submit(link, {})).status).toBe(404)
    expect((await stranger.submit(link, { password1: better, password2: better })).status).toBe(404)
    await env.DB.prepare('UPDATE email_address SET verified_at = NULL WHERE address = ?').bind(person.email).run()
    await env.DB.prepare('UPDATE user SET email_verified_at = NULL WHERE email = ?').bind(person.email).run()
    expect((await second.submit(link, {})).status).toBe(404)
  })

  it.each(presses)('answers %s with the same password like the first, and claims once', async (_what, press) => {
    const person = newcomer()
    await signUp(person)
    const link = linkIn(await mailTo(person.email, 'Please Confirm'), '/accounts/confirm-email/')
    const owner = new Visitor()
    await owner.see(link)
    const [answers, second] = await press(owner, link, { password1: better, password2: better })
    expect(answers.map(({ status }) => status)).toEqual([303, 303])
    expect(second.cookies.has('session')).toBe(false)
    expect(await writtenTo(person.email)).toEqual(['confirm_address', 'address_confirmed'])
    expect((await second.submit(link, { password1: goodPassword, password2: goodPassword })).status).toBe(404)
    expect(await loginStatus(person.username, better)).toEqual([303, '/', true])
    await passAMinute(person.email)
    expect((await second.submit(link, { password1: better, password2: better })).status).toBe(404)
  })

  it('does not work if it was never issued', async () => {
    for (const key of ['x', 'A'.repeat(43), '%00', "'%20OR%201=1", 'x'.repeat(2000)]) {
      const { response, html } = await new Visitor().see(`/accounts/confirm-email/${key}/`)
      expect(response.status).toBe(404)
      expect(html).toContain('link expired or is invalid')
    }
  })
})

async function untilCount(address: string, count: number) {
  return until(
    () => mailsTo(address, 'Please Confirm'),
    (found) => found.length >= count,
    `${count} mails to ${address}`,
  )
}

function fail(): never {
  throw new Error('no mail')
}
