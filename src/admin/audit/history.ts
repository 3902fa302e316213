import { iso } from '../../web/moment.ts'
import type { AdminKey, AdminRow, AdminTable } from '../../web/admin-table.ts'
import { titleStatement } from '../list/read-list.ts'

/** An audit entry as pages show it; `at` is ISO 8601 in UTC. */
export interface Entry {
  id: number
  at: string
  who: string
  act: string
  table_name: string
  row_key: string
  title: string
  changes: { field: string; before: string; after: string }[]
}

const entriesAPage = 50

export const entryColumns = 'id, at, who, act, table_name, row_key, title, before, after'

/** What happened to a row, newest first. `title` is null when the row is gone. */
export async function readHistory(
  db: D1Database,
  table: AdminTable,
  key: AdminKey,
  before: number | null,
): Promise<{ title: string | null; entries: Entry[]; next: number | null }> {
  const [rows, titles] = await db.batch<AdminRow>([
    db
      .prepare(
        `SELECT ${entryColumns} FROM audit WHERE table_name = ? AND row_key = ? AND id < ?
         ORDER BY id DESC LIMIT ${entriesAPage + 1}`,
      )
      .bind(table.table, String(key), before ?? Number.MAX_SAFE_INTEGER),
    titleStatement(db, table, key),
  ])
  const entries = (rows?.results ?? []).map(entryOf)
  const page = entries.slice(0, entriesAPage)
  const title = titles?.results[0]?.['title']
  return {
    title: title === undefined ? null : String(title ?? ''),
    entries: page,
    next: entries.length > page.length ? (page.at(-1)?.id ?? null) : null,
  }
}

export function entryOf(row: AdminRow): Entry {
  const before = stateOf(row['before'])
  const after = stateOf(row['after'])
  const names = [...new Set([...before.keys(), ...after.keys()])]
  return {
    id: Number(row['id']),
    at: iso(Number(row['at'])),
    who: String(row['who']),
    act: String(row['act']),
    table_name: String(row['table_name']),
    row_key: String(row['row_key']),
    title: String(row['title']),
    changes: names.map((field) => ({ field, before: before.get(field) ?? '', after: after.get(field) ?? '' })),
  }
}

function stateOf(text: unknown): Map<string, string> {
  if (typeof text !== 'string') return new Map()
  const state: unknown = JSON.parse(text)
  if (typeof state !== 'object' || state === null) return new Map()
  return new Map(
    Object.entries(state).map(([name, value]) => [
      name,
      value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  )
}
