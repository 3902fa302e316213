import type { BulkAct, BulkResult } from '../../jobs/ledger-calls.ts'
import type { Message } from '../../web/contract.ts'
import { jobsText } from '../answer-act.ts'

export const bulkActs = ['delete', 'requeue', 'stop', 'cancel'] as const satisfies readonly BulkAct[]

/** For the audit, and in "N jobs were …". */
export const pastOf: Readonly<Record<BulkAct, string>> = {
  delete: 'deleted',
  requeue: 're-queued',
  stop: 'stopped',
  cancel: 'canceled',
}

/** What to say of an act on several jobs. */
export function bulkMessages(act: BulkAct, { done, refused }: Pick<BulkResult, 'done' | 'refused'>): Message[] {
  const all = done + refused
  const count = act === 'requeue' ? `${done}/${jobsText(all)}` : jobsText(done)
  const rest = act === 'stop' ? ' Each ends at its next checkpoint.' : ''
  const messages: Message[] = []
  if (done > 0 || refused === 0) {
    messages.push({ level_tag: 'success', message: `You have successfully ${pastOf[act]} ${count}.${rest}` })
  }
  if (refused > 0) messages.push({ level_tag: 'warning', message: refusedText(act, refused) })
  return messages
}

function refusedText(act: BulkAct, refused: number): string {
  const were = refused === 1 ? 'was' : 'were'
  return `${jobsText(refused)} ${were} not ${pastOf[act]}: gone, or in a state that does not allow it.`
}
