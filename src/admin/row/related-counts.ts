import { type SQL, sql } from 'drizzle-orm'
import { countText } from '../../../client/components/count-text.ts'
import { constant, type Template, selectValues } from '../../db/query.ts'
import type { AdminKey, AdminRow, AdminValue } from '../../web/admin-change.ts'
import { rowsOf, type Table, type Tables } from '../table.ts'

/** Counting the rows of other tables stops here. */
const MAX_COUNTED = 1000

/** How many rows of related tables belong to a row, if an index can find them: `count_<position>`. */
export function relatedCounts(tables: Tables, table: Table, key: AdminKey): Template<AdminRow> {
  const counts = table.related.flatMap((related, index): [string, SQL<AdminValue>][] => {
    const target = tables.get(related.table)
    const filter = target?.filters.find(({ name }) => name === related.filter)
    if (!target || !filter?.isIndexed) return []
    const few = constant(MAX_COUNTED + 1)
    const own = sql`SELECT 1 FROM ${rowsOf(target)} WHERE ${filter.sql} = ${key} LIMIT ${few}`
    return [[`count_${index}`, sql<AdminValue>`(SELECT count(*) FROM (${own}))`]]
  })
  return selectValues(Object.fromEntries([...counts, ['one', sql<AdminValue>`1`]]))
}

/** "12", "1,000+", or '' where it was not counted. */
export function relatedCountText(counts: AdminRow, index: number): string {
  const count = counts[`count_${index}`]
  if (typeof count !== 'number') return ''
  return count > MAX_COUNTED ? `${countText(MAX_COUNTED)}+` : countText(count)
}
