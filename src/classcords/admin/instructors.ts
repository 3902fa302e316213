import { eq, sql } from 'drizzle-orm'
import { into, type Query, query, statement, refuseUnless } from '../../db/query.ts'
import {
  discordServer,
  instructor,
  instructorSubject,
  school,
  serverInstructor,
  subject,
} from '../../db/schema/index.ts'
import type { AdminChange, AdminPlan } from '../../web/admin-change.ts'
import { belongsTo, columnsOf, countColumn } from '../../web/admin-fields.ts'
import type { AdminTable } from '../../web/admin-table.ts'
import { indexNow } from '../search/index-servers.ts'

const subjectsInline = 'subjects'

export const instructorsTable: AdminTable<typeof instructor> = {
  name: 'instructors',
  label: 'Instructor',
  about: 'Read from each school’s sections. A renamed or deleted instructor returns if the sections still list them.',
  table: instructor,
  title: instructor.name,
  joins: [instructor.schoolId],
  columns: [
    { column: instructor.name, isSortable: true },
    { name: 'school', column: school.name, link: school },
    countColumn('subjects', sql`${instructorSubject} WHERE ${instructorSubject.instructorId} = ${instructor.id}`),
    countColumn('servers', sql`${serverInstructor} WHERE ${serverInstructor.instructorId} = ${instructor.id}`),
  ],
  search: { label: 'Name', contains: [instructor.name] },
  filters: [instructor.schoolId],
  fields: [belongsTo(instructor.schoolId), { column: instructor.name, maximum: 200 }],
  inlines: [
    {
      name: subjectsInline,
      label: 'Subject',
      table: instructorSubject,
      fields: [belongsTo(instructorSubject.subjectId)],
    },
  ],
  cascades: [
    {
      label: 'servers',
      through: [serverInstructor.instructorId],
      joins: [serverInstructor.serverId],
      title: discordServer.name,
      effect: 'kept, without this instructor',
    },
    {
      label: 'subjects',
      through: [instructorSubject.instructorId],
      joins: [instructorSubject.subjectId],
      title: subject.name,
      effect: 'kept, without this instructor',
    },
  ],
  save: saveInstructor,
}

async function saveInstructor({ DB }: Env, { key, values, inlines }: AdminChange): Promise<AdminPlan> {
  const id = key === null ? sql`(SELECT max(${instructor.id}) FROM ${instructor})` : sql`${Number(key)}`
  const subjects = (inlines[subjectsInline] ?? []).flatMap((row): Query[] => {
    if (row.key !== null) {
      return row.isRemoved ? [statement(sql`DELETE FROM ${instructorSubject} WHERE rowid = ${row.key}`)] : []
    }
    const subjectId = row.values['subject_id'] ?? null
    return [
      refuseUnless(
        sql`EXISTS (SELECT 1 FROM ${subject}
          WHERE ${subject.id} = ${subjectId} AND ${subject.schoolId} = ${values['school_id'] ?? null})`,
        'This subject is not taught at the school',
      ),
      statement(sql`INSERT INTO ${into(instructorSubject, instructorSubject.subjectId, instructorSubject.instructorId)}
        VALUES (${subjectId}, ${id}) ON CONFLICT DO NOTHING`),
    ]
  })
  return {
    statements: [
      key === null
        ? query.insert(instructor).values(columnsOf(instructor, values, 'schoolId', 'name'))
        : query
            .update(instructor)
            .set(columnsOf(instructor, values, 'name'))
            .where(eq(instructor.id, Number(key))),
      ...subjects,
    ],
    // So that servers are found by the instructor's new name.
    afterwards: () => indexNow(DB, 20),
  }
}
