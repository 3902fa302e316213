import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sweepAlerts } from '../../src/class-tracker/deliveries/sweep-alerts.ts'
import { addWatchedSection } from '../../src/class-tracker/watches/add-watched-section.ts'
import { removeWatchedSection } from '../../src/class-tracker/watches/remove-watched-section.ts'
import { type MadeGroup, makeGroup, makeRecipient, makeSection, makeWatch } from '../worker/catalog.ts'
import { runContext, unheard } from '../worker/job-context.ts'
import { pollSees } from '../worker/poll-sees.ts'
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
    await pollSees(group, start, 'open')
    await pollSees(group, start + minute, 'closed')
    await pollSees(group, start + 2 * minute, 'open')
    for (const after of [6, 8, 10]) await sweep(start + after * minute)
    expect(await kinds()).toEqual(['opening', 'opening'])
    await pollSees(group, start + 15 * minute, 'open')
    await sweep(start + 15 * minute)
    expect(await kinds()).toEqual(['opening', 'opening', 'reminder'])
  })

  test('is not sent for a section that the school no longer lists', async () => {
    await grace(600)
    await pollSees(group, start, 'open')
    await rows('UPDATE section SET missing_since = ? WHERE id = ?', start, section)
    await pollSees(group, start + 11 * minute, 'unknown')
    await sweep(start + 11 * minute)
    expect(await kinds()).toEqual(['opening'])
  })
})

describe('a watch that ends and begins again while the section is open', () => {
  const again = async (at: number) => {
    await removeWatchedSection(env.DB, trackerStaff, { recipientId: recipient, sectionId: section }, at)
    await addWatchedSection(env.DB, trackerStaff, { recipientId: recipient, sectionId: section }, at)
    await pollSees(group, at, 'open')
  }

  test('is notified again at once if its first message was never sent', async () => {
    await pollSees(group, start, 'open')
    await again(start + minute)
    expect(await alerts()).toMatchObject([
      { kind: 'opening', canceled_at: start + minute },
      { kind: 'opening', canceled_at: null, is_released: 1 },
    ])
  })

  test('is notified again at once if its first alert had no contact to go to', async () => {
    await rows('UPDATE contact SET is_enabled = 0 WHERE recipient_id = ?', recipient)
    await pollSees(group, start, 'open')
    await rows('UPDATE contact SET is_enabled = 1 WHERE recipient_id = ?', recipient)
    await again(start + minute)
    expect(await alerts()).toMatchObject([{ is_released: 1 }, { is_released: 1, release_at: null }])
  })

  test('is notified again at once if its first message failed', async () => {
    await pollSees(group, start, 'open')
    await rows("UPDATE delivery SET state = 'failed' WHERE recipient_id = ?", recipient)
    await again(start + minute)
    expect(await alerts()).toMatchObject([{ is_released: 1 }, { is_released: 1, release_at: null }])
  })

  test('is notified again ten minutes after its held message was released', async () => {
    await pollSees(group, start, 'open')
    await rows("UPDATE delivery SET state = 'sent', asked_at = ? WHERE recipient_id = ?", start + 5 * minute, recipient)
    await again(start + 6 * minute)
    expect(await alerts()).toMatchObject([{ is_released: 1 }, { is_released: 0, release_at: start + 15 * minute }])
  })

  test('is notified again ten minutes after its last message', async () => {
    await pollSees(group, start, 'open')
    await rows("UPDATE delivery SET state = 'sent' WHERE recipient_id = ?", recipient)
    await again(start + minute)
    expect(await alerts()).toMatchObject([{ is_released: 1 }, { is_released: 0, release_at: start + 10 * minute }])
    await pollSees(group, start + 9 * minute, 'open')
    await sweep(start + 10 * minute)
    expect(await alerts()).toMatchObject([{ is_released: 1 }, { is_released: 1, canceled_at: null }])
  })
})
