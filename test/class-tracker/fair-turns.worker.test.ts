import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { fairTurnsRule } from '../../src/class-tracker/alerts/fair-turns.ts'
import { releaseDueAlerts } from '../../src/class-tracker/alerts/release-alerts.ts'
import type { OwnPageProps } from '../../src/class-tracker/own-page/contract.ts'
import { recordMailEvent } from '../../src/class-tracker/deliveries/record-mail-event.ts'
import { removeWatchedSection } from '../../src/class-tracker/watches/remove-watched-section.ts'
import { getRecipientLink } from '../../src/class-tracker/recipients/own-link.ts'
import { type MadeGroup, makeGroup, makeRecipient, makeSection, makeWatch } from '../worker/catalog.ts'
import { addressOf } from '../worker/deliveries.ts'
import { pollSees } from '../worker/poll-sees.ts'
import { rows } from '../worker/rows.ts'
import { trackerStaff } from '../worker/tracker-staff.ts'
import { Visitor } from '../worker/visitor.ts'

const set = (name: string, value: string) =>
  rows(
    `INSERT INTO setting (name, value, changed_at) VALUES (?, ?, 0) ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    name,
    value,
  )

beforeEach(() => set('fair_turns', 'on'))
afterEach(() => rows('DELETE FROM setting'))

interface Waiting {
  group: MadeGroup
  section: number
  /** Longest wait first. */
  people: number[]
  at: number
}

const sees = ({ group, at }: Waiting, status: 'open' | 'closed', free: number, now = at) =>
  pollSees(group, now, status, free)

/** People waiting for a full section; the last one to join has the first id. */
async function begin(count: number): Promise<Waiting> {
  const group = await makeGroup()
  const section = await makeSection(group, '10001', 'closed', 0)
  const people: number[] = []
  for (let index = 0; index < count; index += 1) {
    const recipient = await makeRecipient([{ kind: 'email', address: addressOf('email') }])
    await makeWatch(recipient, section)
    await rows('UPDATE watch SET created_at = ? WHERE recipient_id = ?', 1000 - index, recipient)
    people.unshift(recipient)
  }
  return { group, section, people, at: Date.now() }
}

/** Someone begins to wait for the section, which is open. */
async function joinLine({ section, people }: Waiting): Promise<void> {
  const newcomer = await makeRecipient([{ kind: 'email', address: addressOf('email') }])
  await makeWatch(newcomer, section, false)
  people.push(newcomer)
}

/** Sweeps so many seconds after the opening. */
async function sweepAfter({ at }: Waiting, seconds: readonly number[]): Promise<void> {
  for (const one of seconds) await releaseDueAlerts(env.DB, crypto.randomUUID(), at + one * 1000)
}

const endWatch = ({ section, at }: Waiting, recipientId: number) =>
  removeWatchedSection(env.DB, trackerStaff, { recipientId, sectionId: section }, at + 1000)

/** The recipients of messages, in the order of their wait. */
const notified = async ({ people }: Waiting) => {
  const made = await rows<{ recipient_id: number }>('SELECT DISTINCT recipient_id FROM delivery')
  return people.map((person) => made.some(({ recipient_id }) => recipient_id === person))
}

async function pass(code: string): Promise<void> {
  const visitor = new Visitor()
  await visitor.see(`/s/${code}`)
  expect((await visitor.submit(`/s/${code}/pass/`, {})).status).toBe(303)
}

test('waves are as large as the number of seats, longest wait first, and spaced in time', async () => {
  const waiting = await begin(5)
  await sees(waiting, 'open', 2)
  expect(await notified(waiting)).toEqual([true, true, false, false, false])
  await releaseDueAlerts(env.DB, crypto.randomUUID(), waiting.at + 59_000)
  expect(await notified(waiting)).toEqual([true, true, false, false, false])
  await releaseDueAlerts(env.DB, crypto.randomUUID(), waiting.at + 60_000)
  expect(await notified(waiting)).toEqual([true, true, true, true, false])
  await set('wave_seconds', '10')
  await releaseDueAlerts(env.DB, crypto.randomUUID(), waiting.at + 120_000)
  expect(await notified(waiting)).toEqual([true, true, true, true, true])
})

test('a wave is no larger than the number of seats that anyone may take', async () => {
  const waiting = await begin(3)
  await pollSees(waiting.group, waiting.at, 'open', 5, 1)
  expect(await notified(waiting)).toEqual([true, false, false])
})

test.each([
  ['is paused', 'UPDATE recipient SET paused_until = 9e12 WHERE id = ?'],
  ['has quiet hours', 'UPDATE recipient SET quiet_starts_at = 0, quiet_ends_at = 9e12 WHERE id = ?'],
  ['stopped', 'UPDATE contact SET opted_out_at = 1 WHERE recipient_id = ?'],
  ['switched the contact off', 'UPDATE contact SET is_enabled = 0 WHERE recipient_id = ?'],
  ['has an address that does not exist', 'UPDATE contact SET undeliverable_at = 1 WHERE recipient_id = ?'],
  ['has no contact', 'DELETE FROM contact WHERE recipient_id = ?'],
  [
    'was notified of the section a minute ago',
    'UPDATE watch SET last_alert_at = (1000 * unixepoch()) - 60000 WHERE recipient_id = ?',
  ],
])('a person who %s takes no place in a wave', async (_, change) => {
  const waiting = await begin(4)
  await rows(change, waiting.people[0])
  await rows(change, waiting.people[2])
  await sees(waiting, 'open', 1)
  const waves = async () => {
    const made = await rows<{ recipient_id: number; wave: number }>(
      'SELECT recipient_id, wave FROM class_alert WHERE section_id = ?',
      waiting.section,
    )
    return waiting.people.map((person) => made.find(({ recipient_id }) => recipient_id === person)?.wave)
  }
  expect(await waves()).toEqual([0, 0, 1, 1])
  const sent = await rows<{ recipient_id: number }>("SELECT recipient_id FROM delivery WHERE state = 'queued'")
  expect(sent.map((one) => waiting.people.indexOf(one.recipient_id)).filter((place) => place >= 0)).toEqual([1])
})

test('an answer of Pass or I got the seat starts the next wave at once, and the following ones earlier', async () => {
  const waiting = await begin(4)
  await sees(waiting, 'open', 1)
  for (const [index, act] of ['pass', 'got_it'].entries()) {
    const code = `turn${index}`.padEnd(10, '0')
    await rows('UPDATE delivery SET link_code = ? WHERE recipient_id = ?', code, waiting.people[index])
    const visitor = new Visitor()
    expect((await visitor.see(`/s/${code}`)).html).toContain(fairTurnsRule)
    expect((await visitor.submit(`/s/${code}/${act}/`, {})).status).toBe(303)
    await releaseDueAlerts(env.DB, crypto.randomUUID(), Date.now())
    expect(await notified(waiting)).toEqual([true, true, index > 0, false])
  }
  const [last] = await rows<{ release_at: number }>(
    'SELECT release_at FROM class_alert WHERE recipient_id = ?',
    waiting.people[3],
  )
  expect(last?.release_at).toBeLessThanOrEqual(Date.now() + 60_000)
})

test('one person starts one wave, however often they answer, and none with the link of an earlier opening', async () => {
  const waiting = await begin(5)
  await sees(waiting, 'open', 1)
  await rows("UPDATE delivery SET link_code = 'once000000' WHERE recipient_id = ?", waiting.people[0])
  const visitor = new Visitor()
  await visitor.see('/s/once000000')
  for (const act of ['pass', 'pass', 'got_it', 'got_it', 'pass']) {
    await visitor.submit(`/s/once000000/${act}/`, {})
    await releaseDueAlerts(env.DB, crypto.randomUUID(), Date.now())
  }
  expect(await notified(waiting)).toEqual([true, true, false, false, false])
  await sees(waiting, 'closed', 0, waiting.at + 15_000)
  const second = waiting.people[1]
  await rows("UPDATE delivery SET link_code = 'older00000' WHERE recipient_id = ?", second)
  await rows('UPDATE watch SET created_at = 2000 WHERE recipient_id = ?', second)
  await rows('UPDATE watch SET last_alert_at = NULL')
  await sees(waiting, 'open', 1, waiting.at + 30_000)
  expect(await notified(waiting)).toEqual([true, true, true, false, false])
  await visitor.submit('/s/older00000/pass/', {})
  await releaseDueAlerts(env.DB, crypto.randomUUID(), waiting.at + 31_000)
  expect(await notified(waiting)).toEqual([true, true, true, false, false])
})

test('Pass is about one class of a message, and promises nothing about a class that is not watched', async () => {
  const waiting = await begin(2)
  const other = await makeSection(waiting.group, '10002', 'closed', 0)
  for (const [index, person] of waiting.people.entries()) {
    await makeWatch(person, other)
    await rows('UPDATE watch SET created_at = ? WHERE recipient_id = ?', index, person)
  }
  await sees(waiting, 'open', 1)
  await rows("UPDATE delivery SET link_code = 'both000000' WHERE recipient_id = ?", waiting.people[0])
  const released = () =>
    rows(
      'SELECT section_id FROM class_alert WHERE recipient_id = ? AND poll_id IS NOT NULL ORDER BY section_id',
      waiting.people[1],
    )
  const visitor = new Visitor()
  await visitor.see('/s/both000000')
  expect((await visitor.submit('/s/both000000/pass/', {})).status).toBe(404)
  await visitor.submit('/s/both000000/pass/', { section_id: String(other) })
  await releaseDueAlerts(env.DB, crypto.randomUUID(), Date.now())
  expect(await released()).toEqual([{ section_id: other }])
  expect((await visitor.see('/s/both000000')).html).toContain('We keep watching')
  await rows('DELETE FROM watch WHERE recipient_id = ?', waiting.people[0])
  await visitor.submit('/s/both000000/pass/', { section_id: String(other) })
  expect((await visitor.see('/s/both000000')).html).not.toContain('We keep watching')
})

test("a recipient's own page explains the rule while it applies", async () => {
  const { people, section } = await begin(1)
  const [person] = people
  const { url } = await getRecipientLink(env, trackerStaff, person ?? 0, { isNew: false, now: Date.now() })
  const own = () => new Visitor().see<OwnPageProps>(url.slice(env.APP_URL.length))
  const on = await own()
  expect(on.html).toContain(fairTurnsRule)
  expect(on.data.props.is_fair).toBe(true)
  await set('fair_turns', 'off')
  const off = await own()
  expect(off.html).not.toContain(fairTurnsRule)
  expect(off.data.props.is_fair).toBe(false)
  // A recipient who waits for nothing has no turn.
  await set('fair_turns', 'on')
  await rows('DELETE FROM watch WHERE section_id = ?', section)
  expect((await own()).html).not.toContain(fairTurnsRule)
})

test('turns end with their opening: no one is notified of a taken seat, or twice', async () => {
  const waiting = await begin(3)
  await sees(waiting, 'open', 1)
  await rows("UPDATE delivery SET link_code = 'over000000' WHERE recipient_id = ?", waiting.people[0])
  const canPass = async () => (await new Visitor().see('/s/over000000')).html.includes('/pass/')
  expect(await canPass()).toBe(true)
  await sees(waiting, 'closed', 0, waiting.at + 15_000)
  expect(await canPass()).toBe(false)
  await releaseDueAlerts(env.DB, crypto.randomUUID(), waiting.at + 20_000)
  expect(
    await rows(
      'SELECT 1 FROM class_alert WHERE section_id = ? AND canceled_at IS NULL AND poll_id IS NULL',
      waiting.section,
    ),
  ).toEqual([])
  await sees(waiting, 'open', 3, waiting.at + 11 * 60_000)
  await releaseDueAlerts(env.DB, crypto.randomUUID(), waiting.at + 12 * 60_000)
  expect(await notified(waiting)).toEqual([true, true, true])
  expect(await rows('SELECT recipient_id FROM delivery GROUP BY recipient_id HAVING count(*) > 2')).toEqual([])
})

test('someone who begins to wait for an open section comes last, and the others keep their turns', async () => {
  const waiting = await begin(3)
  await sees(waiting, 'open', 1)
  await joinLine(waiting)
  await sees(waiting, 'open', 1, waiting.at + 5000)
  for (const minutes of [0, 1, 2, 3]) {
    await releaseDueAlerts(env.DB, crypto.randomUUID(), waiting.at + minutes * 60_000)
    expect(await notified(waiting)).toEqual([0, 1, 2, 3].map((place) => place <= minutes))
  }
})

test('when the last person before a newcomer passes, the newcomer is next', async () => {
  const waiting = await begin(2)
  await sees(waiting, 'open', 1)
  await joinLine(waiting)
  await sees(waiting, 'open', 1, waiting.at + 5000)
  await releaseDueAlerts(env.DB, crypto.randomUUID(), waiting.at + 60_000)
  expect(await notified(waiting)).toEqual([true, true, false])
  await rows("UPDATE delivery SET link_code = 'last000000' WHERE recipient_id = ?", waiting.people[1])
  await pass('last000000')
  await releaseDueAlerts(env.DB, crypto.randomUUID(), Date.now())
  expect(await notified(waiting)).toEqual([true, true, true])
})

test('a pass moves no one to within ten minutes of their last message about the section', async () => {
  const waiting = await begin(3)
  const [first, , third] = waiting.people
  await rows('UPDATE watch SET last_alert_at = ? WHERE recipient_id = ?', waiting.at - 8.5 * 60_000, third)
  await sees(waiting, 'open', 1)
  await rows("UPDATE delivery SET link_code = 'held000000' WHERE recipient_id = ?", first)
  await pass('held000000')
  const [held] = await rows<{ release_at: number }>('SELECT release_at FROM class_alert WHERE recipient_id = ?', third)
  expect(held?.release_at).toBe(waiting.at + 90_000)
  await releaseDueAlerts(env.DB, crypto.randomUUID(), Date.now())
  expect(await notified(waiting)).toEqual([true, true, false])
})

test('a pass goes to the next person who may be notified now, not to one who is held', async () => {
  await set('wave_seconds', '3600')
  const waiting = await begin(4)
  const [first, second, third] = waiting.people
  await rows('UPDATE watch SET last_alert_at = ? WHERE recipient_id = ?', waiting.at - 60_000, second)
  await sees(waiting, 'open', 1)
  for (const [index, person] of [first, third].entries()) {
    const code = `free${index}`.padEnd(10, '0')
    await rows('UPDATE delivery SET link_code = ? WHERE recipient_id = ?', code, person)
    await pass(code)
    await releaseDueAlerts(env.DB, crypto.randomUUID(), Date.now())
  }
  expect(await notified(waiting)).toEqual([true, false, true, true])
})

test('turns of an opening that is over hold up no one, even before they are swept', async () => {
  const waiting = await begin(4)
  await sees(waiting, 'open', 1, waiting.at - 30_000)
  await sees(waiting, 'closed', 0, waiting.at - 15_000)
  await sees(waiting, 'open', 1)
  await rows("UPDATE delivery SET link_code = 'swept00000' WHERE recipient_id = ?", waiting.people[1])
  await pass('swept00000')
  await releaseDueAlerts(env.DB, crypto.randomUUID(), waiting.at + 3000)
  expect(await notified(waiting)).toEqual([true, true, true, false])
})

test('a late pass does not shorten the turn of someone who began to wait since', async () => {
  const waiting = await begin(1)
  await sees(waiting, 'open', 1)
  await rows("UPDATE delivery SET link_code = 'late000000' WHERE recipient_id = ?", waiting.people[0])
  await rows('UPDATE class_alert SET created_at = created_at - 3600000 WHERE section_id = ?', waiting.section)
  await joinLine(waiting)
  await joinLine(waiting)
  await sees(waiting, 'open', 1, waiting.at + 1000)
  expect(await notified(waiting)).toEqual([true, true, false])
  await pass('late000000')
  await releaseDueAlerts(env.DB, crypto.randomUUID(), waiting.at + 2000)
  expect(await notified(waiting)).toEqual([true, true, false])
})

test('when off, everyone is notified at once', async () => {
  await set('fair_turns', 'off')
  const waiting = await begin(3)
  await sees(waiting, 'open', 1)
  expect(await notified(waiting)).toEqual([true, true, true])
})

test.each([
  ['end their watch', (waiting: Waiting, person: number) => endWatch(waiting, person)],
  ['are removed', (_: Waiting, person: number) => rows('DELETE FROM recipient WHERE id = ?', person)],
  [
    'stop all messages',
    (_: Waiting, person: number) => rows('UPDATE contact SET opted_out_at = 1 WHERE recipient_id = ?', person),
  ],
  ['pause them', (_: Waiting, person: number) => rows('UPDATE recipient SET paused_until = 9e12 WHERE id = ?', person)],
])('people who %s leave no empty turns', async (_, leave) => {
  const waiting = await begin(5)
  await sees(waiting, 'open', 1)
  for (const person of waiting.people.slice(1, 4)) await leave(waiting, person)
  await sees(waiting, 'open', 1, waiting.at + 50_000)
  await sweepAfter(waiting, [60, 120, 180])
  expect((await notified(waiting)).at(-1)).toBe(true)
})

test('a last message that bounced does not hold up a turn', async () => {
  const waiting = await begin(2)
  const second = waiting.people[1]
  await sees(waiting, 'open', 2, waiting.at - 90_000)
  await sees(waiting, 'closed', 0, waiting.at - 60_000)
  await rows("UPDATE delivery SET state = 'sent', provider_id = 'p' || id")
  await rows('UPDATE watch SET last_alert_at = NULL WHERE recipient_id = ?', waiting.people[0])
  await sees(waiting, 'open', 1)
  const [sent] = await rows<{ provider_id: string }>('SELECT provider_id FROM delivery WHERE recipient_id = ?', second)
  const data = { email_id: sent?.provider_id ?? '', to: [], bounce: { type: 'Transient' } }
  await recordMailEvent(env.DB, { type: 'email.bounced', data }, waiting.at + 1000)
  await sweepAfter(waiting, [120])
  expect(await rows('SELECT 1 FROM delivery WHERE recipient_id = ?', second)).toHaveLength(2)
})

test('when fair turns are switched off, those who wait are notified', async () => {
  const waiting = await begin(10)
  await sees(waiting, 'open', 1)
  await set('fair_turns', 'off')
  await sweepAfter(waiting, [60])
  expect(await notified(waiting)).toEqual(Array(10).fill(true))
})

test('when more seats are free, waves are as large', async () => {
  const waiting = await begin(10)
  await sees(waiting, 'open', 1)
  await sees(waiting, 'open', 20, waiting.at + 15_000)
  await sweepAfter(waiting, [60])
  expect(await notified(waiting)).toEqual(Array(10).fill(true))
})

test('turns are not moved up as long as everyone in line can be reached', async () => {
  const waiting = await begin(4)
  await sees(waiting, 'open', 1)
  await sweepAfter(waiting, [30, 59])
  expect(await notified(waiting)).toEqual([true, false, false, false])
  await sweepAfter(waiting, [60, 90])
  expect(await notified(waiting)).toEqual([true, true, false, false])
})

test('turns of an opening that is over do not hold up someone who begins to wait', async () => {
  const waiting = await begin(40)
  await sees(waiting, 'open', 1)
  await sees(waiting, 'closed', 0, waiting.at + 15_000)
  await sees(waiting, 'open', 40, waiting.at + 30_000)
  await joinLine(waiting)
  await sees(waiting, 'open', 40, waiting.at + 45_000)
  await sweepAfter(waiting, [60, 120])
  expect((await notified(waiting)).at(-1)).toBe(true)
})
