import { listAddress } from '../../../client/islands/scheduler/addresses.ts'
import type { QueueName } from '../../jobs/job.ts'
import type { JobState } from '../../lib/contract.ts'
import { BULK_JOB } from '../../jobs/ledger/calls.ts'
import { actorOf } from '../../web/audit.ts'
import type { SiteContext } from '../../web/site.ts'
import { noteAct, type ActAnswer } from '../answer-act.ts'
import { askLedger } from '../ask-ledgers.ts'
import type { JobAction } from '../contract.ts'

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
  task === BULK_JOB && state !== 'scheduled'
    ? actionsIn[state].filter((action) => action !== 'enqueue')
    : actionsIn[state]

/** For the audit, and in "was …" and "were …". */
export const pastOf: Readonly<Record<JobAction, string>> = {
  enqueue: 'enqueued',
  requeue: 're-queued',
  cancel: 'canceled',
  stop: 'stopped',
  delete: 'deleted',
}

/** Performs one action on one job; `next` is the page after it, unless the job is then gone. Null without such a job. */
export async function actOnJob(
  c: SiteContext,
  queue: QueueName,
  { name, action, next }: { name: string; action: JobAction; next: string },
): Promise<ActAnswer | null> {
  const act = await askLedger(c.env, queue, (ledger) =>
    ledger.act(action === 'enqueue' ? 'requeue' : action, name, actorOf(c).who),
  )
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
    messages: [{ level_tag: 'success', message }],
    url: action === 'delete' ? listAddress(queue, 'queued') : next,
  }
}
