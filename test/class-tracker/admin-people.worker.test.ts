import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, test } from 'vitest'
import { MAX_WATCHES } from '../../src/class-tracker/watches/add-watched-section.ts'
import { Desk } from '../worker/admin-desk.ts'
import { type MadeGroup, makeAnotherSection, makeGroup, makeRecipient, makeWatch } from '../worker/catalog.ts'
import { addressOf, arrivedAt, makeDeliveries, makeDelivery } from '../worker/deliveries.ts'
import { one, rows } from '../worker/rows.ts'
import { until } from '../worker/world.ts'

let desk: Desk
let group: MadeGroup

beforeAll(async () => {
  desk = await Desk.open()
  group = await makeGroup()
})

const section = (status?: 'open' | 'closed') => makeAnotherSection(group, status)
const reachable = () => makeRecipient([{ kind: 'phone', address: addressOf('phone') }])
const nameOf = async (recipient: number) =>
  (await one<{ name: string }>('SELECT name FROM recipient WHERE id = ?', recipient)).name
const pair = (recipient: number, watched: number) => ({ recipient_id: String(recipient), section_id: String(watched) })

describe('watches', () => {
  test('are added by the rules of Add Classes, with its messages, and audited', async () => {
    const [recipient, watched] = [await makeRecipient(), await section('open')]
    const { status, text } = await desk.add('watches', pair(recipient, watched))
    expect(status, text).toBe(303)
    expect(text).toContain('has no usable contact. No alert can be sent until one is added or enabled.')
    expect(text).toContain('If it still is, the alert goes out at the next check.')
    const made = await one<{ id: number }>('SELECT id, is_new FROM watch WHERE recipient_id = ?', recipient)
    expect(made).toMatchObject({ is_new: 1 })
    expect(await desk.entry('watch')).toMatchObject({ act: 'added', row_key: String(made.id) })
    expect(await one('SELECT watch_count FROM section WHERE id = ?', watched)).toEqual({ watch_count: 1 })
    const again = await desk.add('watches', pair(recipient, watched))
    expect(again.status).toBe(422)
    expect(again.text).toMatch(/Section \S+ 101 - Introduction is already being watched/)
  })

  test('that were archived become active again under their old id', async () => {
    const [recipient, watched] = [await reachable(), await section()]
    await makeWatch(recipient, watched)
    const { id } = await one<{ id: number }>(
      'UPDATE watch SET archived_at = 5 WHERE recipient_id = ? RETURNING id',
      recipient,
    )
    expect(await desk.titles(`watches/?recipient_id=${recipient}&state=archived`)).toHaveLength(1)
    const { location } = await desk.add('watches', pair(recipient, watched))
    expect(location).toBe(`/admin/watches/${id}/`)
    expect(await one('SELECT archived_at FROM watch WHERE id = ?', id)).toEqual({ archived_at: null })
  })

  test('of an unknown recipient or section, or beyond the limit, are rejected', async () => {
    const recipient = await makeRecipient()
    expect((await desk.add('watches', pair(987_654, await section()))).status).toBe(422)
    expect((await desk.add('watches', pair(recipient, 987_654))).status).toBe(422)
    expect((await desk.add('watches', { recipient_id: String(recipient) })).text).toContain('This field is required.')
    await rows(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${MAX_WATCHES})
       INSERT INTO section (school_term_id, group_id, course_id, section_key, section, topic, status, instruction_list, instruction_mode, fingerprint, created_at)
       SELECT ?, ?, ?, 'many' || i, '001', '', 'closed', '[]', '', '', 0 FROM n`,
      group.school_term_id,
      group.group_id,
      group.course_id,
    )
    await rows(
      "INSERT INTO watch (recipient_id, section_id, created_at, is_new) SELECT ?, id, 0, 0 FROM section WHERE section_key LIKE 'many%'",
      recipient,
    )
    const tooMany = await desk.add('watches', pair(recipient, await section()))
    expect(tooMany.text).toContain(`already watches ${MAX_WATCHES} sections; at most ${MAX_WATCHES} are possible.`)
  })

  test('are removed as on the page: waiting messages are canceled', async () => {
    const made = await makeDelivery('phone')
    const { id } = await one<{ id: number }>('SELECT id FROM watch WHERE recipient_id = ?', made.recipient)
    const { asked, text, status } = await desk.delete('watches', id)
    expect(asked).toContain('anything not yet sent is canceled')
    expect(status).toBe(303)
    expect(text).toContain('Section removed successfully')
    expect(await one('SELECT state FROM delivery WHERE id = ?', made.id)).toEqual({ state: 'canceled' })
    expect(await desk.entry('watch')).toMatchObject({ act: 'deleted', row_key: String(id) })
  })
})

describe('contacts', () => {
  const contact = (recipient: number, kind: string, address: string) => ({
    recipient_id: String(recipient),
    kind,
    address,
    is_enabled: '1',
  })

  test('are added, changed and removed by the rules of recipients', async () => {
    const recipient = await makeRecipient()
    const { status, text } = await desk.add('contacts', contact(recipient, 'phone', '(212) 555-0160'))
    expect(status, text).toBe(303)
    const made = await one<{ id: number }>(
      'SELECT id, address, address_key FROM contact WHERE recipient_id = ?',
      recipient,
    )
    expect(made).toMatchObject({ address: '+12125550160', address_key: '+12125550160' })
    await rows('UPDATE contact SET verified_at = 5 WHERE id = ?', made.id)
    expect((await desk.change('contacts', made.id, { address: '212 555 0161' })).status).toBe(303)
    expect(await one('SELECT address, verified_at FROM contact WHERE id = ?', made.id)).toEqual({
      address: '+12125550161',
      verified_at: null,
    })
    expect(await desk.entry('contact')).toMatchObject({ act: 'changed', before: { address: '+12125550160' } })
    expect(await desk.titles('contacts/?q=%2b1212555016')).toEqual([`${await nameOf(recipient)}: phone +12125550161`])
    expect((await desk.delete('contacts', made.id)).text).toContain('Contact removed successfully')
    expect(await rows('SELECT id FROM contact WHERE id = ?', made.id)).toEqual([])
  })

  test("of other recipients, malformed ones and duplicates are rejected with the page's messages", async () => {
    const [owner, other] = [await makeRecipient(), await makeRecipient()]
    await desk.add('contacts', contact(owner, 'phone', '+12125550192'))
    const taken = await desk.add('contacts', contact(other, 'phone', '212-555-0192'))
    expect(taken.status).toBe(422)
    expect(taken.text).toContain(`This contact already belongs to ${await nameOf(owner)}.`)
    const viaRecipient = await desk.add('recipients', {
      name: 'Third',
      'contacts-new-kind': 'phone',
      'contacts-new-address': '212-555-0192',
    })
    expect(viaRecipient.text).toContain(`This contact already belongs to ${await nameOf(owner)}.`)
    const double = await desk.add('contacts', contact(owner, 'phone', '212-555-0192'))
    expect(double.text).toContain('This recipient already has this contact.')
    expect((await desk.add('contacts', contact(other, 'phone', '12'))).text).toContain('Enter a valid phone number')
    expect((await desk.add('contacts', contact(other, 'email', 'nobody'))).text).toContain(
      'Enter a valid email address.',
    )
    expect((await desk.add('contacts', contact(other, 'pigeon', 'coop'))).text).toContain('Select a valid choice.')
  })

  test('that opted out get messages again, as does a recipient who adds the address again', async () => {
    const recipient = await makeRecipient([{ kind: 'email', address: 'back@example.com' }])
    const { id } = await one<{ id: number }>('SELECT id FROM contact WHERE recipient_id = ?', recipient)
    const optedOut = () => one('SELECT opted_out_at FROM contact WHERE recipient_id = ?', recipient)
    await rows('UPDATE contact SET opted_out_at = 5 WHERE id = ?', id)
    await desk.delete('contacts', id)
    await desk.add('contacts', contact(recipient, 'email', 'back@example.com'))
    expect(await optedOut()).toEqual({ opted_out_at: 5 })
    const again = await one<{ id: number }>('SELECT id FROM contact WHERE recipient_id = ?', recipient)
    expect((await desk.act('contacts', 'opt_in', again.id)).text).toContain('1 contact changed')
    expect(await optedOut()).toEqual({ opted_out_at: null })
    expect(await desk.entry('contact')).toMatchObject({ act: 'changed', before: { opted_out_at: 5 } })
    await desk.delete('contacts', again.id)
    await desk.add('contacts', contact(recipient, 'email', 'back@example.com'))
    expect(await optedOut()).toEqual({ opted_out_at: null })
  })

  test('are shown without the token of a webhook and the keys of a device, also with their messages', async () => {
    const keys = `${'p'.repeat(87)}.${'a'.repeat(22)}`
    const device = { kind: 'push', address: `https://fcm.googleapis.com/fcm/send/${'x'.repeat(400)}#${keys}` } as const
    const [webhook, push] = await makeDeliveries([{ kind: 'discord', address: addressOf('discord') }, device])
    if (!webhook || !push) throw new Error('nothing was made')
    await rows("UPDATE contact SET device = 'Chrome on Android' WHERE address = ?", device.address)
    const { id } = await one<{ id: number }>('SELECT id FROM contact WHERE address = ?', device.address)
    const [token = ''] = webhook.address.split('/').slice(-1)
    const list = `deliveries/?recipient_id=${push.recipient}`
    for (const path of [list, `deliveries/${webhook.id}/`, `deliveries/${push.id}/`, `contacts/${id}/`]) {
      const { html } = await desk.see(path)
      expect([path, html.includes(token), html.includes(keys)]).toEqual([path, false, false])
    }
    const { text } = await desk.see(list)
    expect(text).toMatch(/Discord webhook …\d{4}/)
    expect(text).toContain('Chrome on Android')
    // The form that shows a device by its name leaves its address as it is.
    expect((await desk.change('contacts', id, { is_enabled: '0' })).status).toBe(303)
    expect((await desk.change('recipients', push.recipient, { name: 'Grace' })).status).toBe(303)
    expect(await one('SELECT address, device FROM contact WHERE id = ?', id)).toEqual({
      address: device.address,
      device: 'Chrome on Android',
    })
    for (const refused of [
      await desk.change('contacts', id, { address: 'My phone' }),
      await desk.change('contacts', id, { kind: 'phone', address: '(212) 555-0142' }),
      await desk.change('recipients', push.recipient, { [`contacts-${id}-address`]: 'My phone' }),
    ])
      expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('A device can only be turned off')])
    await rows('DELETE FROM contact WHERE recipient_id = ?', push.recipient)
    expect((await desk.see(list)).text).toContain('Removed device')
  })

  test('stay masked in a message that was sent to them', async () => {
    const made = await makeDelivery('phone')
    const { contact_id } = await one<{ contact_id: number }>('SELECT contact_id FROM delivery WHERE id = ?', made.id)
    expect((await desk.see(`deliveries/${made.id}/`)).text).toContain(made.address)
    await desk.delete('contacts', contact_id)
    const { html, text } = await desk.see(`deliveries/${made.id}/`)
    expect(html).not.toContain(made.address)
    expect(text).toContain(`•••• ${made.address.slice(-4)}`)
    expect((await desk.see('deliveries/')).html).not.toContain(made.address)
  })
})

