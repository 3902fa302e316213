import { applyD1Migrations, evictDurableObject, reset, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { queueNames } from '../../src/jobs/job.ts'

// Every file starts with nothing but the tables.
await reset()
await applyD1Migrations(env.DB, env.TEST_MIGRATIONS)
// A ledger that was busy outlives the reset, with all its jobs: it is emptied by hand.
for (const queue of queueNames) {
  const ledger = env.LEDGER.get(env.LEDGER.idFromName(queue))
  await runInDurableObject(ledger, (_, state) => state.storage.deleteAll())
  await evictDurableObject(ledger)
}
