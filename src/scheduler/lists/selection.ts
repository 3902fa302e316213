import { listAddress } from '../../../client/islands/scheduler/addresses.ts'
import { chunk } from '../../lib/collections.ts'
import { counted } from '../../lib/text.ts'
import type { QueueName } from '../../jobs/job.ts'
import { type BulkAct, bulkActs, type BulkResult } from '../../jobs/ledger/calls.ts'
import { actorOf } from '../../web/audit.ts'
import { formOf, positiveInteger, textField } from '../../web/parse.ts'
import { badRequest, unprocessable } from '../../web/refusal.ts'
import type { SiteContext } from '../../web/site.ts'
import { noteAct, type ActAnswer } from '../answer-act.ts'
import { askLedger } from '../ask-ledgers.ts'
import { followupOf } from '../path-parts.ts'
import { pastOf } from '../jobs/job-acts.ts'
import type { Message } from '../../lib/contract.ts'

const MAX_CHOSEN = 500
/** How many names one audit entry can keep. */
const MAX_AUDITED = 200

interface Selection {
  action: BulkAct
  jobs: string[]
  /** When the person was asked, ms since epoch; null without a question. */
  askedAt: number | null
  nextUrl: string
}

/** @throws badRequest for an unknown action or a bad `next_url`, unprocessable for more jobs than one request accepts */
export async function selectionOf(
  c: SiteContext,
  queue: QueueName,
  field: '_selected_action' | 'job_names',
): Promise<Selection> {
  const form = await formOf(c)
  const asked = textField(form, 'action')
  const action = bulkActs.find((name) => name === asked)
  if (!action) throw badRequest('There is no such action on jobs.')
  const nextUrl = followupOf(c, textField(form, 'next_url'), listAddress(queue, 'queued'))
  const jobs = [...new Set(form.getAll(field).filter((name) => typeof name === 'string'))]
  if (jobs.length > MAX_CHOSEN) throw unprocessable(`At most ${MAX_CHOSEN} jobs can be selected at a time.`)
  return { action, jobs, askedAt: positiveInteger(textField(form, 'at')), nextUrl }
}

export const nothingChosen = (url: string): ActAnswer => ({
  messages: [{ level_tag: 'warning', message: 'Select at least one job first.' }],
  url,
})

export async function actOnSelection(c: SiteContext, queue: QueueName, selection: Selection): Promise<ActAnswer> {
  const { action, jobs, askedAt, nextUrl } = selection
  if (jobs.length === 0) return nothingChosen(nextUrl)
  // A job that has begun to run since can still be stopped.
  const isForEnded = action === 'delete' || action === 'requeue'
  const result = await askLedger(c.env, queue, (ledger) =>
    ledger.bulk({
      act: action,
      jobs,
      by: actorOf(c).who,
      ...(isForEnded && askedAt !== null && { began_at: askedAt }),
    }),
  )
  const title = `${counted(result.done, 'job')} of ${queue}`
  for (const named of result.done > 0 ? chunk(jobs, MAX_AUDITED) : [])
    await noteAct(c, { act: pastOf[action], table: 'job', key: '', title, after: { queue, jobs: named } })
  return { messages: bulkMessages(action, result, jobs.length), url: nextUrl }
}

/**
 * The message about an action on several jobs. A running job is not canceled yet, but was asked to stop.
 * @param chosen how many jobs a person chose; absent for all of a list
 */
export function bulkMessages(
  act: BulkAct,
  { done, stop_asked, refused }: Omit<BulkResult, 'cursor'>,
  chosen?: number,
): Message[] {
  const asked = act === 'cancel' ? stop_asked : 0
  const ended = done - asked
  const count = act === 'requeue' && chosen ? `${done}/${counted(chosen, 'job')}` : counted(ended, 'job')
  const rest = act === 'stop' ? ' Each ends at its next checkpoint.' : ''
  const messages: Message[] = []
  if (ended > 0 || asked + refused === 0) {
    messages.push({ level_tag: 'success', message: `You have successfully ${pastOf[act]} ${count}.${rest}` })
  }
  if (asked > 0) messages.push({ level_tag: 'success', message: askedText(asked) })
  if (refused > 0) messages.push({ level_tag: 'warning', message: refusedText(act, refused) })
  return messages
}

function askedText(asked: number): string {
  return asked === 1
    ? '1 running job stops at its next checkpoint.'
    : `${asked} running jobs stop at their next checkpoints.`
}

function refusedText(act: BulkAct, refused: number): string {
  const reasons =
    act === 'requeue'
      ? 'deleted, changed since, in a state that does not allow it, or done by another job now'
      : 'deleted, changed since, or in a state that does not allow it'
  return `${counted(refused, 'job was', 'jobs were')} not ${pastOf[act]} (${reasons}).`
}