describe('alerts and messages', () => {
  test('show the state of each', async () => {
    const made = await makeDelivery('email')
    const { id } = await one<{ id: number }>('SELECT id FROM class_alert WHERE recipient_id = ?', made.recipient)
    const states = async () => (await desk.see(`alerts/?recipient_id=${made.recipient}`)).text
    expect(await states()).toContain('Sending')
    await rows("UPDATE delivery SET state = 'failed', last_error = 'No such mailbox.' WHERE id = ?", made.id)
    expect(await desk.titles(`alerts/?recipient_id=${made.recipient}&state=failed`)).toHaveLength(1)
    const { text } = await desk.see(`alerts/${id}/`)
    for (const said of ['No such mailbox.', 'Failed', 'Messages']) expect(text).toContain(said)
    await rows('DELETE FROM delivery WHERE id = ?', made.id)
    expect(await desk.titles(`alerts/?recipient_id=${made.recipient}&state=no_contact`)).toHaveLength(1)
    expect((await desk.visitor.get('/admin/alerts/add/')).status).toBe(404)
    expect((await desk.visitor.submit(`/admin/alerts/${id}/`, {})).status).toBe(403)
  })

  test('deleting an alert lists what happens to its messages', async () => {
    const made = await makeDelivery('phone')
    const { id } = await one<{ id: number }>('SELECT id FROM class_alert WHERE recipient_id = ?', made.recipient)
    const { asked, status } = await desk.delete('alerts', id)
    expect(asked).toContain('unsent messages go out without this alert')
    expect(status).toBe(303)
    expect(await desk.entry('class_alert')).toMatchObject({ act: 'deleted', row_key: String(id) })
  })

  test('failed messages can be found and retried, others cannot', async () => {
    const [failed, sent] = [await makeDelivery('phone'), await makeDelivery('phone')]
    await rows("UPDATE delivery SET state = 'failed', attempts = 5, last_error = 'Down.' WHERE id = ?", failed.id)
    await rows("UPDATE delivery SET state = 'sent' WHERE id = ?", sent.id)
    expect(await desk.titles('deliveries/?failed=yes')).toEqual([`${await nameOf(failed.recipient)}: phone failed`])
    const refused = await desk.act('deliveries', 'retry', sent.id)
    expect(refused.text).toContain('This message is sent: only failed or expired messages can be retried.')
    await rows("UPDATE delivery SET state = 'not_needed' WHERE id = ?", sent.id)
    expect((await desk.act('deliveries', 'retry', sent.id)).text).toContain('This message is not needed: only failed')
    const { text } = await desk.act('deliveries', 'retry', failed.id)
    expect(text).toContain('1 message is being sent again.')
    expect(await desk.entry('delivery')).toMatchObject({
      act: 'retried',
      area: 'class_tracker',
      row_key: String(failed.id),
      before: { state: 'failed', attempts: 5, last_error: 'Down.' },
    })
    await until(
      () => arrivedAt(failed.address),
      (messages) => messages.length === 1,
      'the message',
    )
    expect((await desk.visitor.get(`/admin/deliveries/${failed.id}/delete/`)).status).toBe(404)
    expect((await desk.visitor.get('/admin/openings/1/delete/')).status).toBe(404)
  })

  test('a recipient is deleted with its alerts after a warning', async () => {
    const made = await makeDelivery('phone')
    const { affected, status } = await desk.delete('recipients', made.recipient)
    expect(affected).toEqual(['1 contacts', '1 watches', '1 alerts', '1 messages'])
    expect(status).toBe(303)
    expect(await rows('SELECT id FROM delivery WHERE id = ?', made.id)).toEqual([])
  })
})

