import type { AdminColumn } from '../../web/admin-table.ts'

/*
 * What several tables of the directory have in common.
 */

export const area = 'Class Cords'

export const inviteStates = [
  { value: 'pending', label: 'Pending', tone: 'waitlisted' },
  { value: 'approved', label: 'Approved', tone: 'open' },
  { value: 'rejected', label: 'Rejected', tone: 'danger' },
  { value: 'expired', label: 'Expired', tone: 'neutral' },
] satisfies NonNullable<AdminColumn['choices']>

export const privacyLevels = [
  { value: 'public', label: 'Public' },
  { value: 'private', label: 'Private' },
] satisfies NonNullable<AdminColumn['choices']>

/** A server `s` as people know it. */
export const serverName = "coalesce(nullif(s.custom_title, ''), s.name)"

/** "1 invite" or "3 invites". */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`
