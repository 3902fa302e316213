import { evictDurableObject, reset, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { queueNames } from '../../src/jobs/job.ts'
import { paces } from '../../src/notify/addresses.ts'
import { forgetVersions } from '../../src/web/edge/site-version.ts'
import { forgetPacers } from './pacers.ts'
import { scrypt } from './quick-scrypt.ts'

// Where the Worker takes Node's crypto library from; it uses nothing else of it.
const builtin = process.getBuiltinModule.bind(process)
Object.assign(process, {
  getBuiltinModule: (name: string) => (name === 'node:crypto' ? { scrypt } : builtin(name)),
})

// Every file starts with only the tables. What was busy when a file ended may survive the reset with its data, so the
// database and the ledgers are also emptied explicitly.
await reset()
await emptyDatabase()
await env.DB.prepare(env.TEST_SCHEMA).run()
// A kept page of the file before must not be taken for one of this file.
await env.DB.prepare('UPDATE site_version SET version = hex(randomblob(8))').run()
for (const queue of queueNames) {
  const ledger = env.LEDGER.get(env.LEDGER.idFromName(queue))
  await runInDurableObject(ledger, (_, state) => state.storage.deleteAll())
  await evictDurableObject(ledger)
}

// Test providers have no pace, and none is paused anymore.
await env.DB.batch(
  Object.values(paces).map(({ setting }) =>
    env.DB.prepare(`INSERT INTO setting (name, value, changed_at) VALUES (?, '0', 0)`).bind(setting),
  ),
)
await forgetPacers()
forgetVersions()

/** A table can be emptied once nothing refers to it, so this is repeated until all are. */
async function emptyDatabase(): Promise<void> {
  for (let rounds = 0; rounds < 20; rounds += 1) {
    const { results } = await env.DB.prepare(
      `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite@_%' ESCAPE '@' AND name NOT LIKE '@_cf@_%' ESCAPE '@'`,
    ).all<{ name: string }>()
    if (results.length === 0) return
    for (const { name } of results) {
      await env.DB.prepare(`DROP TABLE "${name}"`)
        .run()
        .catch(() => undefined)
    }
  }
  throw new Error('The database could not be emptied.')
}
