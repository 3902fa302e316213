import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'

/** Below D1's 1 MB a row and argument, with room for the statement beside it. */
const MAX_ARGUMENT_BYTES = 900_000

/**
 * Rows as JSON arrays for `… FROM json_each(?)`: one parameter instead of one per column, because D1 binds at most 100.
 * @param size the most bytes of UTF-8 in one argument
 * @throws when a single row is larger
 */
export function jsonArguments(rows: readonly unknown[], size: number = MAX_ARGUMENT_BYTES): string[] {
  const encoder = new TextEncoder()
  const arguments_: string[] = []
  let part: string[] = []
  let length = 2
  for (const row of rows) {
    const text = JSON.stringify(row)
    const bytes = encoder.encode(text).byteLength + 1
    if (bytes + 2 > size) throw new Error(`A row of ${bytes} bytes is too large for one argument.`)
    if (length + bytes > size) {
      arguments_.push(`[${part.join(',')}]`)
      part = []
      length = 2
    }
    part.push(text)
    length += bytes
  }
  if (part.length > 0) arguments_.push(`[${part.join(',')}]`)
  return arguments_
}

/** Whether a value is in a list, which is one parameter whatever its length; it may also be JSON already. */
export const isIn = (value: SQLWrapper, list: readonly (number | string)[] | SQL | string): SQL<boolean> =>
  sql`${value} IN (SELECT value FROM json_each(${Array.isArray(list) ? JSON.stringify(list) : list}))`
