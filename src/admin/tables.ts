import { recipientsTable } from '../class-tracker/admin/recipients.ts'
import { settingsTable } from '../class-tracker/admin/settings.ts'
import type { AdminTable } from '../web/admin-table.ts'
import { auditTable } from './audit/audit-table.ts'
import type { Tables } from './table-parts.ts'

/** Every table of the admin, in the order of its front page. */
const features: readonly AdminTable[] = [recipientsTable, settingsTable]

export const adminTables: Tables = new Map(
  [...features, auditTable(features)].map((table) => [table.name, table] as const),
)
