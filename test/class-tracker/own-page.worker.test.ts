import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import type { OwnPageProps } from '../../src/class-tracker/own-page/contract.ts'
import { optOut } from '../../src/class-tracker/deliveries/opt-out.ts'
import { listRecipients } from '../../src/class-tracker/recipients/list-recipients.ts'
import { getRecipientLink } from '../../src/class-tracker/recipients/own-link.ts'
import { removeContact } from '../../src/class-tracker/recipients/remove-recipient.ts'
import { makeGroup, makeRecipient, makeSection, makeWatch } from '../worker/catalog.ts'
import { arrivedAt } from '../worker/deliveries.ts'
import { one, rows } from '../worker/rows.ts'
import { trackerStaff } from '../worker/tracker-staff.ts'
import { takeOften } from '../worker/take-often.ts'
import { Visitor } from '../worker/visitor.ts'

/** A recipient's own page, reached only by its link. */

let count = 0

async function linkOf(recipient: number, isNew = false): Promise<string> {
  const { url } = await getRecipientLink(env, trackerStaff, recipient, { isNew, now: Date.now() })
  return url.slice(env.APP_URL.length)
}

async function scene() {
  const number = (count += 1)
  const phone = `+1202555${String(8000 + number)}`
  const email = `own${number}@example.com`
  const recipient = await makeRecipient([
    { kind: 'phone', address: phone },
    { kind: 'email', address: email },
  ])
  const section = await makeSection(await makeGroup(), `P${number}`)
  await makeWatch(recipient, section)
  const path = await linkOf(recipient)
  const visitor = new Visitor()
  const see = (at = path) => visitor.see<OwnPageProps>(at)
  const press = (fields: Record<string, string>) => visitor.submit(path, fields)
  const stored = () => one<Record<string, number | string | null>>('SELECT * FROM recipient WHERE id = ?', recipient)
  const contacts = () =>
    rows<{ id: number; kind: string; is_enabled: number; opted_out_at: number | null }>(
      'SELECT id, kind, is_enabled, opted_out_at FROM contact WHERE recipient_id = ? ORDER BY id',
      recipient,
    )
  return { recipient, section, phone, email, path, visitor, see, press, stored, contacts }
}

