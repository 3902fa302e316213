import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { source } from './sources.ts'

export const school = sqliteTable(
  'school',
  {
    id: integer().primaryKey(),
    sourceId: integer()
      .notNull()
      .references(() => source.id, { onDelete: 'cascade' }),
    /** The school's own code at its source; '' where the source is one school. */
    code: text().notNull(),
    name: text().notNull(),
    /** Listed first wherever a school is chosen. */
    isPreferred: integer({ mode: 'boolean' }).notNull().default(false),
  },
  (table) => [
    uniqueIndex('school_code').on(table.sourceId, table.code),
    index('school_name').on(sql`lower(${table.name})`),
  ],
)

/** A year and season, shared by all schools. */
export const term = sqliteTable(
  'term',
  {
    id: integer().primaryKey(),
    year: integer().notNull(),
    season: text().notNull(),
    fullTermName: text().notNull(),
    /** Listed first wherever a term is chosen. */
    isPreferred: integer({ mode: 'boolean' }).notNull().default(false),
  },
  (table) => [uniqueIndex('term_year_season').on(table.year, table.season)],
)

/** One school's own term, under its own code. A school may run several in one season. */
export const schoolTerm = sqliteTable(
  'school_term',
  {
    id: integer().primaryKey(),
    schoolId: integer()
      .notNull()
      .references(() => school.id, { onDelete: 'cascade' }),
    termId: integer()
      .notNull()
      .references(() => term.id),
    code: text().notNull(),
    name: text().notNull(),
    isAvailable: integer({ mode: 'boolean' }).notNull(),
    /** Whether staff decided `isAvailable`, so that what the school says no longer changes it. */
    isAvailabilityKept: integer({ mode: 'boolean' }).notNull().default(false),
    /** Its last day according to the school, as 2026-12-22; '' if the school does not say. */
    endsOn: text().notNull().default(''),
    /** First moment (ms since epoch) at which the term is over in the source's time zone. */
    endsAt: integer().notNull(),
    subjectsRefreshedAt: integer(),
    sectionsRefreshedAt: integer(),
    /** The number of sections in the last full refresh, from which the cost of paging through the term follows. */
    sectionCount: integer(),
  },
  (table) => [
    uniqueIndex('school_term_code').on(table.schoolId, table.code),
    index('school_term_term').on(table.termId),
  ],
)

export const subject = sqliteTable(
  'subject',
  {
    id: integer().primaryKey(),
    schoolId: integer()
      .notNull()
      .references(() => school.id, { onDelete: 'cascade' }),
    key: text().notNull(),
    name: text().notNull(),
  },
  (table) => [
    uniqueIndex('subject_key').on(table.schoolId, table.key),
    index('subject_name').on(sql`lower(${table.name})`),
  ],
)
