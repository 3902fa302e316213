import { env } from 'cloudflare:workers'
import { eq, sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { healthColumns, healthNow, healthOf } from '../../src/class-tracker/courses/health-of-source.ts'
import { prepared, query, readFirst } from '../../src/db/query.ts'
import { source } from '../../src/db/schema/index.ts'
import { makeAnotherSection, makeGroup, makeRecipient, makeWatch } from '../worker/catalog.ts'
import { rows } from '../worker/rows.ts'

/** States that TypeScript derives for pages and SQL for filters. */

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
