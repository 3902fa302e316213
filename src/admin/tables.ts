import { chatUsersTable } from '../accounts/admin/chat-users.ts'
import { usersTable } from '../accounts/admin/users.ts'
import { alertsTable } from '../class-tracker/admin/alerts.ts'
import { contactsTable } from '../class-tracker/admin/contacts.ts'
import { coursesTable } from '../class-tracker/admin/courses.ts'
import { deliveriesTable } from '../class-tracker/admin/deliveries.ts'
import { openingsTable } from '../class-tracker/admin/openings.ts'
import { recipientsTable } from '../class-tracker/admin/recipients.ts'
import { schoolTermsTable } from '../class-tracker/admin/school-terms.ts'
import { schoolsTable } from '../class-tracker/admin/schools.ts'
import { sectionsTable } from '../class-tracker/admin/sections.ts'
import { settingsTable } from '../class-tracker/admin/settings.ts'
import { sourcesTable } from '../class-tracker/admin/sources.ts'
import { subjectsTable } from '../class-tracker/admin/subjects.ts'
import { termsTable } from '../class-tracker/admin/terms.ts'
import { watchesTable } from '../class-tracker/admin/watches.ts'
import { instructorsTable } from '../classcords/admin/instructors.ts'
import { invitesTable, noticesTable, usagesTable } from '../classcords/admin/invites.ts'
import { redemptionsTable, referralsTable } from '../classcords/admin/referrals.ts'
import { serverReportsTable, serversTable } from '../classcords/admin/servers.ts'
import type { AdminTable } from '../web/admin-table.ts'
import type { TextTable } from '../web/admin-text-table.ts'
import { auditTable } from './audit/audit-table.ts'
import { deriveTables } from './derive-table.ts'
import type { Tables } from './table.ts'

/** Every table of the admin, in the order of its front page. */
const features: readonly (AdminTable | TextTable)[] = [
  usersTable,
  chatUsersTable,
  serversTable,
  invitesTable,
  serverReportsTable,
  usagesTable,
  noticesTable,
  referralsTable,
  redemptionsTable,
  instructorsTable,
  recipientsTable,
  contactsTable,
  watchesTable,
  alertsTable,
  deliveriesTable,
  openingsTable,
  sourcesTable,
  settingsTable,
  schoolsTable,
  termsTable,
  schoolTermsTable,
  subjectsTable,
  coursesTable,
  sectionsTable,
]

export const adminTables: Tables = deriveTables([...features, auditTable(features)])
