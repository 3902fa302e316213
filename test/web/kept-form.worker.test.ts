import { env } from 'cloudflare:workers'
import { describe, expect, it, test } from 'vitest'
import type { ReferralsProps } from '../../src/classcords/contract.ts'
import { getRecipientLink } from '../../src/class-tracker/recipients/own-link.ts'
import type { SettingsProps } from '../../src/scheduler/contract.ts'
import { makeRecipient } from '../worker/catalog.ts'
import { addPerson, makeSchool } from '../worker/directory.ts'
import { goThroughDiscord, deleteAllAccounts } from '../worker/discord-people.ts'
import { one, rows } from '../worker/rows.ts'
import { trackerStaff } from '../worker/tracker-staff.ts'
import { addUser, browserOf, Visitor } from '../worker/visitor.ts'

/* Forms that are refused because their token is wrong or has expired. */

const expired = 'This form had expired, so nothing was sent. Check it and send it again.'
const anyone = async () => new Visitor()
const staff = async () => browserOf(await addUser({ isSuperuser: true }))
const member = async () => browserOf(await addPerson({ school: (await makeSchool()).school_id }))

/** The tag of the field with this name and, for a choice, this value. */
function fieldIn(html: string, name: string, value = ''): string {
  const tags = html.match(/<(?:input|textarea|option)[^>]*>/g) ?? []
  return tags.find((tag) => tag.includes(`name="${name}"`) && tag.includes(`value="${value}`)) ?? ''
}

/** Sends a form of a page with a wrong token. */
async function sendExpired(visitor: Visitor, fields: Record<string, string>, path: string, page = path) {
  await visitor.see(page)
  const refused = await visitor.submit(path, { ...fields, csrf_token: 'A'.repeat(43) })
  expect(refused.status).toBe(403)
  expect(visitor.cookies.get('kept_form')).toMatch(/^v1\.[\w.-]+$/)
}

interface Filled {
  path: string
  page?: string
  who: () => Promise<Visitor>
  typed: Record<string, string>
}

const email = 'late.sender@example.org'
const forms: Record<string, Filled> = {
  'sign-up': { path: '/accounts/signup/', who: anyone, typed: { email, username: 'late.sender' } },
  login: { path: '/accounts/login/', who: anyone, typed: { login: 'late.sender', next: '/classcords/profile/' } },
  'login code': { path: '/accounts/login/code/', who: anyone, typed: { email, next: '/classcords/profile/' } },
  'password reset': { path: '/accounts/password/reset/', who: anyone, typed: { email } },
  'class tracker login': { path: '/class_tracker/login_view/', who: anyone, typed: { username: 'late.sender' } },
  'email addresses': {
    path: '/accounts/email/',
    who: async () => browserOf(await addUser()),
    typed: { email },
  },
  'address of a class search': {
    path: '/class_tracker/schools/ask/',
    page: '/class_tracker/schools/',
    who: staff,
    typed: { address: 'https://classes.example.edu/' },
  },
}

