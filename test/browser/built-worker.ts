import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { ROOT } from '../world/start/settings.ts'

/**
 * The folder with what would be deployed. `npm test` has already built it; the journeys run alone build it once, before
 * their processes start. Throws with wrangler's own message.
 */
export async function builtWorker(): Promise<string> {
  const folder = '.build/journeys'
  const env = { ...process.env, WRANGLER_HIDE_BANNER: 'true' }
  if (process.env['BUILT_WORKER'] === undefined)
    await promisify(execFile)('wrangler', ['deploy', '--dry-run', '--outdir', folder], { cwd: ROOT, env })
  return (process.env['BUILT_WORKER'] ??= folder)
}

/** What vitest calls before the journeys. */
export default async function setup(): Promise<void> {
  await builtWorker()
}
