import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { setStatus } from '../../src/class-tracker/polling/set-status.ts'
import { makeDelivery, runDelivery } from '../worker/deliveries.ts'
import { unheard } from '../worker/job-context.ts'
import { pollSees } from '../worker/poll-sees.ts'
import { rows } from '../worker/rows.ts'
import { trackerStaff } from '../worker/tracker-staff.ts'
import { world } from '../worker/world.ts'
import { hour, minute, start, end, night, sweepAt, claimAt, states, scene } from '../worker/held.ts'

/** What happens to messages about a section that a person set to open. */

describe('what a person set to open', () => {
  const set = (section: number, status: 'open' | 'closed', at: number) =>
    setStatus({ ...env, LEDGER: unheard }, trackerStaff, [section], { status, seats_available: null }, at)
  const sourceOf = (group: number) => `id = (SELECT source_id FROM section_group WHERE id = ${group})`
  const silences: [string, (group: number) => string][] = [
    ['was never read', (group) => `UPDATE section_group SET read_at = NULL, asked_at = NULL WHERE id = ${group}`],
    ['fails for its group', (group) => `UPDATE section_group SET failures = 1, asked_at = ${end} WHERE id = ${group}`],
    ['is down', (group) => `UPDATE source SET failures = 2 WHERE ${sourceOf(group)}`],
    ['is paused', (group) => `UPDATE source SET paused_until = ${end + hour} WHERE ${sourceOf(group)}`],
    ['is off', (group) => `UPDATE source SET is_enabled = 0 WHERE ${sourceOf(group)}`],
  ]

  test.each(silences)('is sent after quiet hours if its school %s', async (_how, silence) => {
    const { group, section, deliveries } = await scene(night)
    await pollSees(group, start - minute, 'closed')
    await set(section, 'open', start)
    await rows(silence(group.group_id))
    await sweepAt(end)
    expect(await states(deliveries)).toEqual(['waiting', 'queued'])
    const push = await claimAt((await deliveries())[1]?.id, end)
    expect(push).toMatchObject({ cancellation: null, alerts: [{ section_id: section }] })
  })

  test('counts for a quarter of an hour if its school answers, and then waits for it', async () => {
    for (const [at, expected] of [
      [end - 15 * minute, ['waiting', 'queued']],
      [end - 16 * minute, ['held', 'held']],
    ] as const) {
      const { group, section, deliveries } = await scene(night)
      await pollSees(group, start - minute, 'closed')
      await set(section, 'open', at)
      await sweepAt(end)
      expect(await states(deliveries)).toEqual(expected)
    }
  })

  test('is not sent once a person closes it, or its school says so', async () => {
    for (const close of ['person', 'school'] as const) {
      const { group, section, deliveries } = await scene(night)
      await pollSees(group, start - minute, 'closed')
      await set(section, 'open', start)
      if (close === 'person') await set(section, 'closed', start + hour)
      else await pollSees(group, start + hour, 'closed')
      await rows(`UPDATE source SET failures = 2 WHERE ${sourceOf(group.group_id)}`)
      await sweepAt(end)
      const push = await claimAt((await deliveries())[1]?.id, end)
      expect(push, close).toMatchObject({ cancellation: { state: 'gone' } })
    }
  })

  test('no longer stands alone once its school has answered or no longer lists it', async () => {
    for (const answer of ['open', 'missing'] as const) {
      const { group, section, deliveries } = await scene(night)
      await pollSees(group, start - minute, 'closed')
      await set(section, 'open', start)
      if (answer === 'open') await pollSees(group, start + hour, 'open')
      else await rows('UPDATE section SET missing_since = ? WHERE id = ?', start, section)
      await rows(`UPDATE source SET failures = 2 WHERE ${sourceOf(group.group_id)}`)
      await sweepAt(end)
      expect(await states(deliveries), answer).toEqual(['held', 'held'])
    }
  })

  test('is said to be checked when the person set it, not when the school was last read', async () => {
    const { id, address, section } = await makeDelivery('email')
    const [read, word] = [Date.UTC(2026, 8, 1, 12), Date.UTC(2026, 8, 1, 14)]
    await rows('UPDATE section_group SET read_at = ?', read)
    await rows('UPDATE section SET set_open_at = ?, watch_count = 1 WHERE id = ?', word, section)
    await rows("UPDATE source SET time_zone = 'UTC'")
    await runDelivery(id)
    const mail = (await world.outbox()).email.find(({ to }) => to === address)
    expect(mail?.text).toContain('checked 2:00:00 PM UTC')
  })
})
