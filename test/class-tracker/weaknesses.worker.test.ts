import { env } from 'cloudflare:workers'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { refreshSections } from '../../src/class-tracker/refresh/refresh-sections.ts'
import { sweepAlerts } from '../../src/class-tracker/deliveries/sweep-alerts.ts'
import { makeRecipient, makeWatch } from '../worker/catalog.ts'
import { addressOf } from '../worker/deliveries.ts'
import { minuteLater, untilSettled } from '../worker/dying-consumers.ts'
import { arrivedFor, loadSubject, wait, type LoadedSubject, type Waiting } from '../worker/loaded-subject.ts'
import { rows } from '../worker/rows.ts'
import { answerInstead } from '../worker/tampered-school.ts'
import {
  alertsOf,
  allIsWell,
  close,
  comeRound,
  forgetLastAlert,
  learnTwoSchools,
  open,
  poll,
} from '../worker/two-schools.ts'
import type { Visitor } from '../worker/visitor.ts'
import { runJob, until, world } from '../worker/world.ts'

/** What made an earlier product unreliable: each of these tests would fail on it. */

let harbor: LoadedSubject
let northfield: LoadedSubject
let staff: Visitor
let restore = () => {}

beforeAll(async () => {
  ;({ harbor, northfield, staff } = await learnTwoSchools())
})
afterEach(async () => {
  restore()
  await allIsWell()
})

const deliveriesOf = (recipient: number) =>
  rows<{ state: string; accepted_at: number | null; attempts: number }>(
    'SELECT state, accepted_at, attempts FROM delivery WHERE recipient_id = ? ORDER BY id',
    recipient,
  )
const triedOnce = (recipient: number) =>
  until(
    () => deliveriesOf(recipient),
    (made) => made.length > 0 && made.every(({ state }) => state !== 'queued' && state !== 'sending'),
    'the first try',
  )

describe('a message that was not sent', () => {
  test('is never shown as sent, and goes out once the provider is well', async () => {
    const waiting = await wait(harbor, ['phone'])
    await open(waiting)
    await world.fault('sms', 'timeout')
    await poll(harbor)
    expect(await triedOnce(waiting.recipient)).toMatchObject([{ state: 'unconfirmed', accepted_at: null, attempts: 1 }])
    expect(await alertsOf(staff, waiting.recipient)).toMatchObject([{ state: 'pending', accepted_at: null }])
    await world.clearFaults()
    await untilSettled([waiting.recipient])
    expect(await arrivedFor(waiting)).toEqual({ sms: 1, email: 0 })
    expect(await alertsOf(staff, waiting.recipient)).toMatchObject([{ state: 'sent', accepted_at: expect.any(String) }])
  })

  test('is shown as failed, and does not delay the message about the next opening', async () => {
    const waiting = await wait(harbor, ['phone'])
    // A number that the provider refuses permanently.
    await rows(
      "UPDATE contact SET address = '+15005550001', address_key = address WHERE recipient_id = ?",
      waiting.recipient,
    )
    await open(waiting)
    await poll(harbor)
    await untilSettled([waiting.recipient])
    expect(await alertsOf(staff, waiting.recipient)).toMatchObject([{ state: 'failed', accepted_at: null }])
    await rows(
      'UPDATE contact SET address = ?1, address_key = ?1, undeliverable_at = NULL WHERE recipient_id = ?2',
      waiting.phone,
      waiting.recipient,
    )
    await close(waiting)
    await poll(harbor)
    await open(waiting)
    await poll(harbor)
    await untilSettled([waiting.recipient])
    expect(await arrivedFor(waiting)).toEqual({ sms: 1, email: 0 })
  })
})

describe('an error', () => {
  test('of one school, which never answers, does not delay alerts of other schools', async () => {
    const [there, here] = [await wait(northfield), await wait(harbor)]
    await open(here)
    await open(there)
    await world.fault('Northfield Technical University', 'timeout')
    await comeRound()
    await minuteLater()
    await untilSettled([here.recipient])
    expect(await arrivedFor(here)).toEqual({ sms: 1, email: 1 })
    expect(await arrivedFor(there)).toEqual({ sms: 0, email: 0 })
    await world.clearFaults()
    await rows('UPDATE source SET failures = 0, paused_until = NULL')
    await poll(northfield)
    await untilSettled([there.recipient])
    expect(await arrivedFor(there)).toEqual({ sms: 1, email: 1 })
  })

  test("in one row of a school's answer does not affect the other rows", async () => {
    const waiting = await wait(harbor)
    await open(waiting)
    let spoiled = 0
    restore = answerInstead((url, real) => (url.pathname.includes('searchResults') ? spoil(real) : null))
    async function spoil(real: () => Promise<Response>): Promise<Response> {
      const answer = await (await real()).json<{ data: Record<string, unknown>[] }>()
      const other = answer.data.find((row) => row['courseReferenceNumber'] !== waiting.section.section)
      if (other) {
        for (const field of Object.keys(other)) {
          if (!['courseReferenceNumber', 'subject', 'term'].includes(field)) other[field] = { nonsense: [null] }
        }
        spoiled += 1
      }
      return Response.json(answer)
    }
    await poll(harbor)
    expect(spoiled).toBeGreaterThan(0)
    await untilSettled([waiting.recipient])
    expect(await arrivedFor(waiting)).toEqual({ sms: 1, email: 1 })
  })

  test("of one recipient's contact does not delay the next recipient's message", async () => {
    const waiting = await wait(harbor)
    const [first, third] = [
      await makeRecipient([{ kind: 'phone', address: '+15005550001' }]),
      await makeRecipient([{ kind: 'discord', address: `${env.DISCORD_API_URL}/webhooks/1/gone` }]),
    ]
    for (const recipient of [first, third]) await makeWatch(recipient, waiting.section.id)
    await open(waiting)
    await poll(harbor)
    await untilSettled([waiting.recipient])
    expect(await arrivedFor(waiting)).toEqual({ sms: 1, email: 1 })
  })
})

