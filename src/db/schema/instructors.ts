import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { school, schoolTerm, subject } from './schools.ts'

/** An instructor at a school, by the name its sections give. */
export const instructor = sqliteTable(
  'instructor',
  {
    id: integer().primaryKey(),
    schoolId: integer()
      .notNull()
      .references(() => school.id, { onDelete: 'cascade' }),
    name: text().notNull(),
  },
  (table) => [
    uniqueIndex('instructor_name').on(table.schoolId, table.name),
    index('instructor_name_text').on(sql`lower(${table.name})`),
    index('instructor_school').on(table.schoolId),
  ],
)

export const instructorSubject = sqliteTable(
  'instructor_subject',
  {
    subjectId: integer()
      .notNull()
      .references(() => subject.id, { onDelete: 'cascade' }),
    instructorId: integer()
      .notNull()
      .references(() => instructor.id, { onDelete: 'cascade' }),
  },
  (table) => [
    primaryKey({ columns: [table.subjectId, table.instructorId] }),
    index('instructor_subject_instructor').on(table.instructorId),
  ],
)

/** When a term's instructors were last read from its sections. */
export const instructorRefresh = sqliteTable('instructor_refresh', {
  schoolTermId: integer()
    .primaryKey()
    .references(() => schoolTerm.id, { onDelete: 'cascade' }),
  sectionsRefreshedAt: integer().notNull(),
})
