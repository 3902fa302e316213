import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { contactKinds } from '../../lib/contract.ts'
import { constant, readFirst, template } from '../../db/query.ts'
import {
  classAlert,
  course,
  discordServer,
  recipient,
  schoolTerm,
  section,
  sectionGroup,
  watch,
} from '../../db/schema/index.ts'
import { addressKinds } from '../../notify/addresses.ts'
import { isCurrentOf, observedAtOf, statusNowOf } from '../courses/observed-at.ts'
import type { AdminIntent, AdminKey } from '../../web/admin-change.ts'
import type { AdminCascade, AdminChoice, AdminSearch } from '../../web/admin-table.ts'
import { sectionName } from '../courses/section-row.ts'

/* Parts that several tables of the class tracker share. */

/** The colors of the class tracker's pages. */
export const statuses: readonly AdminChoice[] = [
  { value: 'open', label: 'Open', tone: 'open' },
  { value: 'waitlisted', label: 'Waitlisted', tone: 'waitlisted' },
  { value: 'closed', label: 'Closed', tone: 'neutral' },
  { value: 'unknown', label: 'Unknown', tone: 'unknown' },
]

/** Whether a section was read recently enough to show its seats as current. Its group must be joined. */
export const isReadRecently = isCurrentOf(observedAtOf(section, sectionGroup), sql`unixepoch('subsec') * 1000`)

/** A section's status in a list; if it was not read recently, its last one. Its group must be joined. */
export const shownStatus = {
  kind: 'state' as const,
  choices: [
    ...statuses,
    ...statuses.map(({ value, label }) => ({
      value: `was_${value}`,
      label: `Was ${label.toLowerCase()}`,
      tone: 'unknown' as const,
    })),
  ],
  sql: sql`iif(${isReadRecently} OR ${statusNowOf(section)} = 'unknown', ${statusNowOf(section)}, 'was_' || ${section.status})`,
}

export const channels: readonly AdminChoice[] = contactKinds.map((kind) => ({
  value: kind,
  label: addressKinds[kind].message,
}))

/** "Discord webhook …0123": a webhook's address is a secret, so the end of its id identifies it. */
export const webhookName = (address: SQLiteColumn): SQL =>
  sql`'Discord webhook' || coalesce(' …' || nullif(substr(${address},
    instr(${address}, '/webhooks/') + 10 + instr(substr(${address}, instr(${address}, '/webhooks/') + 10), '/') - 5, 4), ''), '')`

/** Searches rows that refer to a recipient, which is joined, and by this column to a section. */
export const searchByRecipientOrCourse = (sectionId: SQLiteColumn): AdminSearch => ({
  label: 'Recipient or course (CS 101)',
  contains: [
    recipient.name,
    sql`(SELECT ${course.code} || ' ' || ${course.level} FROM ${section}
      JOIN ${course} ON ${course.id} = ${section.courseId} WHERE ${section.id} = ${sectionId})`,
  ],
})

/** Joins a section with its school and term. */
export const placeJoins = [section.schoolTermId, schoolTerm.schoolId, schoolTerm.termId] as const

/** The sections that are deleted with the row. */
export const sectionsOf = (...through: readonly SQLiteColumn[]): AdminCascade => ({
  through,
  joins: [section.courseId],
  title: sectionName,
})

/** People who watch a section that is deleted. `through` leads to groups of sections; it is empty for a section. */
export const watchers = (...through: readonly SQLiteColumn[]): AdminCascade => ({
  through: through.length === 0 ? [watch.sectionId] : [...through, section.groupId, watch.sectionId],
  where:
    through.length === 0
      ? sql`${watch.archivedAt} IS NULL`
      : sql`${sectionGroup.watchCount} > 0 AND ${section.watchCount} > 0 AND ${watch.archivedAt} IS NULL`,
  joins: [watch.recipientId],
  title: recipient.name,
  effect: 'deleted, so these people will no longer be notified when a seat opens',
})

/** Alerts about sections that are deleted with the row. `through` leads to sections; it is empty for a section. */
export const alertsAbout = (...through: readonly SQLiteColumn[]): AdminCascade => ({
  through: [...through, classAlert.sectionId],
  joins: [classAlert.recipientId],
  title: recipient.name,
})

/** Servers of the directory, which lose what is deleted. */
export const serversOf = (through: SQLiteColumn, serverId: SQLiteColumn, effect: string): AdminCascade => ({
  label: 'servers',
  through: [through],
  joins: [serverId],
  title: discordServer.name,
  effect,
})

/** The most sections that one request has time to delete with all their rows. */
const MAX_SECTIONS = 20_000

/** @param sectionsOfRow what comes after FROM @param advice what to delete instead of a row with too many sections */
export const refuseLarge =
  (sectionsOfRow: (key: AdminKey) => SQL, advice: string) =>
  async ({ DB }: Env, intent: AdminIntent): Promise<string[]> => {
    if (!('remove' in intent)) return []
    const { key, before } = intent.remove
    const limit = constant(MAX_SECTIONS + 1)
    const found = await readFirst(
      DB,
      template(
        { count: sql<number>`count(*)` },
        (columns) => sql`SELECT ${columns} FROM (SELECT 1 FROM ${sectionsOfRow(key)} LIMIT ${limit})`,
      ),
    )
    if ((found?.count ?? 0) <= MAX_SECTIONS) return []
    return [`${before['name']} has more than ${MAX_SECTIONS} sections: ${advice}`]
  }
