import { and, eq, max, ne, type SQL, sql } from 'drizzle-orm'
import { excluded, into, names, type Query, query, read, statement, write, writeTogether } from '../../db/query.ts'
import {
  school,
  schoolTerm,
  section,
  sectionGroup,
  source as sourceTable,
  subject,
  term,
} from '../../db/schema/index.ts'
import { isoDay } from '../../sources/class-dates.ts'
import type { GroupSections, SourceTerm, SubjectsAndCareers, TermsAndSchools } from '../../sources/source.ts'
import { truncated } from '../../lib/text.ts'
import { HOUR_MS } from '../../lib/time.ts'
import { termEnd } from '../../sources/term-end.ts'
import type { SchoolTerm } from './school-terms.ts'

const seasonNames = { spring: 'Spring', summer: 'Summer', fall: 'Fall', winter: 'Winter' } as const

/** The longest name stored; a longer one is a school's mistake. */
const MAX_NAME = 500

/** The term's common name: "2026 Fall Term". */
export const fullTermName = (year: number, season: keyof typeof seasonNames): string =>
  `${year} ${seasonNames[season]} Term`

/** A term with its last day; '' if that is unknown. */
type StoredTerm = SourceTerm & { ends_on: string }

/**
 * The terms of a source that are not over, with the last days we already know: many systems give those only with the
 * sections. Others are not stored.
 */
export async function termsWorthKeeping(
  db: D1Database,
  { id, time_zone }: { id: number; time_zone: string },
  terms: readonly SourceTerm[],
  now: number,
): Promise<StoredTerm[]> {
  const known = await read(
    db,
    query
      .select({ code: schoolTerm.code, ends_on: max(schoolTerm.endsOn) })
      .from(school)
      .innerJoin(schoolTerm, eq(schoolTerm.schoolId, school.id))
      .where(and(eq(school.sourceId, id), ne(schoolTerm.endsOn, '')))
      .groupBy(schoolTerm.code),
  )
  const byCode = new Map(known.map(({ code, ends_on }) => [code, ends_on ?? '']))
  return terms
    .map((one) => ({ ...one, ends_on: isoDay(one.ends_on) || byCode.get(one.code) || '' }))
    .filter((one) => termEnd(one, time_zone) > now)
}

/** How long readings must lack a term before it is unavailable, in ms: more than between the tries of one night. */
export const MIN_ABSENCE_MS = 6 * HOUR_MS

/**
 * A wrong end would end watches: one far from the term's year, or before most classes of the answer or most stored ones
 * end, is not believed.
 */
export async function keepTermEnd(
  db: D1Database,
  term: SchoolTerm,
  { term_ends_on, sections }: Pick<GroupSections, 'term_ends_on' | 'sections'>,
): Promise<void> {
  const ends_on = isoDay(term_ends_on)
  if (ends_on === '' || ends_on === term.ends_on || Math.abs(Number(ends_on.slice(0, 4)) - term.year) > 1) return
  const laterCount = sections.filter((section) => (section.ends_on ?? '') > ends_on).length
  if (laterCount * 2 > sections.length) return
  const endsAt = termEnd({ ...term, ends_on }, term.time_zone)
  const moreLater = sql`(SELECT sum(iif(${section.endsOn} > ${ends_on}, 1, -1)) FROM ${section}
    WHERE ${section.schoolTermId} = ${term.id} AND ${section.endsOn} <> '')`
  const isBelieved = and(eq(schoolTerm.id, term.id), sql`coalesce(${moreLater}, 0) <= 0`)
  const { changes } = await write(db, query.update(schoolTerm).set({ endsOn: ends_on, endsAt }).where(isBelieved))
  if (changes > 0) term.ends_on = ends_on
}

/**
 * Writes one source's schools and its {@link termsWorthKeeping} in one batch. A term becomes unavailable if it is over,
 * or if readings {@link MIN_ABSENCE_MS} apart do not list it, unless staff decided its availability. Nothing is
 * deleted. A source without schools is one school with the source's name. Returns how many terms are new.
 */
