import type { Submission } from '../../../src/classcords/contract.ts'
import type { DiscordUser } from '../../../src/web/contract.ts'
import type { BadgeTone } from '../../components/badge.tsx'

/** "maya#1234"; Discord's newer names have no discriminator, or "0". */
export function userTag({ username, discriminator }: Pick<DiscordUser, 'username' | 'discriminator'>): string {
  return /^0*$/.test(discriminator) ? username : `${username}#${discriminator}`
}

interface SubmissionState {
  label: string
  tone: BadgeTone
  /** What it means for the submitter. */
  text: string
}

/** Where one's own submission stands, in words. */
export function submissionState(submission: Submission): SubmissionState {
  const { state, is_valid: isValid, queue_position: position, reason } = submission
  switch (state) {
    case 'pending':
      return {
        label: 'Pending',
        tone: 'info',
        text: position === null ? 'Waits for a manager.' : `Number ${position} of those that wait for a manager.`,
      }
    case 'approved':
      return isValid
        ? { label: 'Approved', tone: 'open', text: 'Listed in the directory.' }
        : { label: 'Approved, invalid', tone: 'waitlisted', text: 'Not listed: its link does not work any more.' }
    case 'rejected':
      return {
        label: 'Rejected',
        tone: 'danger',
        text: reason === '' ? 'A manager rejected it without giving a reason.' : `Reason: ${reason}`,
      }
    case 'expired':
      return { label: 'Expired', tone: 'closed', text: 'Its link died before it was reviewed. Submit one that works.' }
  }
}