describe("staff actions on the class tracker's pages are audited", () => {
  const call = async (path: string, fields: Record<string, string> = {}) => {
    const answer = await desk.visitor.call('POST', `/class_tracker/${path}`, fields)
    return { status: answer.status, body: await answer.json<{ recipient: { id: number } }>() }
  }

  test('recipients and their contacts', async () => {
    const { body } = await call('add_recipient/0', { 'recipient-name': 'Ada', 'contact-new-number': '212 555 0180' })
    const { id } = body.recipient
    expect(await desk.entry('recipient')).toMatchObject({
      act: 'added',
      area: 'class_tracker',
      row_key: String(id),
      title: 'Ada',
      before: null,
      after: { name: 'Ada', 'contacts-new-address': '+12125550180' },
    })
    await call(`add_recipient/${id}`, { 'recipient-name': 'Ada L' })
    expect(await desk.entry('recipient')).toMatchObject({
      act: 'changed',
      before: { name: 'Ada' },
      after: { name: 'Ada L' },
    })
    const count = async () => (await one<{ n: number }>('SELECT count(*) AS n FROM audit')).n
    const before = await count()
    await call(`add_recipient/${id}`, { 'recipient-name': 'Ada L' })
    await call(`add_recipient/${id}`, { 'recipient-name': '' })
    await call('remove_recipient/987654')
    await call('remove_contact/987654')
    await call('retry_delivery/987654')
    await call(`refresh_semester_data/987654/${group.term_id}`)
    expect(await count()).toBe(before)
    const contact = await one<{ id: number }>('SELECT id FROM contact WHERE recipient_id = ?', id)
    await call(`remove_contact/${contact.id}`)
    expect(await desk.entry('contact')).toMatchObject({ act: 'deleted', title: 'Ada L: phone +12125550180' })
    await call(`remove_recipient/${id}`)
    expect(await desk.entry('recipient')).toMatchObject({ act: 'deleted', before: { name: 'Ada L', watches: 0 } })
  })

  test('watches, once each', async () => {
    const [recipient, watched] = [await reachable(), await section()]
    const entries = () =>
      rows('SELECT act, title FROM audit WHERE table_name = ? AND title LIKE ? ORDER BY id', 'watch', `${name}: %`)
    const name = await nameOf(recipient)
    await call(`add_watched_section/${recipient}/${watched}`)
    await call(`add_watched_section/${recipient}/${watched}`)
    await call(`remove_watched_section/${recipient}/${watched}`)
    await call(`remove_watched_section/${recipient}/${watched}`)
    const title = expect.stringMatching(new RegExp(`^${name}: \\S+ 101-001$`))
    expect(await entries()).toEqual([
      { act: 'added', title },
      { act: 'deleted', title },
    ])
  })

  test('retries', async () => {
    const made = await makeDelivery('email')
    await rows("UPDATE delivery SET state = 'failed' WHERE id = ?", made.id)
    await call(`retry_delivery/${made.id}`)
    expect(await desk.entry('delivery')).toMatchObject({ act: 'retried', row_key: String(made.id) })
  })

  test('refreshes', async () => {
    await env.DB.prepare('UPDATE source SET is_enabled = 0').run()
    const { term_id, school_id, subject_id } = group
    await call('refresh_available_terms')
    expect(await desk.entry('source')).toMatchObject({ act: 'refreshed', title: 'Terms and schools of every source' })
    await call(`refresh_semester_data/${school_id}/${term_id}`)
    expect((await desk.entry('subject')).title).toMatch(/^Subjects at School \d+, 2026 Fall Term$/)
    await call(`fetch_new_semester_course_sections/0/${term_id}/${subject_id}`)
    expect((await desk.entry('section')).title).toMatch(/^Sections of Subject \S+ at School \d+, 2026 Fall Term$/)
    await call(`fetch_new_semester_course_sections/0/${term_id}/0`)
    expect((await desk.entry('section')).title).toBe('Sections of every subject at every school, 2026 Fall Term')
  })
})
