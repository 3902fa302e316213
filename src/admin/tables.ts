import { discordUsersTable } from '../accounts/admin/discord-users.ts'
import { usersTable } from '../accounts/admin/users.ts'
import { alertsTable, deliveriesTable, openingsTable } from '../class-tracker/admin/alerts.ts'
import { coursesTable, subjectsTable } from '../class-tracker/admin/courses.ts'
import { contactsTable, recipientsTable, watchesTable } from '../class-tracker/admin/people.ts'
import { schoolsTable, schoolTermsTable, termsTable } from '../class-tracker/admin/schools.ts'
import { sectionsTable } from '../class-tracker/admin/sections.ts'
import { settingsTable } from '../class-tracker/admin/settings.ts'
import { sourcesTable } from '../class-tracker/admin/sources.ts'
import { instructorsTable } from '../classcords/admin/instructors.ts'
import { invitesTable } from '../classcords/admin/invites.ts'
import { noticesTable } from '../classcords/admin/notices.ts'
import { usagesTable } from '../classcords/admin/usages.ts'
import { redemptionsTable, referralsTable } from '../classcords/admin/referrals.ts'
import { serverReportsTable, serversTable } from '../classcords/admin/servers.ts'
import type { AdminArea } from '../web/admin-table.ts'
import { auditTable } from './audit/audit-table.ts'
import { deriveTables } from './derive-table.ts'
import type { Tables } from './table.ts'

/** The tables of the features, in the order of the front page. */
const areas: readonly AdminArea[] = [
  {
    area: 'Class Tracker',
    tables: [
      recipientsTable,
      contactsTable,
      watchesTable,
      alertsTable,
      deliveriesTable,
      openingsTable,
      sourcesTable,
      settingsTable,
    ],
  },
  {
    area: 'Course catalog',
    tables: [schoolsTable, termsTable, schoolTermsTable, subjectsTable, coursesTable, sectionsTable],
  },
  {
    area: 'Class Cords',
    tables: [
      serversTable,
      invitesTable,
      serverReportsTable,
      usagesTable,
      noticesTable,
      referralsTable,
      redemptionsTable,
      instructorsTable,
    ],
  },
  { area: 'People', tables: [usersTable, discordUsersTable] },
]
export const declaredTables = areas.flatMap(({ tables }) => tables)

/** Every table of the admin. */
export const adminTables: Tables = deriveTables([...areas, { area: 'Admin', tables: [auditTable(declaredTables)] }])
