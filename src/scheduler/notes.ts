import type { QueueName } from '../jobs/job.ts'

/** What a person has to know before they end jobs for good: a schedule may queue their work again. '' if nothing does. */
export function returnNote(queue: QueueName, action: string, stateOrRegistry = ''): string {
  const isEnding = ['cancel', 'stop', 'delete', 'empty'].includes(action)
  const hasEnded = ['finished', 'canceled', 'stopped'].includes(stateOrRegistry)
  return queue === 'alerts' && isEnding && !hasEnded
    ? 'Alerts and account emails that are not sent yet are queued again within a few minutes. To stop them, pause the queue.'
    : ''
}

/** The notes of a confirmation as one text. */
export const joinedNotes = (...notes: readonly string[]): string => notes.filter((note) => note !== '').join(' ')
