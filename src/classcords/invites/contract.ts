/* Limits that pages show and the server enforces. Without zod, which would be sent to browsers along with them. */

/** Characters (code points) of a submission's notes. */
export const MAX_NOTES_LENGTH = 255
/** Courses, or instructors, in one submission. */
export const MAX_LINKS = 20
/** Characters (code points) of the reason for rejecting an invite, and of that for reporting a server. */
export const MAX_REJECTION_LENGTH = 255
export const MAX_REPORT_LENGTH = 1000

/** The error of a decision about a submission whose link has stopped working. */
export const invalidText = (act: 'approve' | 'reject'): string => `Cannot ${act} an invalid invite`

export const noSuchInvite = 'There is no such invite.'
