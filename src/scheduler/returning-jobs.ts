import type { QueueName } from '../jobs/job.ts'
import { messagesReturn } from '../jobs/paused-queues.ts'
import type { Message } from '../lib/contract.ts'

/** What a person who ends jobs for good has to know: their work may be queued again. '' if nothing is. */
export function returnNote(queue: QueueName, action: string, stateOrRegistry = ''): string {
  const isEnding = ['cancel', 'stop', 'delete', 'empty'].includes(action)
  const hasEnded = ['finished', 'canceled', 'stopped'].includes(stateOrRegistry)
  return queue === 'alerts' && isEnding && !hasEnded ? messagesReturn : ''
}

/** {@link returnNote} as a message after the action. */
export function returnMessages(...asked: Parameters<typeof returnNote>): Message[] {
  const message = returnNote(...asked)
  return message === '' ? [] : [{ level_tag: 'warning', message }]
}

/** The notes of a confirmation as one text. */
export const joinedNotes = (...notes: readonly string[]): string => notes.filter((note) => note !== '').join(' ')
