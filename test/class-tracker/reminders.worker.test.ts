import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { proposeChanges, type KnownSection } from '../../src/class-tracker/polling/openings.ts'
import { recordObservations } from '../../src/class-tracker/polling/record-observations.ts'
import { sweepAlerts } from '../../src/class-tracker/deliveries/sweep-alerts.ts'
import { addWatchedSection } from '../../src/class-tracker/watches/add-watched-section.ts'
import { removeWatchedSection } from '../../src/class-tracker/watches/remove-watched-section.ts'
import type { Status } from '../../src/sources/source.ts'
import { type MadeGroup, makeGroup, makeRecipient, makeSection, makeWatch, readOf } from '../worker/catalog.ts'
import { runContext, unheard } from '../worker/job-context.ts'
import { rows } from '../worker/rows.ts'
import { trackerStaff } from '../worker/tracker-staff.ts'

const minute = 60_000
const start = 1_000_000 * minute
let group: MadeGroup
let section: number
let recipient: number
let count = 0

beforeEach(async () => {
  count += 1
  group = await makeGroup()
  section = await makeSection(group, `R${count}`)
  recipient = await makeRecipient([{ kind: 'phone', address: `+1202557${String(count).padStart(4, '0')}` }])
  await makeWatch(recipient, section)
})
afterEach(() => rows('DELETE FROM setting'))

async function see(status: Status, at: number): Promise<void> {
  const known = await rows<KnownSection>('SELECT * FROM section WHERE group_id = ? AND watch_count > 0', group.group_id)
  const seen = known.map((one) => ({ ...one, status, seats_available: status === 'open' ? 1 : 0 }))
  const believed = [readOf(group, at)]
  await recordObservations(env.DB, {
    pollId: crypto.randomUUID(),
    now: at,
    proposals: proposeChanges(known, seen, readOf(group, at)),
    groups: believed,
  })
}

/** A sweep whose deliveries are written but not sent. */
async function sweep(at: number): Promise<void> {
  await sweepAlerts.run(runContext({ env: { ...env, LEDGER: unheard }, now: () => at }), {})
}

const alerts = () =>
  rows<{ kind: string; release_at: number | null; canceled_at: number | null; is_released: number }>(
    `SELECT kind, release_at, canceled_at, poll_id IS NOT NULL AS is_released FROM class_alert
     WHERE recipient_id = ? ORDER BY id`,
    recipient,
  )
const kinds = async () => (await alerts()).map(({ kind }) => kind)

describe('a reminder', () => {
  const grace = (seconds: number) =>
    rows("INSERT INTO setting (name, value, changed_at) VALUES ('reminder_grace_seconds', ?, 0)", String(seconds))

  test('is not sent for an opening while the next one is held, nor together with it', async () => {
    await grace(300)
    await see('open', start)
    await see('closed', start + minute)
    await see('open', start + 2 * minute)
    for (const after of [6, 8, 10]) await sweep(start + after * minute)
    expect(await kinds()).toEqual(['opening', 'opening'])
    await see('open', start + 15 * minute)
    await sweep(start + 15 * minute)
    expect(await kinds()).toEqual(['opening', 'opening', 'reminder'])
  })

  test('is not sent for a section that the school no longer lists', async () => {
    await grace(600)
    await see('open', start)
    await rows('UPDATE section SET missing_since = ? WHERE id = ?', start, section)
    await see('unknown', start + 11 * minute)
    await sweep(start + 11 * minute)
    expect(await kinds()).toEqual(['opening'])
  })
})

describe('a watch that ends and begins again while the section is open', () => {
  const again = async (at: number) => {
    await removeWatchedSection(env.DB, trackerStaff, { recipientId: recipient, sectionId: section }, at)
    await addWatchedSection(env.DB, trackerStaff, { recipientId: recipient, sectionId: section }, at)
    await see('open', at)
  }

  test('is notified again at once if its first message was never sent', async () => {
    await see('open', start)
    await again(start + minute)
    expect(await alerts()).toMatchObject([
      { kind: 'opening', canceled_at: start + minute },
      { kind: 'opening', canceled_at: null, is_released: 1 },
    ])
  })

  test('is notified again ten minutes after its last message', async () => {
    await see('open', start)
    await rows("UPDATE delivery SET state = 'sent' WHERE recipient_id = ?", recipient)
    await again(start + minute)
    expect(await alerts()).toMatchObject([{ is_released: 1 }, { is_released: 0, release_at: start + 10 * minute }])
    await see('open', start + 9 * minute)
    await sweep(start + 10 * minute)
    expect(await alerts()).toMatchObject([{ is_released: 1 }, { is_released: 1, canceled_at: null }])
  })
})
