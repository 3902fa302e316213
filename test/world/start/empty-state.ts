import { rmSync } from 'node:fs'
import { join } from 'node:path'

/** Removes what `npm start` and wrangler store there, and nothing else that a wrong STATE_DIR may contain. */
export function emptyState(stateDir: string): void {
  for (const name of ['v3', 'local.env', 'world.json', 'catalog-filled', 'vapid.json'])
    rmSync(join(stateDir, name), { recursive: true, force: true })
}
