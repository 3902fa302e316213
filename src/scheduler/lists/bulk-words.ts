import { counted } from '../../lib/text.ts'
import type { BulkAct, BulkResult } from '../../jobs/ledger/calls.ts'
import type { Message } from '../../lib/contract.ts'
import { pastOf } from '../jobs/job-acts.ts'

export const bulkActs = ['delete', 'requeue', 'stop', 'cancel'] as const satisfies readonly BulkAct[]

/** The message about an action on several jobs. A running job is not canceled yet, but was asked to stop. */
export function bulkMessages(act: BulkAct, { done, stop_asked, refused }: Omit<BulkResult, 'cursor'>): Message[] {
  const asked = act === 'cancel' ? stop_asked : 0
  const ended = done - asked
  const count = act === 'requeue' ? `${done}/${counted(done + refused, 'job')}` : counted(ended, 'job')
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
    ? '1 running job was asked to stop: it ends at its next checkpoint.'
    : `${asked} running jobs were asked to stop: each ends at its next checkpoint.`
}

function refusedText(act: BulkAct, refused: number): string {
  const were = refused === 1 ? 'was' : 'were'
  return `${counted(refused, 'job')} ${were} not ${pastOf[act]} (deleted, or in a state that does not allow it).`
}
