import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { addressesOf, personAt, presses } from '../worker/account-people.ts'
import { expectNotFaster } from '../worker/durations.ts'
import { addUser, Visitor } from '../worker/visitor.ts'
import { linkIn, mailsTo, mailTo, whileMailsFail, writtenTo, waitOutLink } from '../worker/mailbox.ts'

const path = '/accounts/email/'
let count = 0
const freshAddress = () => `address${++count}@example.net`

const person = () => personAt(path)

async function act(visitor: Visitor, action: string, email: string) {
  const response = await visitor.submit(path, { [`action_${action}`]: '1', email })
  const { html, data } = await visitor.read(response.status === 303 ? await visitor.get(path) : response)
  return { status: response.status, html, message: data.context.messages.at(-1)?.message ?? '' }
}

async function confirm(visitor: Visitor, address: string): Promise<Response> {
  return visitor.submit(linkIn(await mailTo(address, 'Please Confirm'), '/accounts/confirm-email/'), {})
}

async function withSecond() {
  const { user, visitor } = await person()
  const second = freshAddress()
  await act(visitor, 'add', second)
  await confirm(visitor, second)
  return { user, visitor, second }
}

describe('email addresses', () => {
  it('are listed with their state for their owner', async () => {
    const { visitor, user } = await person()
    await act(visitor, 'add', freshAddress())
    const { html } = await visitor.see(path)
    expect(html).toContain(user.email)
    for (const badge of ['Verified', 'Unverified', 'Primary'])
      expect(html).toMatch(new RegExp(`class="badge[^>]*>(?:<svg[^>]*>(?:(?!</svg>).)*</svg>)?${badge}<`))
    const anonymous = await new Visitor().get(path)
    expect([anonymous.status, anonymous.headers.get('location')]).toEqual([
      302,
      '/accounts/login/?next=%2Faccounts%2Femail%2F',
    ])
  })

  it('are neither confirmed nor changed if the notice cannot be stored', async () => {
    const { user, visitor, second } = await withSecond()
    const third = freshAddress()
    await act(visitor, 'add', third)
    const link = linkIn(await mailTo(third, 'Please Confirm'), '/accounts/confirm-email/')
    const before = await addressesOf(user.id)
    const answers = await whileMailsFail(async () => [
      await visitor.submit(path, { action_primary: '1', email: second }),
      await visitor.submit(path, { action_remove: '1', email: second }),
      await visitor.submit(link, {}),
    ])
    expect(answers.map(({ status }) => status)).toEqual([500, 500, 500])
    expect(await addressesOf(user.id)).toEqual(before)
  })

  it('show a warning to users without one', async () => {
    const { visitor, user } = await person()
    await env.DB.prepare('DELETE FROM email_address WHERE user_id = ?').bind(user.id).run()
    expect((await visitor.see(path)).html).toContain('Warning: you have no email address.')
  })

  it('are added unverified, confirmed by email, and reported', async () => {
    const { visitor, user } = await person()
    const second = freshAddress()
    const added = await act(visitor, 'add', ` ${second} `)
    expect([added.status, added.message]).toEqual([303, `Confirmation email sent to ${second}.`])
    const done = await confirm(visitor, second)
    expect([done.status, done.headers.get('location')]).toEqual([303, path])
    expect((await visitor.see(path)).data.context.messages[0]?.message).toBe(`You have confirmed ${second}.`)
    expect(await addressesOf(user.id)).toEqual([
      { address: user.email, is_verified: 1, is_primary: 1 },
      { address: second, is_verified: 1, is_primary: 0 },
    ])
    expect((await mailTo(user.email, 'Email Confirmation')).text).toContain(`Confirmed address: ${second}.`)
    expect(await writtenTo(second)).toEqual(['confirm_address'])
  })

  it.each([
    ['that are invalid', 'nobody', 'Enter a valid email address.'],
    ['with a line break', 'a@example.net\nBcc: b@example.net', 'Enter a valid email address.'],
    ['that are too long', `${'x'.repeat(300)}@example.net`, 'Enter a valid email address.'],
    ['that are theirs already', 'OWN', 'This email address is already associated with this account.'],
  ])('%s are refused with a message at the field', async (_what, email, message) => {
    const { visitor, user } = await person()
    const refused = await act(visitor, 'add', email === 'OWN' ? user.email.toUpperCase() : email)
    expect(refused.status).toBe(422)
    expect(refused.html).toContain(message)
    expect(await addressesOf(user.id)).toHaveLength(1)
  })

  it('that differ only in the case of an accented letter are different ones', async () => {
    const { visitor, user } = await person()
    const [large, small] = ['École@example.net', 'école@example.net'] as const
    await act(visitor, 'add', large)
    await act(visitor, 'add', small)
    expect((await act(visitor, 'remove', small)).message).toBe(`Removed email address ${small}.`)
    expect((await addressesOf(user.id)).map(({ address }) => address)).toEqual([user.email, large])
  })

  it('are limited to twenty', async () => {
    const { visitor, user } = await person()
    const add = "INSERT INTO email_address (user_id, address, created_at) VALUES (?, 'many' || ? || '@example.net', 0)"
    for (let count = 2; count <= 20; count += 1) await env.DB.prepare(add).bind(user.id, count).run()
    const refused = await act(visitor, 'add', freshAddress())
    expect(refused.status).toBe(422)
    expect(refused.html).toContain('An account can have at most 20 email addresses.')
    expect(await addressesOf(user.id)).toHaveLength(20)
  })

  it('verified by someone else are added silently and can never be confirmed', async () => {
    const owner = await addUser()
    const { visitor, user } = await person()
    const [taken, free] = [await act(visitor, 'add', owner.email), await act(visitor, 'add', freshAddress())]
    expect([taken.status, taken.message.replace(/ to .*/, '')]).toEqual([
      free.status,
      free.message.replace(/ to .*/, ''),
    ])
    expect(await mailsTo(owner.email, 'Please Confirm')).toEqual([])
    expect(await writtenTo(owner.email)).toEqual(['account_exists'])
    const primary = await act(visitor, 'primary', owner.email)
    expect(primary.html).toContain('Your primary email address must be verified.')
    expect((await addressesOf(user.id))[1]).toMatchObject({ is_verified: 0 })
  })

  it('verified by someone else take as long to add', async () => {
    const { visitor } = await person()
    const timed = async (email: string) => {
      const startedAt = performance.now()
      expect((await visitor.submit(path, { action_add: '1', email })).status).toBe(303)
      return performance.now() - startedAt
    }
    await timed(freshAddress())
    await expectNotFaster(
      async () => timed((await addUser()).email),
      () => timed(freshAddress()),
    )
  })

  it('can become primary once verified; the old one is notified, and mailed reset links end', async () => {
    const { visitor, user } = await person()
    const second = freshAddress()
    await act(visitor, 'add', second)
    const tooEarly = await act(visitor, 'primary', second)
    expect(tooEarly.status).toBe(422)
    expect(tooEarly.html).toContain('Your primary email address must be verified.')
    await confirm(visitor, second)
    await new Visitor().see('/accounts/password/reset/')
    const asking = new Visitor()
    await asking.see('/accounts/password/reset/')
    await asking.submit('/accounts/password/reset/', { email: user.email })
    const reset = linkIn(await mailTo(user.email, 'Password Reset Email'), '/accounts/password/reset/key/')

    const made = await act(visitor, 'primary', second)
    expect([made.status, made.message]).toEqual([303, 'Primary email address set.'])
    expect(
      await env.DB.prepare('SELECT email, email_verified_at > 0 AS v FROM user WHERE id = ?').bind(user.id).first(),
    ).toEqual({
      email: second,
      v: 1,
    })
    expect((await mailTo(user.email, 'Email Changed')).text).toContain(`is ${second} now`)
    expect((await asking.get(reset)).status).toBe(404)
  })

  it('cannot be removed while primary', async () => {
    const { visitor, user } = await withSecond()
    const refused = await act(visitor, 'remove', user.email)
    expect(refused.status).toBe(422)
    expect(refused.html).toContain(`You cannot remove your primary email address (${user.email}).`)
  })

  it('cannot be removed if it is the only verified one', async () => {
    const { visitor, user, second } = await withSecond()
    await env.DB.prepare('UPDATE email_address SET verified_at = NULL WHERE address = ?').bind(user.email).run()
    const refused = await act(visitor, 'remove', second)
    expect(refused.html).toContain(`You cannot remove your only verified email address (${second}).`)
    expect(await addressesOf(user.id)).toHaveLength(2)
  })

  it('are removed with their mailed links, and their owner is notified', async () => {
    const { visitor, user } = await person()
    const second = freshAddress()
    await act(visitor, 'add', second)
    const link = linkIn(await mailTo(second, 'Please Confirm'), '/accounts/confirm-email/')
    const removed = await act(visitor, 'remove', second)
    expect([removed.status, removed.message]).toEqual([303, `Removed email address ${second}.`])
    expect((await visitor.submit(link, {})).status).toBe(404)
    expect((await mailTo(user.email, 'Email Removed')).text).toContain(`Removed address: ${second}.`)
  })

  it('that are removed and added again are confirmed by the link that was sent first, as the message says', async () => {
    const { visitor, user } = await person()
    const second = freshAddress()
    await act(visitor, 'add', second)
    await act(visitor, 'remove', second)
    expect((await act(visitor, 'add', second)).message).toContain('a moment ago, so no other one was sent')
    expect((await confirm(visitor, second)).status).toBe(303)
    expect((await addressesOf(user.id))[1]).toMatchObject({ address: second, is_verified: 1 })
  })

  it('that are unverified get no notices, because they may belong to a stranger', async () => {
    const { visitor, user } = await withSecond()
    await env.DB.batch([
      env.DB.prepare('UPDATE email_address SET verified_at = NULL WHERE address = ?').bind(user.email),
      env.DB.prepare('UPDATE user SET email_verified_at = NULL WHERE id = ?').bind(user.id),
    ])
    const third = freshAddress()
    await act(visitor, 'add', third)
    expect((await act(visitor, 'remove', third)).status).toBe(303)
    expect(await writtenTo(third)).toEqual(['confirm_address'])
    // Written while it was still verified.
    expect(await writtenTo(user.email)).toEqual(['address_confirmed'])
  })

  it('get another email only after 180 s, and the owner sees why', async () => {
    const { visitor } = await person()
    const second = freshAddress()
    await act(visitor, 'add', second)
    const throttled = await act(visitor, 'send', second)
    expect(throttled.message).toMatch(/no other one was sent.*ask again in 1[78]\d seconds/)
    await waitOutLink(second)
    expect((await act(visitor, 'send', second)).message).toBe(`Confirmation email sent to ${second}.`)
    expect(await writtenTo(second)).toEqual(['confirm_address', 'confirm_address'])
  })

  it.each(presses)('are added and removed once by %s, whose answer says so', async (_how, press) => {
    const { user, visitor } = await person()
    const second = freshAddress()
    for (const [action, said] of [
      ['add', `sent to ${second}`],
      ['remove', second],
    ] as const) {
      const [answers, browser] = await press(visitor, path, { [`action_${action}`]: '1', email: second })
      expect(answers.map(({ status, headers }) => [status, headers.get('location')])).toEqual([
        [303, path],
        [303, path],
      ])
      expect((await browser.see(path)).data.context.messages.at(-1)?.message).toContain(said)
    }
    expect(await addressesOf(user.id)).toEqual([{ address: user.email, is_verified: 1, is_primary: 1 }])
    expect(await writtenTo(second)).toEqual(['confirm_address'])
  })

  it('of other users cannot be changed', async () => {
    const [{ user: owner }, { visitor }] = [await person(), await person()]
    expect((await act(visitor, 'remove', owner.email)).message).toBe(
      `${owner.email} is not one of your email addresses.`,
    )
    for (const action of ['primary', 'send']) {
      expect((await act(visitor, action, owner.email)).html).toContain('Choose one of your email addresses.')
    }
    expect(await addressesOf(owner.id)).toHaveLength(1)
  })

  it('can be changed at most ten times a minute', async () => {
    const { visitor } = await person()
    for (let turn = 0; turn < 10; turn += 1) expect((await act(visitor, 'add', 'nobody')).status).toBe(422)
    const response = await visitor.submit(path, { action_add: '1', email: 'kept@example.net' })
    expect(response.status).toBe(429)
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await visitor.read(response)).html).toContain('value="kept@example.net"')
  })
})
