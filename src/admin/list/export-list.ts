import type { Database } from '../../db/query.ts'
import type { AdminKey, AdminValue } from '../../web/admin-change.ts'
import { iso } from '../../lib/time.ts'
import type { Table, Tables } from '../table.ts'
import { readList } from './read-list.ts'
import type { ListQuery } from './list-query.ts'

const MAX_EXPORTED = 10_000
const ROWS_PER_READ = 500
/** The most reads for one file: a filter that matches almost nothing ends here. */
const MAX_READS = 25

interface ExportedList {
  query: ListQuery
  timeZone: string
}

/** The list as CSV (RFC 4180, UTF-8), read while it is sent. */
export function exportList(
  db: Database,
  tables: Tables,
  table: Table,
  asked: ExportedList,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const lines = csvLines(db, tables, table, asked)
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await lines.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    async cancel() {
      await lines.return()
    },
  })
}

async function* csvLines(
  db: Database,
  tables: Tables,
  table: Table,
  { query, timeZone }: ExportedList,
): AsyncGenerator<string, void> {
  const columns = table.columns.filter(({ kind }) => kind !== 'seats' && kind !== 'changes' && kind !== 'state')
  yield csvLine([table.key, ...columns.map(({ label }) => label)])
  let cursor: ListQuery['cursor'] = null
  let left = MAX_EXPORTED
  // Rows that begin with the search text come first, and again at their own place in the list.
  const sent = new Set<AdminKey>()
  for (let reads = 0; reads < MAX_READS && left > 0; reads += 1) {
    const asked = { query: { ...query, cursor }, timeZone, size: Math.min(ROWS_PER_READ, left), isPlain: true }
    const list = await readList(db, tables, table, asked)
    const fresh = list.rows.filter(({ key }) => !sent.has(key))
    for (const { key } of fresh) sent.add(key)
    left -= fresh.length
    yield fresh
      .map(({ key, row }) =>
        csvLine([
          key,
          ...columns.map(({ name, kind }) => {
            const value = row[`c_${name}`] ?? null
            return kind === 'moment' && typeof value === 'number' ? iso(value) : value
          }),
        ]),
      )
      .join('')
    if (!list.next) return
    cursor = list.next
  }
  yield csvLine(['The remaining rows were left out. Filter the list and export in parts.'])
}

/**
 * One line. A text that a spreadsheet would treat as a formula, including one with full-width East Asian signs, is
 * prefixed with an apostrophe (https://owasp.org/www-community/attacks/CSV_Injection). So is a part of it after another
 * character that may separate cells, in much of Europe a semicolon: to such a spreadsheet, a quote after a comma is part
 * of the text, so a line break ends the row, and a quote in the text may begin a cell.
 */
export function csvLine(cells: readonly AdminValue[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`
}

function csvCell(value: AdminValue): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const text = value.replaceAll(
    /(^|[;\t]|[\r\n](?![\r\n]))(?=[\s"]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])|^(?=[\t\r])/g,
    "$1'",
  )
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
