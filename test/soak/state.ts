import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/**
 * The app's own database file, while the app does not run or for reading beside it.
 * @param use gets the open database, which is closed afterwards
 */
export function withDatabase<Answer>(stateDir: string, use: (database: DatabaseSync) => Answer): Answer {
  const folder = join(stateDir, 'v3/d1/miniflare-D1DatabaseObject')
  const [file] = readdirSync(folder).filter((name) => name.endsWith('.sqlite') && name !== 'metadata.sqlite')
  if (file === undefined) throw new Error(`There is no database in ${folder}.`)
  const database = new DatabaseSync(join(folder, file), { timeout: 10_000 })
  try {
    return use(database)
  } finally {
    database.close()
  }
}
