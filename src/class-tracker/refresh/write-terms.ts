import type { SubjectsAndCareers, TermsAndSchools } from '../../sources/source.ts'
import { termEnd } from './quiet-hour.ts'

const seasonNames = { spring: 'Spring', summer: 'Summer', fall: 'Fall', winter: 'Winter' } as const

/** The name all schools share: "2026 Fall Term". */
export const fullTermName = (year: number, season: keyof typeof seasonNames): string =>
  `${year} ${seasonNames[season]} Term`

/** Terms and seasons kept from a source: those that end after `now`. */
export function termsWorthKeeping(read: TermsAndSchools, timeZone: string, now: number): TermsAndSchools['terms'] {
  return read.terms.filter((term) => termEnd(term.year, term.season, timeZone) > now)
}

/**
 * Writes one source's schools and terms in one batch. Terms the source no longer offers become unavailable, but for those whose
 * availability staff decided; nothing is deleted. A source that names no schools is one school of its own name. Answers the number of terms nobody had before.
 */
export async function writeTerms(
  db: D1Database,
  source: { id: number; name: string; time_zone: string },
  read: TermsAndSchools,
  by: string,
  now: number,
): Promise<number> {
  const schools = JSON.stringify(
    read.schools.length > 0 ? read.schools.map((school) => [school.code, school.name]) : [['', source.name]],
  )
  const terms = JSON.stringify(
    termsWorthKeeping(read, source.time_zone, now).map((term) => [
      term.code,
      term.year,
      term.season,
      term.name,
      Number(term.is_available),
      termEnd(term.year, term.season, source.time_zone),
      fullTermName(term.year, term.season),
    ]),
  )
  const results = await db.batch([
    db
      .prepare(
        `INSERT INTO term (year, season, full_term_name)
         SELECT DISTINCT value ->> 1, value ->> 2, value ->> 6 FROM json_each(?) WHERE value ->> 4 ON CONFLICT DO NOTHING`,
      )
      .bind(terms),
    db
      .prepare(
        `INSERT INTO school (source_id, code, name) SELECT ?, value ->> 0, value ->> 1 FROM json_each(?) WHERE true
         ON CONFLICT (source_id, code) DO UPDATE SET name = excluded.name WHERE name <> excluded.name`,
      )
      .bind(source.id, schools),
    db
      .prepare(
        `INSERT INTO school_term (school_id, term_id, code, name, is_available, ends_at)
         SELECT s.id, t.id, j.value ->> 0, j.value ->> 3, j.value ->> 4, j.value ->> 5
         FROM json_each(?) j JOIN term t ON t.year = j.value ->> 1 AND t.season = j.value ->> 2
         JOIN school s ON s.source_id = ? AND s.code IN (SELECT value ->> 0 FROM json_each(?))
         WHERE true
         ON CONFLICT (school_id, code) DO UPDATE SET name = excluded.name, ends_at = excluded.ends_at,
           is_available = iif(is_availability_kept, is_available, excluded.is_available)
         WHERE name <> excluded.name OR ends_at <> excluded.ends_at
           OR NOT is_availability_kept AND is_available <> excluded.is_available`,
      )
      .bind(terms, source.id, schools),
    db
      .prepare(
        `UPDATE school_term SET is_available = 0
         WHERE is_available AND NOT is_availability_kept AND school_id IN (SELECT id FROM school WHERE source_id = ?)
           AND code NOT IN (SELECT value ->> 0 FROM json_each(?))`,
      )
      .bind(source.id, terms),
    db
      .prepare('UPDATE source SET terms_refreshed_at = ?, terms_refreshed_by = ? WHERE id = ?')
      .bind(now, by, source.id),
  ])
  return results[0]?.meta.changes ?? 0
}

/** Writes the subjects one school offers in one of its terms, and a group for each career of each. Nothing is deleted. */
export async function writeSubjects(
  db: D1Database,
  schoolTerm: { id: number; school_id: number; source_id: number },
  read: SubjectsAndCareers,
  now: number,
): Promise<void> {
  const subjects = JSON.stringify(read.subjects.map((subject) => [subject.key, subject.name]))
  await db.batch([
    db
      .prepare(
        `INSERT INTO subject (school_id, key, name) SELECT ?, value ->> 0, value ->> 1 FROM json_each(?) WHERE true
         ON CONFLICT (school_id, key) DO UPDATE SET name = excluded.name WHERE name <> excluded.name`,
      )
      .bind(schoolTerm.school_id, subjects),
    db
      .prepare(
        `INSERT INTO section_group (source_id, school_term_id, subject_id, career)
         SELECT ?, ?, s.id, c.value FROM json_each(?) j JOIN subject s ON s.school_id = ? AND s.key = j.value ->> 0
         JOIN json_each(?) c
         WHERE true
         ON CONFLICT DO NOTHING`,
      )
      .bind(schoolTerm.source_id, schoolTerm.id, subjects, schoolTerm.school_id, JSON.stringify(read.careers)),
    db.prepare('UPDATE school_term SET subjects_refreshed_at = ? WHERE id = ?').bind(now, schoolTerm.id),
  ])
}