describe('the page', () => {
  test('shows watches and masked contacts, and nothing about others', async () => {
    const { see, phone, email, section } = await scene()
    await scene()
    const { response, html, data } = await see()
    expect(response.status).toBe(200)
    expect(response.headers.get('x-robots-tag')).toBe('noindex')
    expect(data.page).toBe('OwnPage')
    expect(data.props.sections.map(({ id }) => id)).toEqual([section])
    expect(data.props.contacts.map(({ address }) => address)).toEqual([`•••• ${phone.slice(-4)}`, 'o•••@example.com'])
    expect(html).not.toContain(phone)
    expect(html).not.toContain(email)
  })

  test('marks a contact at which nothing arrives, until it is switched off and on', async () => {
    const { see, press, contacts, email } = await scene()
    await rows("UPDATE contact SET undeliverable_at = 1, undeliverable_reason = 'x' WHERE address = ?", email)
    const { html, data } = await see()
    expect(data.props.contacts.map(({ undeliverable }) => undeliverable)).toEqual([false, true])
    expect(html).toContain('not working')
    const shown = (await contacts()).map(({ id }) => String(id))
    await press({ act: 'contacts', contact: shown[1] ?? '' })
    await press({ act: 'contacts', contact: shown[1] ?? '', use: shown[1] ?? '' })
    expect((await see()).html).not.toContain('not working')
  })

  test('says how long ago a section was checked', async () => {
    const { see, section } = await scene()
    await rows(
      'UPDATE section_group SET read_at = ?1 WHERE id = (SELECT group_id FROM section WHERE id = ?2)',
      Date.now() - 20_000,
      section,
    )
    expect((await see()).html.replaceAll('<!-- -->', '')).toMatch(/checked <time [^>]*data-age="2\d{4}">2\d s ago</)
  })

  test('does not load React, and needs a script only for notifications', async () => {
    const { see } = await scene()
    const { html } = await see()
    expect(html.match(/<script [^>]*src="[^"]+"/g)).toEqual([expect.stringMatching(/\/assets\/push-\w+\.js/)])
  })

  test.each([
    ['a changed signature', (path: string) => `${path.slice(0, -1)}${path.endsWith('A') ? 'B' : 'A'}`],
    ['another recipient', (path: string) => path.replace(/\d+/, (id) => String(Number(id) + 1))],
    ['no signature', (path: string) => path.replace(/\..*$/, '')],
    ['nobody’s number', (path: string) => path.replace(/\d+/, '999999999')],
  ])('is not there for a link with %s', async (_, altered) => {
    const { path, visitor } = await scene()
    expect((await visitor.get(altered(path))).status).toBe(404)
    expect((await visitor.submit(altered(path), { act: 'stop' })).status).not.toBe(303)
  })

  test('moves to another address at staff request, and when a contact is removed', async () => {
    const { path, recipient, visitor, contacts } = await scene()
    const next = await linkOf(recipient, true)
    expect(next).not.toBe(path)
    expect((await visitor.get(path)).status).toBe(404)
    expect((await visitor.get(next)).status).toBe(200)
    const [contact] = await contacts()
    await removeContact(env.DB, trackerStaff, contact?.id ?? 0, Date.now())
    expect((await visitor.get(next)).status).toBe(404)
    expect((await visitor.get(await linkOf(recipient))).status).toBe(200)
  })

  test('is not changed by opening it, or from another site', async () => {
    const { path, visitor, see, stored } = await scene()
    const before = await stored()
    await see()
    const forged = await visitor.submit(path, { act: 'stop' }, { origin: 'https://evil.example' })
    expect(forged.status).toBe(403)
    expect(await stored()).toEqual(before)
  })

  test('is installed under its own address', async () => {
    const { path, visitor } = await scene()
    const answer = await visitor.get(`${path}/app.webmanifest`)
    expect(answer.headers.get('content-type')).toContain('application/manifest+json')
    expect(await answer.json()).toMatchObject({ start_url: path, display: 'standalone' })
  })
})

test('the page says how a class can be watched again', async () => {
  const { see } = await scene()
  const { html } = await see()
  expect(html).not.toContain('Only the person who set up your alerts')
  expect(html).toContain('one of its messages')
})

test('the page says how many of very many classes it leaves out', async () => {
  const { see, recipient } = await scene()
  expect((await see()).html).not.toContain('more class')
  const group = await makeGroup()
  for (let number = 0; number < 201; number += 1) await makeWatch(recipient, await makeSection(group, `MANY${number}`))
  const { html, data } = await see()
  expect(data.props.sections).toHaveLength(200)
  expect(html.replaceAll('<!-- -->', '')).toContain('and 2 more classes')
})

describe('its forms', () => {
  test("end one watch, and notify the recipient's contacts", async () => {
    const { see, press, email, recipient, section } = await scene()
    const other = await makeSection(await makeGroup(), 'OTHER')
    await makeWatch(recipient, other)
    const { html } = await see()
    expect(html).toMatch(/<details><summary[^>]*>Stop watching/)
    const pressed = await press({ act: 'unwatch', section_id: String(section) })
    expect(pressed.status).toBe(303)
    const after = await see()
    expect(after.data.props.sections.map(({ id }) => id)).toEqual([other])
    expect(after.data.context.messages).toEqual([
      { level_tag: 'success', message: expect.stringMatching(/^We no longer watch .+-.+ for you\.$/) },
    ])
    await expect.poll(() => arrivedAt(email)).toEqual([expect.stringContaining('to stop watching one of your classes')])
    expect(
      await rows("SELECT who FROM audit WHERE act = 'deleted' AND table_name = 'watch' ORDER BY id DESC LIMIT 1"),
    ).toEqual([{ who: 'the recipient' }])
  })

  test("end no other recipient's watch, and notify no one of one that ended already", async () => {
    const { see, press, email, section } = await scene()
    const stranger = await scene()
    await see()
    for (const id of [stranger.section, 999_999]) await press({ act: 'unwatch', section_id: String(id) })
    expect((await see()).data.props.sections.map(({ id }) => id)).toEqual([section])
    expect((await stranger.see()).data.props.sections.map(({ id }) => id)).toEqual([stranger.section])
    expect(await arrivedAt(email)).toEqual([])
  })

  test('turn contacts off and on, and keep the other settings', async () => {
    const { see, press, stored, contacts } = await scene()
    await see()
    const [phone] = await contacts()
    // What was not on the page stays unchanged: the mailbox.
    expect((await press({ act: 'contacts', contact: String(phone?.id), sms: 'at_once' })).status).toBe(303)
    expect((await contacts()).map(({ is_enabled }) => is_enabled)).toEqual([0, 1])
    expect(await stored()).toMatchObject({ is_reminded: 0, is_sms_at_once: 1 })
    await press({
      act: 'contacts',
      contact: String(phone?.id),
      use: String(phone?.id),
      is_reminded: 'on',
      sms: 'after',
    })
    expect((await contacts()).map(({ is_enabled }) => is_enabled)).toEqual([1, 1])
    expect(await stored()).toMatchObject({ is_reminded: 1, is_sms_at_once: 0 })
    expect((await see()).data.context.messages).toMatchObject(Array(2).fill({ message: 'Your choices are saved.' }))
  })

  test('keep choices that the page does not show without a device', async () => {
    const { see, press, stored, recipient } = await scene()
    await rows('UPDATE recipient SET is_sms_at_once = 1, is_push_silent = 1 WHERE id = ?', recipient)
    expect((await see()).html).not.toMatch(/name="(?:sms|push)"/)
    await press({ act: 'contacts' })
    await press({ act: 'quiet', from: '', until: '', time_zone: 'UTC' })
    expect(await stored()).toMatchObject({ is_sms_at_once: 1, is_push_silent: 1 })
  })

  test('change whether notifications come without sound in quiet hours', async () => {
    const { see, press, stored, recipient } = await scene()
    await rows(
      "INSERT INTO contact (recipient_id, kind, address, address_key, device, created_at) VALUES (?1, 'push', ?2, ?2, 'Phone', 0)",
      recipient,
      `https://push.example/${recipient}#key.auth`,
    )
    const { html } = await see()
    expect(html).toContain('<input type="hidden" name="push" value="held"/>')
    await press({ act: 'quiet', from: '', until: '', time_zone: 'UTC', push: 'silent' })
    expect(await stored()).toMatchObject({ is_push_silent: 1 })
    await press({ act: 'quiet', from: '', until: '', time_zone: 'UTC', push: 'held' })
    expect(await stored()).toMatchObject({ is_push_silent: 0 })
  })

  test("change no other recipient's contact", async () => {
    const { see, press } = await scene()
    const other = await scene()
    await see()
    const [theirs] = await other.contacts()
    await press({ act: 'contacts', contact: String(theirs?.id) })
    await press({ act: 'contacts', remove: String(theirs?.id) })
    expect((await other.contacts())[0]?.is_enabled).toBe(1)
  })

  test('set quiet hours in a time zone, and end them', async () => {
    const { see, press, stored } = await scene()
    await see()
    const zone = 'America/New_York'
    expect((await press({ act: 'quiet', from: '22:00', until: '07:00', time_zone: zone })).status).toBe(303)
    const row = await stored()
    expect(row).toMatchObject({ quiet_from: 1320, quiet_until: 420, time_zone: zone, is_push_silent: 0 })
    expect(Number(row['quiet_ends_at'])).toBeGreaterThan(Date.now())
    expect((await see()).data.props.quiet_hours).toEqual({ from: '22:00', until: '07:00', time_zone: zone })
    await press({ act: 'quiet', from: '', until: '', time_zone: zone })
    expect(await stored()).toMatchObject({ quiet_from: null, quiet_ends_at: null })
  })

  test("tell the recipient's contacts of new quiet hours, but not when they end or are saved again", async () => {
    const { see, press, email } = await scene()
    await see()
    const hours = { act: 'quiet', from: '00:00', until: '23:59', time_zone: 'UTC' }
    for (const act of [hours, hours, { act: 'quiet', from: '', until: '' }, hours]) await press(act)
    await expect.poll(() => arrivedAt(email)).toHaveLength(2)
    expect(await arrivedAt(email)).toEqual(Array(2).fill(expect.stringContaining('to set quiet hours')))
  })

  test.each([
    [{ from: '22:00', until: '22:00', time_zone: 'UTC' }, 'two different times'],
    [{ from: '22:00', until: '', time_zone: 'UTC' }, 'two different times'],
    [{ from: '22:00', until: '07:00', time_zone: 'Moon/Crater' }, 'time zone'],
  ])('are shown again as they were filled: %j', async (fields, sentence) => {
    const { see, press, visitor, stored } = await scene()
    await see()
    const { response, html } = await visitor.read(await press({ act: 'quiet', ...fields }))
    expect(response.status).toBe(422)
    expect(html).toContain(sentence)
    expect(html).toContain('value="22:00"')
    const summary = /<h1>.*?class="error-summary".*?<a href="#quiet-from">(.*?)<\/a>.*?<h2/s.exec(html)?.[1]
    expect(summary).toContain(sentence)
    expect(await stored()).toMatchObject({ quiet_from: null })
  })

  test('pause for a while, and resume', async () => {
    const { see, press, stored } = await scene()
    await see()
    await press({ act: 'pause', days: '7' })
    expect(Number((await stored())['paused_until']) - Date.now()).toBeGreaterThan(6.9 * 24 * 3600_000)
    expect((await see()).data.props.paused_until).not.toBeNull()
    await press({ act: 'resume' })
    expect(await stored()).toMatchObject({ paused_until: null })
    expect((await press({ act: 'pause', days: '365' })).status).toBe(422)
  })

  test('stop everything, and restart what can be restarted from here', async () => {
    const { see, press, contacts, recipient } = await scene()
    await see()
    await press({ act: 'stop' })
    expect((await contacts()).every(({ opted_out_at }) => opted_out_at !== null)).toBe(true)
    expect((await see()).html).toContain('text START')
    await press({ act: 'start' })
    expect((await contacts()).map(({ opted_out_at }) => opted_out_at === null)).toEqual([false, true])
    const kept = await rows(
      "SELECT act, who FROM audit WHERE table_name = 'recipient' AND row_key = ?",
      String(recipient),
    )
    expect(kept).toEqual([
      { act: 'stopped all messages', who: 'the recipient' },
      { act: 'asked for messages again', who: 'the recipient' },
    ])
  })

  test('promise no messages when none can arrive, and the page says so', async () => {
    const { see, press, contacts } = await scene()
    const unreachable = 'No message can reach you: every way is off, stopped or not working.'
    expect((await see()).html).not.toContain(unreachable)
    const shown = (await contacts()).map(({ id }) => String(id))
    for (const contact of shown) await press({ act: 'contacts', contact })
    const off = await see()
    expect([off.data.props.can_be_reached, off.html.includes(unreachable)]).toEqual([false, true])
    await press({ act: 'pause', days: '1' })
    await press({ act: 'stop' })
    expect((await see()).html).not.toContain(unreachable)
    await press({ act: 'start' })
    await press({ act: 'resume' })
    const { html, data } = await see()
    expect(html).toContain(unreachable)
    expect(data.context.messages.map(({ message }) => message)).toEqual([
      'Messages are no longer stopped. No message can reach you.',
      'Messages are no longer paused. No message can reach you.',
    ])
    await press({ act: 'pause', days: '1' })
    await press({ act: 'contacts', contact: shown[1] ?? '', use: shown[1] ?? '' })
    const last = await see()
    expect(last.data.props.can_be_reached).toBe(true)
    expect(last.data.context.messages.at(-1)?.message).toMatch(/^Your choices are saved. Messages are paused until /)
  })

  test('show a stopped contact as off, leave it as it is, and name what can be started again', async () => {
    const { see, press, contacts } = await scene()
    const boxes = async () =>
      (await see()).html.match(/<input type="(?:checkbox"[^>]*name="use"|hidden" name="contact")[^>]*>/g)
    expect((await boxes())?.join('').match(/checked/g)).toHaveLength(2)
    await press({ act: 'stop' })
    const stopped = await boxes()
    expect(stopped).toEqual(Array(2).fill(expect.stringMatching(/^(?!.*checked="").*disabled=""/)))
    expect((await see()).html).toContain('Messages to o•••@example.com are stopped.')
    await press({ act: 'contacts', is_reminded: 'on' })
    expect((await contacts()).map(({ is_enabled }) => is_enabled)).toEqual([1, 1])
  })

  test('lead back to their part of the page, and a refused one to its first field', async () => {
    const { see, press, section } = await scene()
    const { html } = await see()
    for (const [fields, part] of [
      [{ act: 'contacts' }, 'contacts'],
      [{ act: 'quiet', from: '', until: '' }, 'quiet'],
      [{ act: 'pause', days: '1' }, 'pause'],
      [{ act: 'resume' }, 'pause'],
      [{ act: 'stop' }, 'stop'],
      [{ act: 'start' }, 'stop'],
      [{ act: 'unwatch', section_id: String(section) }, 'watched'],
    ] as const) {
      expect((await press(fields)).headers.get('location')).toMatch(new RegExp(`#${part}$`))
      expect(html).toContain(`<section class="card" id="${part}">`)
    }
    // Browsers ignore autofocus at an address that ends in a part's name, as it would without an action.
    expect(html).not.toMatch(/<form method="post"(?![^>]* action=)/)
    const refused = await press({ act: 'quiet', from: '22:00', until: '22:00', time_zone: 'UTC' })
    expect(await refused.text()).toMatch(/<input [^>]*id="quiet-from"[^>]*autofocus/i)
    expect(html).not.toMatch(/<input [^>]*id="quiet-[^>]*autofocus/i)
  })

  test('restart no address that stopped its own messages, and say which stay stopped and why', async () => {
    const { see, press, contacts, recipient, email } = await scene()
    const other = `other-${email}`
    await rows(
      "INSERT INTO contact (recipient_id, kind, address, address_key, created_at) VALUES (?1, 'email', ?2, ?2, 0)",
      recipient,
      other,
    )
    const unsubscribe = (address_key: string) => optOut(env.DB, { kind: 'email', address_key }, Date.now())
    const stopped = async () => (await contacts()).map(({ opted_out_at }) => opted_out_at !== null)
    await unsubscribe(other)
    const first = await see()
    expect(first.html).not.toContain('Send me messages again')
    expect(first.html.replaceAll('<!-- -->', '')).toContain(
      'Messages to o•••@example.com were stopped from one of its own',
    )
    await press({ act: 'start' })
    expect(await stopped()).toEqual([false, false, true])
    await press({ act: 'stop' })
    expect((await see()).html).toContain('Send me messages again')
    await press({ act: 'start' })
    expect(await stopped()).toEqual([true, false, true])
    // A mailbox that unsubscribes while all messages are stopped stays unsubscribed when they start again.
    await press({ act: 'stop' })
    await unsubscribe(email)
    await press({ act: 'start' })
    expect(await stopped()).toEqual([true, true, true])
    expect(await rows('SELECT address_key FROM opt_out WHERE address_key IN (?, ?)', email, other)).toHaveLength(2)
  })

  test('restart messages that were stopped on the page of another recipient who had the address', async () => {
    const { see, press, email } = await scene()
    await see()
    await press({ act: 'stop' })
    const next = await scene()
    await rows('DELETE FROM contact WHERE address_key = ?', email)
    await rows(
      "INSERT INTO contact (recipient_id, kind, address, address_key, created_at) VALUES (?1, 'email', ?2, ?2, 0)",
      next.recipient,
      email,
    )
    const stopped = async () => (await next.contacts()).map(({ opted_out_at }) => opted_out_at !== null)
    expect(await stopped()).toEqual([false, false, true])
    expect((await next.see()).html).toContain('Send me messages again')
    await next.press({ act: 'start' })
    expect(await stopped()).toEqual([false, false, false])
    expect(await rows('SELECT at FROM opt_out WHERE address_key = ?', email)).toEqual([])
  })

  test('are audited only if they change something', async () => {
    const { see, press, contacts, recipient } = await scene()
    await see()
    const [texts, mails] = await contacts()
    const both = { act: 'contacts', contact: String(texts?.id), use: String(texts?.id), is_reminded: 'on' }
    const off = { act: 'contacts', contact: String(mails?.id), is_reminded: 'on' }
    const quiet = { act: 'quiet', from: '22:00', until: '07:00', time_zone: 'America/Chicago' }
    const louder = { act: 'quiet', from: '', until: '' }
    const acts = [both, off, off, quiet, quiet, louder, louder, { act: 'resume' }, { act: 'start' }]
    for (const act of [...acts, { act: 'stop' }, { act: 'stop' }, { act: 'start' }, { act: 'start' }])
      expect((await press(act)).status).toBe(303)
    const audited = await rows<{ act: string }>(
      "SELECT act FROM audit WHERE table_name = 'recipient' AND row_key = ? ORDER BY id",
      String(recipient),
    )
    expect(audited.map(({ act }) => act)).toEqual([
      'changed',
      'changed',
      'changed',
      'stopped all messages',
      'asked for messages again',
    ])
  })

  test('are limited, except those that end messages', async () => {
    const { see, press, recipient, section } = await scene()
    await see()
    await takeOften('change_on_own_page', String(recipient), 60, { limit: 60, window_ms: 60 * 60_000 })
    const refused = await press({ act: 'pause', days: '1' })
    expect(refused.status).toBe(429)
    expect((await press({ act: 'unwatch', section_id: String(section) })).status).toBe(303)
    expect((await press({ act: 'stop' })).status).toBe(303)
  })

  test('are reported to every contact, because someone else may have the link', async () => {
    const { see, press, contacts, phone, email } = await scene()
    await see()
    const [texts] = await contacts()
    const arrivals = (address: string) => expect.poll(() => arrivedAt(address))
    // The contact that was switched off is notified once, and so are those that stay on; the text has no link to the
    // page.
    await press({ act: 'contacts', contact: String(texts?.id), is_reminded: 'on', sms: 'after' })
    await arrivals(phone).toEqual([expect.stringMatching(/turn off one of the ways we reach you.*Not you\? Ask/)])
    await arrivals(email).toEqual([expect.stringMatching(/turn off one of the ways we reach you[^]*\/r\/\d+\./)])
    await press({ act: 'contacts', contact: String(texts?.id), is_reminded: 'on', sms: 'after' })
    await press({ act: 'pause', days: '1' })
    await press({ act: 'resume' })
    await press({ act: 'pause', days: '30' })
    await arrivals(email).toHaveLength(2)
    expect((await arrivedAt(email))[1]).toContain('pause all class alerts')
    expect(await arrivedAt(phone)).toHaveLength(1)
  })

  test("staff see the end of a recipient's pause", async () => {
    const { see, press, recipient } = await scene()
    const listed = async () =>
      (await listRecipients(env, { page: 1, search: '' }, Date.now())).recipients.find(({ id }) => id === recipient)
    expect(await listed()).not.toHaveProperty('paused_until')
    await see()
    await press({ act: 'pause', days: '30' })
    expect(Date.parse((await listed())?.paused_until ?? '') - Date.now()).toBeGreaterThan(29.9 * 24 * 3600_000)
    await rows('UPDATE recipient SET paused_until = 1 WHERE id = ?', recipient)
    expect(await listed()).not.toHaveProperty('paused_until')
  })

  test('ignore unknown acts', async () => {
    const { see, press } = await scene()
    await see()
    expect((await press({ act: 'become_admin' })).status).toBe(400)
  })
})

test("only staff can see a recipient's link", async () => {
  const { recipient } = await scene()
  const visitor = { ...trackerStaff, role: 'visitor' } as const
  await expect(getRecipientLink(env, visitor, recipient, { isNew: false, now: 0 })).rejects.toMatchObject({
    status: 403,
  })
  await expect(getRecipientLink(env, trackerStaff, 999_999_999, { isNew: true, now: 0 })).rejects.toMatchObject({
    status: 404,
  })
})
