import { and, desc, eq, lt } from 'drizzle-orm'
import { type Database, query, readTogether, type RowOf } from '../../db/query.ts'
import { audit } from '../../db/schema/index.ts'
import type { AdminKey } from '../../web/admin-change.ts'
import { iso } from '../../lib/time.ts'
import { titlesOf } from '../list/read-list.ts'
import { type Counts, countsOf, findCounts } from '../read-counts.ts'
import type { Table } from '../table.ts'

/** An audit entry as shown; `at` is ISO 8601 in UTC. */
export interface Entry {
  id: number
  at: string
  who: string
  act: string
  table_name: string
  row_key: string
  title: string
  changes: Change[]
}

/** A field of an entry; '' where it was or became empty. */
export interface Change {
  field: string
  before: string
  after: string
}

const ENTRIES_PER_PAGE = 50

const entryColumns = {
  id: audit.id,
  at: audit.at,
  who: audit.who,
  act: audit.act,
  table_name: audit.tableName,
  row_key: audit.rowKey,
  title: audit.title,
  before: audit.before,
  after: audit.after,
}

export const recentEntries = (count: number) =>
  query.select(entryColumns).from(audit).orderBy(desc(audit.id)).limit(count)

/** What happened to a row, newest first. */
const entriesOf = (table: Table, key: AdminKey, before: number, most: number) =>
  query
    .select(entryColumns)
    .from(audit)
    .where(and(eq(audit.tableName, table.table), eq(audit.rowKey, String(key)), lt(audit.id, before)))
    .orderBy(desc(audit.id))
    .limit(most)

export const latestEntries = (table: Table, key: AdminKey, most: number) =>
  entriesOf(table, key, Number.MAX_SAFE_INTEGER, most)

/** A page of what happened to a row, newest first. `title` is null when the row is gone. */
export async function readHistory(
  db: Database,
  table: Table,
  key: AdminKey,
  before: number | null,
): Promise<{ title: string | null; entries: Entry[]; next: number | null; counts: Counts }> {
  const [rows, [titled], counts] = await readTogether(
    db,
    entriesOf(table, key, before ?? Number.MAX_SAFE_INTEGER, ENTRIES_PER_PAGE + 1),
    titlesOf(table, [key]),
    findCounts(),
  )
  const entries = rows.map(entryOf)
  const page = entries.slice(0, ENTRIES_PER_PAGE)
  const title = titled?.title
  return {
    title: title === undefined ? null : String(title ?? ''),
    entries: page,
    next: entries.length > page.length ? (page.at(-1)?.id ?? null) : null,
    counts: countsOf(counts),
  }
}

export const entryOf = ({ before, after, ...row }: RowOf<ReturnType<typeof recentEntries>>): Entry => ({
  ...row,
  at: iso(row.at),
  changes: recordedChanges(before, after),
})

/** The differences between two states, each a JSON object of fields, or null if the row did not exist. */
export function recordedChanges(old: string | null, present: string | null): Change[] {
  const before = stateOf(old)
  const after = stateOf(present)
  const names = [...new Set([...before.keys(), ...after.keys()])]
  return names.map((field) => ({ field, before: before.get(field) ?? '', after: after.get(field) ?? '' }))
}

function stateOf(text: string | null): Map<string, string> {
  if (text === null) return new Map()
  const state: unknown = JSON.parse(text)
  if (typeof state !== 'object' || state === null) return new Map()
  return new Map(
    Object.entries(state).map(([name, value]) => [
      name,
      value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  )
}
