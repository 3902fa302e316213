import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { longestFirst } from '../longest-first.ts'

// Wrangler's output at every start is not part of a run's result.
process.env['WRANGLER_LOG'] ??= 'warn'

/** Two processes take one file after the other; each starts a Chromium and an app for all of its journeys. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    name: 'journeys',
    include: ['test/browser/*.journey.ts'],
    globalSetup: ['test/browser/built-worker.ts'],
    testTimeout: 300_000,
    // A journey begins with a separate database, so it can be repeated: a browser on a busy machine may miss one wait.
    // Twice, because now and then neither of a process's first two runtimes can open its database.
    retry: 2,
    expect: { poll: { timeout: 30_000, interval: 50 } },
    pool: 'forks',
    isolate: false,
    maxWorkers: 2,
    sequence: {
      sequencer: longestFirst([
        '/zoom',
        '/admin-tables',
        '/classcords-review',
        '/keys',
        '/scheduler',
        '/hydration',
        '/accounts',
      ]),
    },
  },
})
