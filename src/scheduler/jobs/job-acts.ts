import { listAddress } from '../../../client/islands/scheduler/addresses.ts'
import { bulkAct } from '../../jobs/bulk.ts'
import type { JobState, QueueName } from '../../jobs/job.ts'
import { actorOf } from '../../web/audit.ts'
import type { SiteContext } from '../../web/site.ts'
import { noteAct, type Outcome } from '../answer-act.ts'
import { askLedger } from '../ask-ledgers.ts'
import type { JobAction } from '../contract.ts'
import { returnMessages } from '../returning-jobs.ts'

const actionsIn: Readonly<Record<JobState, JobAction[]>> = {
  scheduled: ['enqueue', 'cancel', 'delete'],
  queued: ['cancel', 'delete'],
  started: ['cancel', 'stop'],
  finished: ['enqueue', 'delete'],
  failed: ['requeue', 'delete'],
  stopped: ['enqueue', 'delete'],
  canceled: ['enqueue', 'delete'],
}

/** The actions that a job's state allows, in the order of the buttons. */
export const actionsOf = ({ task, state }: { task: string; state: JobState }): JobAction[] =>
  actionsIn[state].filter((action) => action !== 'enqueue' || isRepeatable(task, state))

/** An action on many jobs that has ended would act again on what matches by now, and nobody was asked about that. */
const isRepeatable = (task: string, state: JobState) => task !== bulkAct.name || state === 'scheduled'

/** For the audit, and in "was …" and "were …". */
export const pastOf: Readonly<Record<JobAction, string>> = {
  enqueue: 'enqueued',
  requeue: 're-queued',
  cancel: 'canceled',
  stop: 'stopped',
  delete: 'deleted',
}

const notRepeated = 'An action on many jobs is not repeated. Start it again on the list of jobs.'

/** Performs one action on one job; `next` is the page after it, unless the job is then gone. Null without such a job. */
export async function actOnJob(
  c: SiteContext,
  queue: QueueName,
  { name, action, next }: { name: string; action: JobAction; next: string },
): Promise<Outcome | null> {
  const act = await askLedger(c.env, queue, async (ledger) => {
    const job = action === 'enqueue' ? await ledger.get(name) : null
    if (job && !isRepeatable(job.task, job.state)) return { done: false, state: job.state, why: notRepeated }
    return ledger.act(action === 'enqueue' ? 'requeue' : action, name, actorOf(c).who)
  })
  if (!act.done && act.state === null) return null
  if (!act.done) {
    const message = `Could not perform action: ${act.why}`
    return { messages: [{ level_tag: 'error', message }], url: next }
  }
  const after = { queue, state: act.state }
  await noteAct(c, { act: pastOf[action], table: 'job', key: name, title: name, after })
  const isAsked = act.state === 'started'
  const message = isAsked ? `Job ${name} stops at its next checkpoint.` : `Job ${name} was ${pastOf[action]}.`
  return {
    messages: [{ level_tag: 'success', message }, ...returnMessages(queue, action)],
    url: action === 'delete' ? listAddress(queue, 'queued') : next,
  }
}
