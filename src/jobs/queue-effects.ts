import type { QueueName } from './job.ts'

/** What a pause of a queue means, as text for staff. */
interface QueueEffect {
  /** What does not happen while it is paused. */
  stops: string
  /** What follows for people. */
  until: string
}

export const queueEffects: Readonly<Record<QueueName, QueueEffect>> = {
  polls: { stops: 'Seats are not checked', until: 'No one is notified of open seats until it is resumed.' },
  refresh: {
    stops: 'Courses are not refreshed',
    until: 'Nightly and manual refreshes of terms, subjects and sections stop until it is resumed.',
  },
  alerts: {
    stops: 'No messages are sent',
    until: 'No alerts and no account emails are sent until it is resumed.',
  },
  maintenance: {
    stops: 'No maintenance runs',
    until: 'Invites are not checked, and old data is not deleted, until it is resumed.',
  },
}
