import { eq, type SQL, sql } from 'drizzle-orm'
import { toSnakeCase } from 'drizzle-orm/casing'
import { constant, into, type Query, query, refuseUnless, statement } from '../../db/query.ts'
import { readNewId } from '../../db/read-new-id.ts'
import {
  course,
  discordServer,
  instructor,
  serverCourse,
  serverInstructor,
  serverSchool,
  serverSubject,
  subject,
} from '../../db/schema/index.ts'
import type { AdminChange, AdminInlineChange, AdminPlan } from '../../web/admin-change.ts'
import { columnsOf } from '../../web/admin-fields.ts'
import { updateNotes } from './save-invite.ts'
import { indexNow } from '../search/index-servers.ts'
import { sortKeyOf } from '../search/words.ts'

type Id = number | string | null

/** `fits` is checked once all links are written; `otherwise` is the error, the same as for a submission. */
export const serverLinks = [
  {
    name: 'schools',
    label: 'School',
    table: serverSchool,
    target: serverSchool.schoolId,
    fits: (_server: number, id: Id): SQL => sql`EXISTS (SELECT 1 FROM ${subject} WHERE ${subject.schoolId} = ${id})`,
    otherwise: 'Invalid school selected',
  },
  {
    name: 'subjects',
    label: 'Subject',
    table: serverSubject,
    target: serverSubject.subjectId,
    fits: (server: number, id: Id): SQL =>
      sql`EXISTS (SELECT 1 FROM ${subject} JOIN ${serverSchool} ON ${serverSchool.schoolId} = ${subject.schoolId}
        WHERE ${serverSchool.serverId} = ${server} AND ${subject.id} = ${id})`,
    otherwise: 'This subject is not taught at the school',
  },
  {
    name: 'courses',
    label: 'Course',
    table: serverCourse,
    target: serverCourse.courseId,
    fits: (server: number, id: Id): SQL =>
      sql`EXISTS (SELECT 1 FROM ${course} JOIN ${serverSubject} ON ${serverSubject.subjectId} = ${course.subjectId}
        WHERE ${serverSubject.serverId} = ${server} AND ${course.id} = ${id})`,
    otherwise: 'A course does not belong to the subject',
  },
  {
    name: 'instructors',
    label: 'Instructor',
    table: serverInstructor,
    target: serverInstructor.instructorId,
    fits: (server: number, id: Id): SQL =>
      sql`EXISTS (SELECT 1 FROM ${instructor} JOIN ${serverSchool} ON ${serverSchool.schoolId} = ${instructor.schoolId}
        WHERE ${serverSchool.serverId} = ${server} AND ${instructor.id} = ${id})`,
    otherwise: 'An instructor does not teach at the school',
  },
] as const

/** Writes a server and its links. Triggers update its lists and pages; its search words are updated immediately. */
export async function saveServer({ DB }: Env, change: AdminChange): Promise<AdminPlan> {
  const { key, before, values, now } = change
  const columns = columnsOf(
    discordServer,
    values,
    'customTitle',
    'description',
    'privacyLevel',
    'isActive',
    'isRequiredForTrust',
    'isGeneralServer',
  )
  // Enabling it again must not let its members sign up, which only featuring it may do.
  if (!columns.isActive) columns.isRequiredForTrust = false
  const isNewPrivacy = columns.privacyLevel !== before?.['privacy_level']
  const adminPrivacy = isNewPrivacy ? { adminPrivacyLevel: columns.privacyLevel, adminPrivacyAt: now } : {}
  const id = key === null ? await readNewId(DB, 'discord_server') : Number(key)
  const own =
    key === null
      ? query.insert(discordServer).values({
          id,
          ...columnsOf(discordServer, values, 'serverId', 'name'),
          sortKey: sortKeyOf(String(values['custom_title'] || values['name']), []),
          createdAt: now,
          ...columns,
          ...adminPrivacy,
        })
      : query
          .update(discordServer)
          .set({ ...columns, ...adminPrivacy })
          .where(eq(discordServer.id, id))
  return {
    statements: [own, ...noteStatements(change.inlines['invites']), ...linkStatements(id, change)],
    addedKey: constant(id),
    written: { is_required_for_trust: Number(columns.isRequiredForTrust) },
    afterwards: () => indexNow(DB, 1, id),
  }
}

const noteStatements = (rows: readonly AdminInlineChange[] = []): Query[] =>
  rows.flatMap(({ key, before, values }) =>
    key === null || before?.['notes_md'] === values['notes_md'] ? [] : [updateNotes(key, values)],
  )

/** Checks the new links once all are written, because a school and its subject may be added together. */
function linkStatements(serverId: number, { inlines }: AdminChange): Query[] {
  const writes: Query[] = []
  const checks: Query[] = []
  for (const { name, table, target, fits, otherwise } of serverLinks) {
    for (const { key, values, isRemoved } of inlines[name] ?? []) {
      if (key === null) {
        const id = values[toSnakeCase(target.name)] ?? null
        writes.push(
          statement(
            sql`INSERT INTO ${into(table, table.serverId, target)} VALUES (${serverId}, ${id}) ON CONFLICT DO NOTHING`,
          ),
        )
        checks.push(refuseUnless(fits(serverId, id), otherwise))
      } else if (isRemoved) writes.push(statement(sql`DELETE FROM ${table} WHERE rowid = ${key}`))
    }
  }
  return [...writes, ...checks]
}
