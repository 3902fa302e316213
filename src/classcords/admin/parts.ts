import type { AdminChoice } from '../../web/admin-table.ts'
import type { TextColumn } from '../../web/admin-text-table.ts'

/*
 * What several tables of the directory have in common.
 */

export const area = 'Class Cords'

export const inviteStates: readonly AdminChoice[] = [
  { value: 'pending', label: 'Pending', tone: 'waitlisted' },
  { value: 'approved', label: 'Approved', tone: 'open' },
  { value: 'rejected', label: 'Rejected', tone: 'danger' },
  { value: 'expired', label: 'Expired', tone: 'neutral' },
]

export const privacyLevels: readonly AdminChoice[] = [
  { value: 'public', label: 'Public' },
  { value: 'private', label: 'Private' },
]

/** A server `s` as people know it. */
export const serverName = "coalesce(nullif(s.custom_title, ''), s.name)"

/** For tables that name a server `s`. */
export const serverColumn: TextColumn = {
  name: 'server',
  label: 'Server',
  sql: serverName,
  link: { table: 'servers', key: 's.id' },
}
