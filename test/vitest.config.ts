import { fileURLToPath } from 'node:url'
import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-pool-workers'
import { defineConfig } from 'vitest/config'
import { schemaOf } from './db/schema-of.ts'
import { longestFirst } from './longest-first.ts'
import { worldBindings } from './world/bindings.ts'
import { startWorld } from './world/server.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

// Named as required in wrangler.toml; the tests' own value is below.
process.env['SECRET_KEY'] ??= 'test-secret-key-of-more-than-32-characters'

const appUrl = 'http://localhost:8787'
const twilio = { twilioAccountSid: 'AC00000000000000000000000000000000', twilioAuthToken: 'test-twilio-token' }

const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31)
const isDeep = Boolean(process.env['DEEP'])
const common = {
  provide: { seed, depth: isDeep ? 50 : 1 },
  testTimeout: isDeep ? 3_000_000 : 240_000,
  hookTimeout: 240_000,
  expect: { poll: { timeout: 60_000 } },
  // Real sockets, queues, alarms and deadlines on a busy machine: a wait may time out. Real failures repeat.
  retry: isDeep ? 0 : 1,
}

export default defineConfig({
  root,
  test: {
    // Three files at a time keep two cores busy, because tests of outages wait most of their time.
    maxWorkers: 3,
    sequence: {
      sequencer: longestFirst([
        '/conformance',
        '/create-superuser',
        '/endless-lists',
        '/altered.rules',
        '/long-texts',
        '/compose-anything',
        '/deliveries-faults',
        '/matrix.worker',
        '/sending-histories',
        '/second-look.worker',
        '/live.worker',
        '/admin/tables.worker',
        '/weaknesses.worker',
        '/class-tracker/histories',
        '/deliveries-batches',
        '/seat-to-phone',
        '/crashes',
        '/implausible-openings',
      ]),
    },
    // This can be set only for the whole run, not for a project.
    silent: 'passed-only',
    projects: [
      {
        test: {
          name: 'rules',
          include: ['test/**/*.rules.test.ts', 'test/**/*.rules.test.tsx'],
          setupFiles: ['test/properties.ts'],
          isolate: false,
          ...common,
        },
      },
      {
        oxc: { jsx: { development: false } },
        plugins: [
          // Called once for each runtime, so that files in one never interfere with the outside world of another.
          cloudflareTest(async () => {
            const migrations = await readD1Migrations(`${root}/migrations`)
            const world = await startWorld({
              port: 0,
              appUrl,
              ...twilio,
              unref: true,
              slowMs: 400,
              // To Discord, all tests of a runtime are one caller, which asks more often than Discord would allow.
              discordCallsPer10s: 1000,
            })
            return {
              wrangler: { configPath: `${root}/wrangler.toml` },
              // Tests cause resets and closed connections on purpose, so the runtime need not report them.
              verbose: false,
              miniflare: {
                bindings: {
                  TEST_MIGRATIONS: migrations,
                  TEST_SCHEMA: schemaOf(migrations),
                  WORLD_URL: world.url,
                  APP_URL: appUrl,
                  SECRET_KEY: 'test-secret-key-of-more-than-32-characters',
                  ...worldBindings(world.url, twilio.twilioAccountSid),
                  TWILIO_AUTH_TOKEN: twilio.twilioAuthToken,
                  RESEND_API_KEY: 're_test',
                },
              },
            }
          }),
        ],
        test: {
          name: 'worker',
          // React as it is deployed: for each element its development build records a stack, a seventh of the time.
          env: { NODE_ENV: 'production' },
          include: ['test/**/*.worker.test.ts', 'test/**/*.worker.test.tsx'],
          setupFiles: ['test/worker/setup.ts', 'test/properties.ts'],
          ...common,
          isolate: false,
        },
      },
    ],
  },
})
