import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// Wrangler's output at every start is not part of a run's result.
process.env['WRANGLER_LOG'] ??= 'warn'

/** One Chromium and one app for all journeys: a single file imports them all. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    name: 'journeys',
    include: ['test/browser/journeys.test.ts'],
    testTimeout: 300_000,
    hookTimeout: 120_000,
    // A journey begins with a separate database, so it can be repeated: a browser on a busy machine may miss one wait.
    retry: 1,
    expect: { poll: { timeout: 30_000, interval: 50 } },
    pool: 'forks',
    maxWorkers: 1,
  },
})
