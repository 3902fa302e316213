/** D1 takes no longer statement (D1, "Limits"), in bytes. */
const MAX_STATEMENT = 100_000

const nameIn = (statement: string, start: RegExp): string => start.exec(statement)?.[1] ?? ''
const tableMade = (statement: string): string => nameIn(statement, /^CREATE TABLE (?:IF NOT EXISTS )?["`[]?(\w+)/i)
const tableFilled = (statement: string): string => nameIn(statement, /^(?:INSERT INTO|DELETE FROM) ["`[]?(\w+)/i)

/**
 * The statements of a backup in an order in which an empty database takes them: all tables, then their rows, parents
 * before children, then indexes and triggers, which would otherwise act on the rows. D1 exports each table with its rows
 * in the order in which the tables were made, and refuses a row whose parent's table is not there yet. Left out are rows
 * that are too long for a statement and of no use after a restore: contents of email requests, which are too old to be
 * sent, and forms that wait for their sender to confirm access.
 */
export function inRestorableOrder(statements: readonly string[]): string[] {
  const made = statements.filter((one) => tableMade(one) !== '')
  const parents = new Map(
    made.map((one) => [tableMade(one), [...one.matchAll(/\bREFERENCES ["`[]?(\w+)/gi)].map(([, name = '']) => name)]),
  )
  const tables = new Set<string>()
  const path = new Set<string>()
  function visit(table: string): void {
    if (tables.has(table) || path.has(table)) return
    path.add(table)
    for (const parent of parents.get(table) ?? []) visit(parent)
    tables.add(table)
  }
  for (const table of parents.keys()) visit(table)
  const rows = Map.groupBy(statements.filter(isStorable), tableFilled)
  rows.delete('')
  const filled = [...new Set([...tables, ...rows.keys()])].flatMap((table) => rows.get(table) ?? [])
  const isPragma = (one: string): boolean => /^PRAGMA\b/i.test(one)
  const others = statements.filter((one) => !isPragma(one) && tableMade(one) === '' && tableFilled(one) === '')
  return [...statements.filter(isPragma), ...made, ...filled, ...others]
}

const shortLived: readonly string[] = ['mail_batch', 'waiting_form']

const isStorable = (statement: string): boolean =>
  !shortLived.includes(tableFilled(statement)) || Buffer.byteLength(statement) <= MAX_STATEMENT
