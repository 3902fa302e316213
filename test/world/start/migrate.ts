import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { peek } from './peek.ts'
import { ROOT } from './settings.ts'
import { runWrangler } from './wrangler.ts'

/** Every migration file by name, as the database itself records applied ones. */
function migrations(): string[] {
  return readdirSync(join(ROOT, 'migrations')).filter((name) => name.endsWith('.sql'))
}

/** Applies the migrations that the local database in `stateDir` does not have. Throws `Problem` if one fails. */
export async function migrate(stateDir: string): Promise<void> {
  const applied = peek(stateDir, 'SELECT json_group_array(name) AS names FROM d1_migrations')?.names
  const names = new Set<unknown>(typeof applied === 'string' ? JSON.parse(applied) : [])
  if (migrations().every((name) => names.has(name))) return
  await runWrangler(
    ['d1', 'migrations', 'apply', 'DB', '--local', '--persist-to', stateDir],
    'Applying the migrations to the local database',
  )
}