export async function writeTerms(
  db: D1Database,
  source: { id: number; name: string; time_zone: string },
  found: { schools: TermsAndSchools['schools']; terms: readonly StoredTerm[] },
  { by, now }: { by: string; now: number },
): Promise<number> {
  const schools = JSON.stringify(
    found.schools.length > 0
      ? found.schools.map(({ code, name }) => [code, truncated(name, MAX_NAME)])
      : [['', source.name]],
  )
  const terms = JSON.stringify(
    found.terms.map((one) => [
      one.code,
      one.year,
      one.season,
      truncated(one.name, MAX_NAME),
      Number(one.is_available),
      termEnd(one, source.time_zone),
      fullTermName(one.year, one.season),
      one.ends_on,
    ]),
  )
  const offered = sql`SELECT value ->> 0 FROM json_each(${schools})`
  const ofSource = sql`SELECT ${school.id} FROM ${school} WHERE ${school.sourceId} = ${source.id}`
  const [added] = await writeTogether(db, [
    statement(sql`INSERT INTO ${into(term, term.year, term.season, term.fullTermName)}
      SELECT DISTINCT value ->> 1, value ->> 2, value ->> 6 FROM json_each(${terms}) WHERE value ->> 4 ON CONFLICT DO NOTHING`),
    statement(sql`INSERT INTO ${into(school, school.sourceId, school.code, school.name)}
      SELECT ${source.id}, value ->> 0, value ->> 1 FROM json_each(${schools}) WHERE true
      ON CONFLICT (${names(school.sourceId, school.code)}) DO UPDATE SET ${names(school.name)} = ${excluded(school.name)}
      WHERE ${school.name} <> ${excluded(school.name)}`),
    statement(sql`INSERT INTO ${into(schoolTerm, schoolTerm.schoolId, schoolTerm.termId, schoolTerm.code, schoolTerm.name, schoolTerm.isAvailable, schoolTerm.endsAt, schoolTerm.endsOn)}
      SELECT ${school.id}, ${term.id}, listed.value ->> 0, listed.value ->> 3, listed.value ->> 4, listed.value ->> 5, listed.value ->> 7
      FROM json_each(${terms}) listed
      JOIN ${term} ON ${term.year} = listed.value ->> 1 AND ${term.season} = listed.value ->> 2
      JOIN ${school} ON ${school.sourceId} = ${source.id} AND ${school.code} IN (${offered})
      WHERE true
      ON CONFLICT (${names(schoolTerm.schoolId, schoolTerm.code)}) DO UPDATE SET
        ${names(schoolTerm.termId)} = ${excluded(schoolTerm.termId)}, ${names(schoolTerm.name)} = ${excluded(schoolTerm.name)}, ${names(schoolTerm.endsAt)} = ${excluded(schoolTerm.endsAt)},
        ${names(schoolTerm.endsOn)} = ${excluded(schoolTerm.endsOn)}, ${names(schoolTerm.absentSince)} = NULL,
        ${names(schoolTerm.isAvailable)} = iif(${schoolTerm.isAvailabilityKept}, ${schoolTerm.isAvailable}, ${excluded(schoolTerm.isAvailable)})
      WHERE ${schoolTerm.termId} <> ${excluded(schoolTerm.termId)} OR ${schoolTerm.name} <> ${excluded(schoolTerm.name)} OR ${schoolTerm.endsAt} <> ${excluded(schoolTerm.endsAt)}
        OR ${schoolTerm.endsOn} <> ${excluded(schoolTerm.endsOn)} OR ${schoolTerm.absentSince} IS NOT NULL
        OR NOT ${schoolTerm.isAvailabilityKept} AND ${schoolTerm.isAvailable} <> ${excluded(schoolTerm.isAvailable)}`),
    // A broken school answers with a short list, too.
    query
      .update(schoolTerm)
      .set({
        isAvailable: sql`${schoolTerm.endsAt} > ${now} AND coalesce(${schoolTerm.absentSince}, ${now}) > ${now - MIN_ABSENCE_MS}`,
        absentSince: sql`coalesce(${schoolTerm.absentSince}, ${now})`,
      })
      .where(
        sql`${schoolTerm.isAvailable} AND NOT ${schoolTerm.isAvailabilityKept} AND ${schoolTerm.schoolId} IN (${ofSource})
          AND ${schoolTerm.code} NOT IN (SELECT value ->> 0 FROM json_each(${terms}))`,
      ),
    query.update(sourceTable).set({ termsRefreshedAt: now, termsRefreshedBy: by }).where(eq(sourceTable.id, source.id)),
  ])
  return added.changes
}

/** Writes a term's subjects, and a group for each of their careers. Nothing is deleted. */
export async function writeSubjects(
  db: D1Database,
  offering: Offering,
  { subjects, careers }: SubjectsAndCareers,
  now: number,
): Promise<void> {
  await writeTogether(db, [
    insertSubjects(
      offering,
      subjects,
      sql`(${names(subject.schoolId, subject.key)}) DO UPDATE SET ${names(subject.name)} = ${excluded(subject.name)}
      WHERE ${subject.name} <> ${excluded(subject.name)}`,
    ),
    insertGroups(offering, subjects, careers),
    query.update(schoolTerm).set({ subjectsRefreshedAt: now }).where(eq(schoolTerm.id, offering.id)),
  ])
}

/** Adds subjects that a term's sections name. One that the school is not known to have is called by its key at first. */
export async function addSubjects(db: D1Database, offering: Offering, keys: readonly string[]): Promise<void> {
  const subjects = keys.map((key) => ({ key, name: key }))
  await writeTogether(db, [insertSubjects(offering, subjects, sql`DO NOTHING`), insertGroups(offering, subjects, [''])])
}

type Offering = Pick<SchoolTerm, 'id' | 'school_id' | 'source_id'>

function insertSubjects(
  { school_id: schoolId }: Offering,
  subjects: SubjectsAndCareers['subjects'],
  onConflict: SQL,
): Query {
  const rows = JSON.stringify(subjects.map(({ key, name }) => [key, truncated(name, MAX_NAME)]))
  return statement(sql`INSERT INTO ${into(subject, subject.schoolId, subject.key, subject.name)}
    SELECT ${schoolId}, value ->> 0, value ->> 1 FROM json_each(${rows}) WHERE true
    ON CONFLICT ${onConflict}`)
}

function insertGroups(
  { id, school_id: schoolId, source_id: sourceId }: Offering,
  subjects: SubjectsAndCareers['subjects'],
  careers: readonly string[],
): Query {
  return statement(sql`INSERT INTO ${into(sectionGroup, sectionGroup.sourceId, sectionGroup.schoolTermId, sectionGroup.subjectId, sectionGroup.career)}
    SELECT ${sourceId}, ${id}, ${subject.id}, careers.value
    FROM json_each(${JSON.stringify(subjects.map(({ key }) => key))}) listed
    JOIN ${subject} ON ${subject.schoolId} = ${schoolId} AND ${subject.key} = listed.value
    JOIN json_each(${JSON.stringify(careers)}) careers
    WHERE true
    ON CONFLICT DO NOTHING`)
}
