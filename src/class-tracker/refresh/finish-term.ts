import { sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { isIn } from '../../db/json-argument.ts'
import { names, type Query, query, statement, writeTogether } from '../../db/query.ts'
import { section, sectionGroup } from '../../db/schema/index.ts'
import { recordAbsence } from '../polling/absence.ts'
import type { StoredSection } from './compare-sections.ts'
import type { SchoolTerm } from './school-terms.ts'

interface FinishedTerm {
  schoolTerm: Pick<SchoolTerm, 'id'>
  /** The sections stored before the run's pages were read. */
  stored: readonly StoredSection[]
  /** Ids of the stored sections that the term listed. */
  listed: ReadonlySet<number>
  /** The time (ms since epoch) before the school was first asked. */
  started_at: number
  /** Groups whose watched sections were not written, so their read time stays. */
  set_aside: readonly number[]
  /** ms since epoch */
  now: number
}

/**
 * After the last page of a whole term: a section that was not listed is noted as unlisted and is unknown until an answer
 * lists it, and one that the previous reading did not list either is marked as missing; nothing is deleted. Then the
 * groups' read times advance to when the reading began. Nothing is written for a section that is listed as before.
 */
export async function finishTerm(db: D1Database, term: FinishedTerm): Promise<void> {
  const { stored, listed, started_at: known_at, now } = term
  const absent = stored.filter(({ id, created_at }) => !listed.has(id) && created_at < known_at)
  const missing = absent.filter(({ unlisted_at, missing_since }) => unlisted_at !== null && missing_since === null)
  const newlyUnlisted = absent.filter(({ unlisted_at }) => unlisted_at === null)
  const listedAgain = stored.filter(({ id, unlisted_at }) => listed.has(id) && unlisted_at !== null)
  await writeTogether(db, [
    ...recordAbsence([
      ...missing.map(({ id, group_id }) => ({ group_id, known_at, missing: [id], unknown: [], observed: [] })),
      ...newlyUnlisted
        .filter(({ missing_since }) => missing_since === null)
        .map(({ id, group_id }) => ({ group_id, known_at, missing: [], unknown: [id], observed: [] })),
    ]),
    ...setUnlisted(newlyUnlisted, now),
    ...setUnlisted(listedAgain, null),
    advanceReadTimes(term.schoolTerm.id, known_at, term.set_aside),
  ])
}

function setUnlisted(sections: readonly StoredSection[], at: number | null): Query[] {
  if (sections.length === 0) return []
  const ids = sections.map(({ id }) => id)
  return [query.update(section).set({ unlistedAt: at }).where(isIn(section.id, ids))]
}

/** Read times only move forward, and not past a read or edit made after the reading of the term began. */
function advanceReadTimes(schoolTermId: number, startedAt: number, setAside: readonly number[]): Query {
  const advanced = (time: SQLiteColumn) =>
    sql`${names(time)} = iif(max(coalesce(${time}, 0), coalesce(${sectionGroup.editedAt}, 0)) < ${startedAt}, ${startedAt}, ${time})`
  const count = sql`(SELECT count(*) FROM ${section} WHERE ${section.groupId} = ${sectionGroup.id} AND ${section.unlistedAt} IS NULL)`
  return statement(sql`UPDATE ${sectionGroup}
    SET ${names(sectionGroup.sectionCount)} = ${count}, ${names(sectionGroup.failures)} = 0, ${names(sectionGroup.lastError)} = NULL,
      ${advanced(sectionGroup.listedAt)}, ${advanced(sectionGroup.readAt)}, ${advanced(sectionGroup.askedAt)}
    WHERE ${sectionGroup.schoolTermId} = ${schoolTermId}
      AND NOT ${isIn(sectionGroup.id, setAside)}`)
}
