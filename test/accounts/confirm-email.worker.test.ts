import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { newcomer, signUp } from '../worker/account-people.ts'
import { linkIn, mailsTo, mailTo, waitOut, writtenTo } from '../worker/mailbox.ts'
import { goodPassword, Visitor } from '../worker/visitor.ts'
import { until } from '../worker/world.ts'

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
    await waitOut('confirm-address', person.email)
    await visitor.submit(link, { action: 'resend' })
    expect(await writtenTo(person.email)).toEqual(['confirm_address', 'confirm_address'])
    const second = linkIn((await untilCount(person.email, 2)).at(-1) ?? fail(), '/accounts/confirm-email/')
    expect(second).not.toBe(link)
    expect((await visitor.submit(second, {})).status).toBe(303)
    expect((await visitor.submit(second, {})).status).toBe(404)
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
      await waitOut('confirm-address', address)
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

  it('is used up by one of two simultaneous requests', async () => {
    const person = newcomer()
    const { visitor } = await signUp(person)
    const link = linkIn(await mailTo(person.email, 'Please Confirm'), '/accounts/confirm-email/')
    const answers = await Promise.all([visitor.submit(link, {}), visitor.submit(link, {})])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 404])
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
