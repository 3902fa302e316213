import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../../migrations', import.meta.url))

/** The names of the migrations, first to last. */
export const migrationNames = (): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .toSorted()

/** A database after every migration, without a runtime. */
export function migratedDatabase(at = ':memory:'): DatabaseSync {
  const database = new DatabaseSync(at)
  for (const name of migrationNames()) database.exec(readFileSync(join(folder, name), 'utf8'))
  return database
}
