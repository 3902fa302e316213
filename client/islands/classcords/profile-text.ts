import type { Submission } from '../../../src/classcords/contract.ts'
import type { DiscordUser } from '../../../src/web/contract.ts'
import type { BadgeTone } from '../../components/badge.tsx'

/** "maya#1234"; newer Discord names have no discriminator, or "0". */
export function userTag({ username, discriminator }: Pick<DiscordUser, 'username' | 'discriminator'>): string {
  return /^0*$/.test(discriminator) ? username : `${username}#${discriminator}`
}

interface SubmissionState {
  label: string
  tone: BadgeTone
  /** What that means for the submitter. */
  text: string
}

function queueText(position: number | null): string {
  if (position === null) return 'Waiting for review.'
  return position === 1 ? 'First in the review queue.' : `Number ${position} in the review queue.`
}

/** The state of one's own submission, in words. */
export function submissionState(submission: Submission): SubmissionState {
  const { state, is_valid: isValid, queue_position: position, reason } = submission
  switch (state) {
    case 'pending':
      return {
        label: 'Pending',
        tone: 'info',
        text: queueText(position),
      }
    case 'approved':
      return isValid
        ? { label: 'Approved', tone: 'done', text: 'Listed in the directory.' }
        : { label: 'Approved, invalid', tone: 'waitlisted', text: 'Not listed: its link no longer works.' }
    case 'rejected':
      return {
        label: 'Rejected',
        tone: 'danger',
        text: reason === '' ? 'A manager rejected it without giving a reason.' : `Reason: ${reason}`,
      }
    case 'expired':
      return {
        label: 'Expired',
        tone: 'closed',
        text: 'Its link stopped working before it was reviewed. Submit one that works.',
      }
  }
}
