import type { QueueName } from '../../src/jobs/job.ts'
import type { App } from './app.ts'
import { seedPeople } from './seed.ts'

const once = { attempts: 1, run_seconds: 20, retry_seconds: [] }

/** Jobs of one kind, all with the same input, in a queue. */
export async function addJobs(
  app: App,
  queue: QueueName,
  { task, input, count }: { task: string; input: unknown; count: number },
): Promise<string[]> {
  const ledger = await app.ledger(queue)
  const requests = Array.from({ length: count }, () => ({ task, input: JSON.stringify(input), limit: once }))
  return (await ledger.enqueue(requests)).map(({ id }) => id)
}

/** A job that can run at any time and does not affect the journeys. */
export const harmless = { task: 'delete-old-account-data', input: {} }

/** Makes {@link harmless} fail until it is repaired. */
const breakHarmless = (app: App): Promise<unknown[]> =>
  app.sql('ALTER TABLE sign_in_code RENAME TO sign_in_code_elsewhere')
const repairHarmless = (app: App): Promise<unknown[]> =>
  app.sql('ALTER TABLE sign_in_code_elsewhere RENAME TO sign_in_code')

/** People, and a queue with failed jobs, the newest of them for a different reason. */
export async function seedFailures(app: App): Promise<void> {
  await seedPeople(app)
  const ended = async (names: readonly string[]): Promise<void> => {
    const ledger = await app.ledger('maintenance')
    for (const name of names) await ledger.wait(name, 20_000)
  }
  await ended(await addJobs(app, 'maintenance', { task: 'bulk-act', input: { year: 2019 }, count: 3 }))
  await breakHarmless(app)
  await ended(await addJobs(app, 'maintenance', { ...harmless, count: 1 }))
  await repairHarmless(app)
}
