import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, test } from 'vitest'
import { AddWatchedSection } from '../../src/class-tracker/watches/contract.ts'
import { type AddRecipient } from '../../src/class-tracker/recipients/contract.ts'
import { type KnownSection, proposeChanges } from '../../src/class-tracker/polling/openings.ts'
import { recordObservations } from '../../src/class-tracker/polling/record-observations.ts'
import { addWatchedSection, MAX_WATCHES } from '../../src/class-tracker/watches/add-watched-section.ts'
import {
  type MadeGroup,
  makeAnotherSection,
  makeGroup,
  makeRecipient,
  makeSection,
  makeWatch,
  readOf,
} from '../worker/catalog.ts'
import { addressOf } from '../worker/deliveries.ts'
import { rows } from '../worker/rows.ts'
import { addUser, browserOf, type Visitor } from '../worker/visitor.ts'
import { watchedDatabase } from '../worker/watched-database.ts'
import { strict } from '../worker/strict.ts'
import { trackerStaff } from '../worker/tracker-staff.ts'

let staff: Visitor
let group: MadeGroup

beforeAll(async () => {
  staff = await browserOf(await addUser({ isSuperuser: true }))
  group = await makeGroup({ read_at: Date.UTC(2026, 8, 1) })
})

const section = (status?: 'open' | 'closed') => makeAnotherSection(group, status)
const reachable = () => makeRecipient([{ kind: 'phone', address: addressOf('phone') }])
const add = (recipient: number, watched: number) =>
  staff.call('POST', `/class_tracker/add_watched_section/${recipient}/${watched}`)
const counts = (watched: number) => rows('SELECT watch_count, new_watch_count FROM section WHERE id = ?', watched)

async function added(recipient: number, watched: number): Promise<AddWatchedSection> {
  const response = await add(recipient, watched)
  expect(response.status).toBe(200)
  return strict(AddWatchedSection).parse(await response.json())
}