describe('an expired form', () => {
  it.each(Object.entries(forms))(
    'comes back filled in once, without its passwords: %s',
    async (_name, { path, page, who, typed }) => {
      const visitor = await who()
      const before = await rows('SELECT (SELECT count(*) FROM user), (SELECT count(*) FROM mail)')
      const secret = 'a password nobody has'
      const secrets = { password: secret, password1: secret, password2: secret }
      await sendExpired(visitor, { ...typed, ...secrets, action_add: '1' }, path, page)
      const { html, data } = await visitor.see(page ?? path)
      expect(data.context.messages.map(({ message }) => message)).toEqual([expired])
      for (const [name, value] of Object.entries(typed)) expect(fieldIn(html, name, value)).not.toBe('')
      expect(html).not.toContain(secret)
      expect(visitor.cookies.has('kept_form')).toBe(false)
      const again = await visitor.see(page ?? path)
      expect(again.data.context.messages).toEqual([])
      for (const [name, value] of Object.entries(typed)) expect(fieldIn(again.html, name, value)).toBe('')
      expect(await rows('SELECT (SELECT count(*) FROM user), (SELECT count(*) FROM mail)')).toEqual(before)
    },
  )

  it('is not shown to other visitors by the edge cache', async () => {
    const visitor = new Visitor()
    await sendExpired(visitor, { email }, '/accounts/password/reset/')
    expect((await visitor.get('/accounts/password/reset/')).headers.has('x-edge-cache')).toBe(false)
    expect((await new Visitor().see('/accounts/password/reset/')).html).not.toContain(email)
  })

  it('comes back in its own page only', async () => {
    const visitor = new Visitor()
    await sendExpired(visitor, { email, username: 'late.sender' }, '/accounts/signup/')
    expect((await visitor.see('/accounts/password/reset/')).html).not.toContain(email)
    expect((await visitor.see('/accounts/signup/')).html).toContain(email)
  })

  it('does not fill the field of a new address with a chosen one', async () => {
    const visitor = await browserOf(await addUser())
    await sendExpired(visitor, { email, action_remove: '1' }, '/accounts/email/')
    expect((await visitor.see('/accounts/email/')).html).not.toContain(email)
  })
})

test('an expired sign-up after Discord comes back with its address', async () => {
  await deleteAllAccounts()
  const visitor = new Visitor()
  await goThroughDiscord(visitor, 'unverified')
  const path = '/accounts/3rdparty/signup/'
  await sendExpired(visitor, { email }, path)
  expect(fieldIn((await visitor.see(path)).html, 'email', email)).not.toBe('')
})

test('an expired referral comes back with its choices, and none is created', async () => {
  const visitor = await member()
  const path = '/classcords/referrals/'
  await sendExpired(visitor, { max_uses_choice: '50', expiry_timeframe: '3m' }, path)
  const { data } = await visitor.see<ReferralsProps>(path)
  expect(data.props.referral_form.fields.map(({ value }) => value)).toEqual(['50', '3m'])
  expect(data.props.referrals).toEqual([])
})

test("a queue's expired settings come back as they were typed, and are not saved", async () => {
  const visitor = await staff()
  const path = '/scheduler/queues/refresh/settings/'
  const typed = { ahead: '77', keep_days: '88', keep_rows: '9999' }
  await sendExpired(visitor, typed, path)
  const shown = async () => (await visitor.see<SettingsProps>(path)).data.props.settings
  expect(await shown()).toEqual(typed)
  expect(await shown()).not.toEqual(typed)
})

test("a recipient's expired choices come back on their own page, and are not saved", async () => {
  const recipient = await makeRecipient([{ kind: 'email', address: 'late.recipient@example.org' }])
  const { url } = await getRecipientLink(env, trackerStaff, recipient, { isNew: false, now: Date.now() })
  const path = url.slice(env.APP_URL.length)
  const { id } = (await one<{ id: number }>('SELECT id FROM contact WHERE recipient_id = ?', recipient)) ?? { id: 0 }
  const visitor = new Visitor()
  const isUsed = (html: string) => fieldIn(html, 'use', String(id)).includes('checked')
  await sendExpired(visitor, { act: 'contacts', contact: String(id), is_reminded: 'on' }, path)
  expect(isUsed((await visitor.see(path)).html)).toBe(false)
  expect(isUsed((await visitor.see(path)).html)).toBe(true)
  await sendExpired(visitor, { act: 'quiet', from: '22:15', until: '06:45', time_zone: 'UTC' }, path)
  const { html } = await visitor.see(path)
  expect([fieldIn(html, 'from', '22:15'), fieldIn(html, 'until', '06:45')]).not.toContain('')
  expect(await one('SELECT quiet_from FROM recipient WHERE id = ?', recipient)).toEqual({ quiet_from: null })
})
