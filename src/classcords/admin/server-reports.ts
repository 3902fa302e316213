import { shownOnly } from '../../web/admin-text-fields.ts'
import type { TextTable } from '../../web/admin-text-table.ts'
import { area, serverColumn, serverName } from './parts.ts'

/** What people say is wrong with servers. */
export const serverReportsTable: TextTable = {
  name: 'server-reports',
  label: 'Report',
  labels: 'Reports',
  area,
  about: 'Somebody reported a server. Disable the server, or delete the report once it is dealt with.',
  table: 'server_report',
  title: `${serverName} || ': ' || substr(t.reason, 1, 60)`,
  join: 'LEFT JOIN discord_server s ON s.id = t.server_id LEFT JOIN discord_user d ON d.id = t.reporter_id',
  columns: [
    { name: 'reason', label: 'Reason' },
    serverColumn,
    { name: 'is_active', label: 'Server enabled', kind: 'boolean', sql: 's.is_active' },
    { name: 'reporter', label: 'Reported by', sql: 'd.display_name', link: { table: 'chat-users', key: 'd.id' } },
    { name: 'created_at', label: 'When', kind: 'moment' },
  ],
  search: {
    label: 'Reason or server',
    contains: ['t.reason', "(SELECT s.name || ' ' || s.custom_title FROM discord_server s WHERE s.id = t.server_id)"],
  },
  filters: [
    { name: 'server_id', label: 'Server', kind: 'reference', to: 'servers', isIndexed: true },
    { name: 'reporter_id', label: 'Reported by', kind: 'reference', to: 'chat-users', isIndexed: true },
    { name: 'created_at', label: 'When', kind: 'moment' },
  ],
  fields: shownOnly([
    { name: 'server_id', label: 'Server', kind: 'reference', to: 'servers' },
    { name: 'reporter_id', label: 'Reported by', kind: 'reference', to: 'chat-users' },
    { name: 'reason', label: 'Reason', kind: 'long_text' },
    { name: 'created_at', label: 'When', kind: 'moment' },
  ]),
  mayAdd: false,
  mayChange: false,
}
