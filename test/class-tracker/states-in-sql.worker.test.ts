import { env } from 'cloudflare:workers'
import { eq, sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { alertState, alertStateColumn } from '../../src/class-tracker/alerts/alert-state.ts'
import { healthColumns, healthNow, healthOf } from '../../src/class-tracker/courses/health-of-source.ts'
import { prepared, query, readFirst } from '../../src/db/query.ts'
import { classAlert, source } from '../../src/db/schema/index.ts'
import { deliveryStates } from '../../src/lib/contract.ts'
import { makeAnotherSection, makeGroup, makeRecipient, makeWatch } from '../worker/catalog.ts'
import { addressOf, makeDeliveries } from '../worker/deliveries.ts'
import { one, rows } from '../worker/rows.ts'

/** States that TypeScript derives for pages and SQL for filters. */

test('an alert has the same state in SQL, whatever its two messages became', async () => {
  const [first, second] = await makeDeliveries([
    { kind: 'phone', address: addressOf('phone') },
    { kind: 'email', address: addressOf('email') },
  ])
  const { id } = await one<{ id: number }>('SELECT id FROM class_alert WHERE recipient_id = ?', first?.recipient)
  const stages = [
    { canceled_at: null, release_at: null, poll_id: null },
    { canceled_at: null, release_at: 5, poll_id: null },
    { canceled_at: null, release_at: null, poll_id: 'poll' },
    { canceled_at: 7, release_at: 5, poll_id: null },
    { canceled_at: 7, release_at: null, poll_id: 'poll' },
  ]
  async function expectSame(deliveries: Parameters<typeof alertState>[0]['deliveries']) {
    for (const stage of stages) {
      const { canceled_at, release_at, poll_id } = stage
      await rows(
        'UPDATE class_alert SET canceled_at = ?, release_at = ?, poll_id = ? WHERE id = ?',
        canceled_at,
        release_at,
        poll_id,
        id,
      )
      const stated = query
        .select({ state: sql`${alertStateColumn}` })
        .from(classAlert)
        .where(eq(classAlert.id, id))
      expect(await readFirst(env.DB, stated), JSON.stringify({ ...stage, deliveries })).toEqual({
        state: alertState({ ...stage, deliveries }),
      })
    }
  }
  for (const [index, state] of deliveryStates.entries())
    for (const other of deliveryStates.slice(index)) {
      await rows(
        'UPDATE delivery SET state = iif(id = ?, ?, ?) WHERE id IN (?1, ?)',
        first?.id,
        state,
        other,
        second?.id,
      )
      await expectSame([state, other])
    }
  await rows('DELETE FROM delivery_alert WHERE alert_id = ?', id)
  await expectSame([])
})

test('a source has the same health in SQL while polls are not paused', async () => {
  const { source_id: id, ...group } = await makeGroup()
  await makeWatch(await makeRecipient(), await makeAnotherSection({ source_id: id, ...group }))
  const found = new Set<unknown>()
  const findHealth = prepared(() =>
    query
      .select({ ...healthColumns, health: sql`${healthNow}` })
      .from(source)
      .where(eq(source.id, id)),
  )
  const times = [null, 1]
  for (const read_at of [0, Date.now()])
    for (const is_enabled of [0, 1])
      for (const failures of [0, 1])
        for (const paused_until of [null, 1, Date.now() + 60_000])
          for (const last_good_at of times)
            for (const terms_refreshed_at of times) {
              await rows('UPDATE section_group SET read_at = ? WHERE id = ?', read_at, group.group_id)
              await rows(
                `UPDATE source SET is_enabled = ?, failures = ?, paused_until = ?, last_good_at = ?, terms_refreshed_at = ?
                 WHERE id = ?`,
                is_enabled,
                failures,
                paused_until,
                last_good_at,
                terms_refreshed_at,
                id,
              )
              const now = Date.now()
              const row = await readFirst(env.DB, findHealth({ now }))
              if (!row) throw new Error('The source is gone.')
              const { health, unread, ...record } = row
              expect(health, JSON.stringify(row)).toBe(healthOf(record, now, { unread_sections: unread.sections }))
              found.add(health)
            }
  expect([...found].toSorted()).toEqual(['disabled', 'failing', 'healthy', 'never', 'partial', 'paused'])
})
