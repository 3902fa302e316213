import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// What wrangler tells of every start is nothing a run has to say.
process.env['WRANGLER_LOG'] ??= 'warn'

/** One Chromium and one app for all journeys: a single file imports them all. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    name: 'journeys',
    include: ['test/browser/journeys.test.ts'],
    testTimeout: 300_000,
    hookTimeout: 120_000,
    // A journey begins with a database of its own, so it can be played again: a browser on a busy machine may lose one wait.
    retry: 1,
    expect: { poll: { timeout: 30_000, interval: 50 } },
    pool: 'forks',
    maxWorkers: 1,
  },
})