describe('adding a section', () => {
  test('adds a watch that waits for its first look', async () => {
    const [recipient, watched] = [await reachable(), await section()]
    const { added_section, warnings } = await added(recipient, watched)
    expect(warnings).toEqual([])
    expect(added_section).toMatchObject({
      id: watched,
      status: 'closed',
      observed_at: '2026-09-01T00:00:00.000Z',
      term: { full_term_name: '2026 Fall Term' },
      school: { id: group.school_id },
      link: expect.stringContaining('/StudentRegistrationSsb/ssb'),
      history: [],
    })
    expect(await rows('SELECT is_new, archived_at FROM watch WHERE recipient_id = ?', recipient)).toEqual([
      { is_new: 1, archived_at: null },
    ])
    expect(await counts(watched)).toEqual([{ watch_count: 1, new_watch_count: 1 }])
  })

  test('twice is a conflict, even simultaneously', async () => {
    const [recipient, watched] = [await reachable(), await section()]
    const answers = await Promise.all(Array.from({ length: 6 }, () => add(recipient, watched)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409, 409])
    const again = await add(recipient, watched)
    const [code] = await rows<{ code: string }>('SELECT code FROM course WHERE id = ?', group.course_id)
    expect([again.status, await again.json()]).toEqual([
      409,
      [`Section ${code?.code} 101 - Introduction is already being watched`],
    ])
    expect(await counts(watched)).toEqual([{ watch_count: 1, new_watch_count: 1 }])
  })

  test('revives an archived watch, and takes a new first look', async () => {
    const [recipient, watched] = [await reachable(), await section()]
    await makeWatch(recipient, watched)
    await env.DB.prepare('UPDATE watch SET archived_at = 5, reminders = 2, remind_at = 9 WHERE recipient_id = ?')
      .bind(recipient)
      .run()
    expect(await counts(watched)).toEqual([{ watch_count: 0, new_watch_count: 0 }])
    await added(recipient, watched)
    expect(
      await rows('SELECT archived_at, is_new, reminders, remind_at FROM watch WHERE recipient_id = ?', recipient),
    ).toEqual([{ archived_at: null, is_new: 1, reminders: 0, remind_at: null }])
    expect(await counts(watched)).toEqual([{ watch_count: 1, new_watch_count: 1 }])
  })

  test.each([
    ['is over', { ends_at: Date.now() - 1 }, 1],
    ['is offered no more', {}, 0],
  ])('is refused when its term %s', async (_, options, isAvailable) => {
    const ended = await makeGroup(options)
    await env.DB.prepare('UPDATE school_term SET is_available = ? WHERE id = ?')
      .bind(isAvailable, ended.school_term_id)
      .run()
    const [recipient, watched] = [await reachable(), await makeSection(ended, '1')]
    const response = await add(recipient, watched)
    expect([response.status, await response.json()]).toEqual([
      422,
      ['2026 Fall Term is over or no longer offered, so its sections cannot be watched.'],
    ])
    expect(await counts(watched)).toEqual([{ watch_count: 0, new_watch_count: 0 }])
  })

  test('is limited per recipient', async () => {
    const recipient = await reachable()
    const many = await makeGroup()
    await env.DB.prepare(
      `INSERT INTO section (school_term_id, group_id, course_id, section_key, section, topic, status, instruction_list, instruction_mode, fingerprint, created_at)
       SELECT ?, ?, ?, 'k' || value, '1', '', 'closed', '[]', '', '', 0 FROM json_each(?)`,
    )
      .bind(
        many.school_term_id,
        many.group_id,
        many.course_id,
        JSON.stringify(Array.from({ length: MAX_WATCHES }, (_, index) => index)),
      )
      .run()
    await env.DB.prepare(
      'INSERT INTO watch (recipient_id, section_id, created_at) SELECT ?, id, 0 FROM section WHERE group_id = ?',
    )
      .bind(recipient, many.group_id)
      .run()
    const response = await add(recipient, await section())
    expect([response.status, await response.json()]).toEqual([422, [expect.stringContaining('at most 1000')]])
  })

  test('takes one round trip', async () => {
    let trips = 0
    const db = watchedDatabase({ before: () => void (trips += 1) })
    const scope = { recipientId: await reachable(), sectionId: await section() }
    await addWatchedSection(db, trackerStaff, scope, Date.now())
    expect(trips).toBe(1)
  })

  describe('warns', () => {
    const noContact = [expect.stringContaining('has no usable contact')]

    test('if no one can be reached', async () => {
      expect((await added(await makeRecipient(), await section())).warnings).toEqual(noContact)
      const disabled = await reachable()
      await env.DB.prepare('UPDATE contact SET is_enabled = 0 WHERE recipient_id = ?').bind(disabled).run()
      expect((await added(disabled, await section())).warnings).toEqual(noContact)
      const optedOut = await reachable()
      await env.DB.prepare('UPDATE contact SET opted_out_at = 1 WHERE recipient_id = ?').bind(optedOut).run()
      expect((await added(optedOut, await section())).warnings).toEqual(noContact)
    })

    test('if there is only a phone without texts, but not if there is also email', async () => {
      const recipient = await reachable()
      await env.DB.prepare('UPDATE recipient SET is_contact_by_phone = 0 WHERE id = ?').bind(recipient).run()
      expect((await added(recipient, await section())).warnings).toEqual(noContact)
      await env.DB.prepare(
        "INSERT INTO contact (recipient_id, kind, address, address_key, created_at) VALUES (?, 'email', 'a@b.example', 'a@b.example', 0)",
      )
        .bind(recipient)
        .run()
      expect((await added(recipient, await section())).warnings).toEqual([])
    })

    test('that the section is open already, or was when it was last read', async () => {
      const warningsWhenRead = async (at: number) => {
        await rows('UPDATE section_group SET listed_at = ? WHERE id = ?', at, group.group_id)
        const { added_section, warnings } = await added(await reachable(), await section('open'))
        expect(added_section).toMatchObject({ status: 'open', seats_available: 4 })
        return warnings
      }
      expect(await warningsWhenRead(Date.now())).toEqual([
        'This section is open now. The alert goes out at the next check.',
      ])
      expect(await warningsWhenRead(Date.now() - 11 * 60_000)).toEqual([
        'This section was open when it was last checked. If it still is, the alert goes out at the next check.',
      ])
    })

    test('that the school no longer lists the section, or that its source is off', async () => {
      const gone = await makeGroup()
      const watched = await makeSection(gone, '1')
      await env.DB.batch([
        env.DB.prepare('UPDATE section SET missing_since = 1 WHERE id = ?').bind(watched),
        env.DB.prepare('UPDATE source SET is_enabled = 0 WHERE id = ?').bind(gone.source_id),
      ])
      expect((await added(await reachable(), watched)).warnings).toEqual([
        expect.stringContaining('no longer lists this section'),
        expect.stringContaining('its source is disabled'),
      ])
    })
  })
})

test("the form's answer reaches every usable contact, not only the first phone", async () => {
  const form = (fields: Record<string, string>) => ({ 'recipient-name': 'Reachable', ...fields })
  const saved = async (id: number, fields: Record<string, string>) => {
    const response = await staff.call('POST', `/class_tracker/add_recipient/${id}`, form(fields))
    return (await response.json<AddRecipient>()).recipient
  }
  const first = await saved(0, { 'contact-new-number': '2025550171' })
  const id = first?.id ?? 0
  await saved(id, { 'contact-new-number': '2025550172' })
  await saved(id, { 'contact-new-kind': 'email', 'contact-new-number': 'reachable@example.com' })
  const last = await saved(id, { 'contact-new-number': '2025550173', 'contact-new-is_enabled': 'off' })
  expect(last?.phone_numbers).toHaveLength(4)
  const watched = await section('open')
  await added(id, watched)
  const opened = await rows<KnownSection>('SELECT * FROM section WHERE id = ?', watched)
  const seen = opened.map(({ section_key }) => ({
    section_key,
    status: 'open' as const,
    seats_available: 4,
    seats_for_anyone: null,
    capacity: 30,
    waitlist_available: 0,
  }))
  await recordObservations(env.DB, {
    pollId: crypto.randomUUID(),
    now: Date.now(),
    proposals: proposeChanges(opened, seen, readOf(group, Date.now())),
    groups: [readOf(group, Date.now())],
  })
  expect(await rows('SELECT channel, address FROM delivery WHERE recipient_id = ? ORDER BY id', id)).toEqual([
    { channel: 'phone', address: '+12025550171' },
    { channel: 'phone', address: '+12025550172' },
    { channel: 'email', address: 'reachable@example.com' },
  ])
})
