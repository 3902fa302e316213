import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Where wrangler stores a local D1 database below its state folder. */
const FOLDER = 'v3/d1/miniflare-D1DatabaseObject'

/**
 * Returns the first row of a query on the local database, read directly from its file: a query through wrangler takes
 * seconds. Null if there is no such database yet, or it is not as expected; then wrangler has to be asked.
 */
export function peek(stateDir: string, query: string): Record<string, unknown> | null {
  const folder = join(stateDir, FOLDER)
  if (!existsSync(folder)) return null
  const files = readdirSync(folder).filter((name) => name.endsWith('.sqlite') && name !== 'metadata.sqlite')
  const [file] = files
  if (file === undefined || files.length > 1) return null
  try {
    const database = new DatabaseSync(join(folder, file), { readOnly: true })
    try {
      return database.prepare(query).get() ?? null
    } finally {
      database.close()
    }
  } catch {
    return null
  }
}
