import { bulkAct } from '../../jobs/bulk.ts'
import type { JobRecord, QueueName } from '../../jobs/job.ts'
import { ledgerOf } from '../../jobs/ledgers.ts'
import { DAY_MS } from '../../lib/durations.ts'
import { inTime } from '../../lib/in-time.ts'
import { MAX_LEDGER_WAIT_MS } from '../ask-ledgers.ts'
import type { JobListProps, RegistryName } from '../contract.ts'

const MAX_ACTS = 20

/** The newest action on this list that is still running in the background; null also if its ledger does not answer. */
export async function findRunningAct(
  env: Env,
  queue: QueueName,
  registry: RegistryName,
  now: number,
): Promise<JobListProps['running']> {
  const acts = await newestActs(env, now)
  const act = acts.find((job) => hasNotEnded(job) && isOn(job, queue, registry))
  return act ? { job: act.name, ...act.progress } : null
}

async function newestActs(env: Env, now: number): Promise<JobRecord[]> {
  try {
    const asked = { task: bulkAct.name, since: now - DAY_MS, size: MAX_ACTS }
    return (await inTime(ledgerOf(env, bulkAct.queue).list(asked), MAX_LEDGER_WAIT_MS)).jobs
  } catch (error) {
    // The list belongs to another queue and is worth showing without this.
    console.warn({ event: 'ledger_silent', queue: bulkAct.queue, error: String(error) })
    return []
  }
}

const hasNotEnded = ({ state }: JobRecord) => state === 'scheduled' || state === 'queued' || state === 'started'

function isOn({ input }: JobRecord, queue: QueueName, registry: RegistryName): boolean {
  const asked = bulkAct.input.safeParse(input)
  return asked.success && asked.data.queue === queue && asked.data.filter.registry === registry
}
