import { and, eq, ne, sql } from 'drizzle-orm'
import { query } from '../../db/query.ts'
import {
  course,
  school,
  schoolTerm,
  section,
  sectionGroup,
  serverCourse,
  serverSubject,
  subject,
  term,
  watch,
} from '../../db/schema/index.ts'
import type { AdminChange, AdminPlan } from '../../web/admin-change.ts'
import { belongsTo, columnsOf, countColumn } from '../../web/admin-fields.ts'
import type { AdminTable } from '../../web/admin-table.ts'
import { alertsAbout, sectionsOf, serversOf, watchers } from './parts.ts'

/** Subjects of a school's search. */
export const subjectsTable: AdminTable<typeof subject> = {
  name: 'subjects',
  label: 'Subject',
  about: 'Each belongs to one school. Refreshes add subjects and never delete them.',
  table: subject,
  title: sql`${subject.name} || ' (' || ${subject.key} || '), ' || ${school.name}`,
  joins: [subject.schoolId],
  columns: [
    { column: subject.name, isSortable: true },
    subject.key,
    { name: 'school', column: school.name, link: school },
    countColumn('courses', sql`${course} WHERE ${course.subjectId} = ${subject.id}`),
  ],
  search: { label: 'Name or key', contains: [subject.name, subject.key] },
  filters: [subject.schoolId],
  fields: [
    belongsTo(subject.schoolId),
    {
      column: subject.key,
      maximum: 50,
      readOnly: 'after_adding',
      help: 'The code the school’s search uses, such as CMSC.',
    },
    { column: subject.name, maximum: 200, help: 'The next refresh restores the school’s own name.' },
  ],
  related: [course.subjectId],
  cascades: [
    { through: [course.subjectId], title: sql`${course.code} || ' ' || ${course.level}` },
    sectionsOf(sectionGroup.subjectId, section.groupId),
    watchers(sectionGroup.subjectId),
    alertsAbout(sectionGroup.subjectId, section.groupId),
    serversOf(serverSubject.subjectId, serverSubject.serverId, 'kept, without this subject'),
  ],
}

const courseName = sql`${course.code} || ' ' || ${course.level}`

/** Courses as schools number them. */
export const coursesTable: AdminTable<typeof course> = {
  name: 'courses',
  label: 'Course',
  about: 'Refreshes add courses and never delete them.',
  table: course,
  title: sql`${courseName} || ' – ' || ${course.title} || ', ' || ${school.name}`,
  joins: [course.subjectId, subject.schoolId],
  columns: [
    { name: 'course', sql: courseName, isSortable: true },
    { column: course.title, isSortable: true },
    { name: 'subject', column: subject.name, link: subject },
    { name: 'school', column: school.name, link: school },
    countColumn('sections', sql`${section} WHERE ${section.courseId} = ${course.id}`),
  ],
  search: {
    label: 'Code and level (CS 101) or title',
    contains: [sql`${courseName} || ' ' || ${course.title}`],
    begins: [sql`lower(${courseName})`, sql`lower(${course.title})`],
  },
  filters: [course.subjectId, { name: 'school', column: subject.schoolId }],
  fields: [
    belongsTo(course.subjectId),
    { column: course.code, maximum: 50, help: 'The letters, such as CS.' },
    { column: course.level, maximum: 50, help: 'The number, such as 101H.' },
    { column: course.title, maximum: 500, help: 'Kept until the school updates the course.' },
  ],
  related: [section.courseId],
  cascades: [
    {
      through: [section.courseId],
      joins: [section.schoolTermId, schoolTerm.termId],
      title: sql`${section.section} || ', ' || ${term.fullTermName}`,
    },
    // Groups are not deleted with courses, so watches cannot be found through them.
    { ...watchers(), through: [section.courseId, watch.sectionId] },
    alertsAbout(section.courseId),
    serversOf(serverCourse.courseId, serverCourse.serverId, 'kept, without this course'),
  ],
  save: saveCourse,
}

async function saveCourse(_env: Env, { key, values }: AdminChange): Promise<AdminPlan> {
  const columns = columnsOf(course, values, 'code', 'level', 'title')
  if (key === null)
    return { statements: [query.insert(course).values({ ...columnsOf(course, values, 'subjectId'), ...columns })] }
  const id = Number(key)
  return {
    statements: [
      query.update(course).set(columns).where(eq(course.id, id)),
      // Sections carry a copy of the level, for polls.
      query
        .update(section)
        .set({ courseLevel: columns.level })
        .where(and(eq(section.courseId, id), ne(section.courseLevel, columns.level))),
    ],
  }
}