describe('a class number', () => {
  test('used by another term and another school alerts only those who wait for this one', async () => {
    const [shared] = harbor.sections
    if (!shared) throw new Error('there is no section')
    /** Someone waits for the section with the same number elsewhere; if the school has none, for an invented one. */
    async function waitElsewhere(loaded: LoadedSubject): Promise<Waiting> {
      const sections = loaded.sections.filter(({ section }) => section === shared?.section)
      if (sections.length > 0) return wait({ ...loaded, sections })
      const [made] = await rows<{ id: number }>(
        `INSERT INTO section (school_term_id, group_id, course_id, section_key, section, topic, status, instruction_list,
           instruction_mode, fingerprint, created_at)
         SELECT school_term_id, group_id, course_id, ?, section, topic, 'closed', '[]', '', '', 0
         FROM section WHERE group_id = ? LIMIT 1 RETURNING id`,
        shared?.section,
        loaded.group_id,
      )
      const waiting = await wait(loaded)
      await rows('UPDATE watch SET section_id = ? WHERE recipient_id = ?', made?.id, waiting.recipient)
      return waiting
    }
    const nextTerm = await loadSubject('harbor', 'Harbor State University', 'CSCI', {
      source: harbor.source_id,
      term: 1,
    })
    const waiting = [await wait(harbor), await waitElsewhere(nextTerm), await waitElsewhere(northfield)] as const
    expect(waiting[0].section.section).toBe(shared.section)
    await open(waiting[0])
    await poll(harbor)
    await poll(northfield)
    await untilSettled([waiting[0].recipient])
    expect(await Promise.all(waiting.map(arrivedFor))).toEqual([
      { sms: 1, email: 1 },
      { sms: 0, email: 0 },
      { sms: 0, email: 0 },
    ])
    expect(await alertsOf(staff, waiting[1].recipient)).toEqual([])
    expect(await alertsOf(staff, waiting[2].recipient)).toEqual([])
  })
})

describe('a recipient without a contact', () => {
  test('is shown as having no contact, not as sent', async () => {
    const waiting = await wait(harbor, [])
    const off = await makeRecipient([{ kind: 'phone', address: addressOf('phone') }])
    await rows('UPDATE contact SET is_enabled = 0 WHERE recipient_id = ?', off)
    await makeWatch(off, waiting.section.id)
    await open(waiting)
    await poll(harbor)
    for (const recipient of [waiting.recipient, off]) {
      expect(await alertsOf(staff, recipient)).toMatchObject([
        { state: 'no_contact', accepted_at: null, deliveries: [] },
      ])
    }
  })
})

describe("a school's answer about seats", () => {
  test('is believed both ways: closing is recorded, every opening is sent once, and staying open is not', async () => {
    const waiting = await wait(harbor, ['phone'])
    const statusNow = async () => (await rows('SELECT status FROM section WHERE id = ?', waiting.section.id))[0]
    await open(waiting)
    await poll(harbor)
    await untilSettled([waiting.recipient])
    expect(await statusNow()).toEqual({ status: 'open' })
    for (let polls = 0; polls < 3; polls += 1) await poll(harbor)
    await runJob(sweepAlerts, {})
    expect(await arrivedFor(waiting)).toEqual({ sms: 1, email: 0 })
    await close(waiting)
    await poll(harbor)
    expect(await statusNow()).toEqual({ status: 'closed' })
    await forgetLastAlert(waiting.recipient)
    await open(waiting)
    await poll(harbor)
    await untilSettled([waiting.recipient])
    expect(await arrivedFor(waiting)).toEqual({ sms: 2, email: 0 })
  })

  test('includes figures, and a second read of the same writes no section again', async () => {
    const waiting = await wait(harbor, ['phone'])
    await world.set(waiting.section, { status: 'open', available: 3 })
    await poll(harbor)
    const [section] = await rows(
      'SELECT status, seats_available, capacity, version FROM section WHERE id = ?',
      waiting.section.id,
    )
    expect(section).toMatchObject({ status: 'open', seats_available: 3, capacity: expect.any(Number) })
    const versions = () =>
      rows('SELECT id, version, fingerprint, instruction_list FROM section WHERE group_id = ?', harbor.group_id)
    const before = await versions()
    const { school_id, term_id, subject_id } = harbor
    await runJob(refreshSections, { school_id, term_id, subject_id, by: 'test' })
    await poll(harbor)
    expect(await versions()).toEqual(before)
  })
})
