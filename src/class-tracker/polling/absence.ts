import { type SQL, sql } from 'drizzle-orm'
import { constant, names, type Query, statement } from '../../db/query.ts'
import { section, sectionGroup } from '../../db/schema/index.ts'
import { lastObservedOf } from '../courses/observed-at.ts'
import type { JudgedSeats, KnownSection, Proposal } from './openings.ts'
import { s, stored } from '../aliases.ts'

/** Ids of a group's watched sections, by whether a believed answer observed them. */
export interface Absence {
  /** Not listed. */
  missing: readonly number[]
  /** Listed with a status that cannot be believed. */
  unknown: readonly number[]
  observed: readonly number[]
  /** Why some were not observed, as a sentence for staff; null when every section was observed. */
  why: string | null
}

/** The most section numbers such a sentence names. */
const MAX_NAMED = 5

/** A section that was not observed. `why_unknown`: what was wrong with its row; null if it had none. */
interface Unobserved {
  section_key: string
  why_unknown: string | null
}

/** "The answer does not list 30001, 30002, which are watched."; null when every one was observed. */
export function absenceSentence(unobserved: readonly Unobserved[]): string | null {
  const unlisted = unobserved.filter(({ why_unknown }) => why_unknown === null).map(({ section_key }) => section_key)
  const unknown = unobserved.filter(({ why_unknown }) => why_unknown !== null)
  const sentences: string[] = []
  if (unlisted.length > 0)
    sentences.push(
      `The answer does not list ${named(unlisted)}, which ${unlisted.length === 1 ? 'is' : 'are'} watched.`,
    )
  const [first] = unknown
  if (first) {
    const keys = unknown.map(({ section_key }) => section_key)
    sentences.push(`The status of ${named(keys)} is not credible: ${first.why_unknown ?? ''}`)
  }
  return sentences.join(' ') || null
}

function named(keys: readonly string[]): string {
  const more = keys.length > MAX_NAMED ? ` and ${keys.length - MAX_NAMED} more` : ''
  return `${keys.slice(0, MAX_NAMED).join(', ')}${more}`
}

/** Watched sections that an answer (by their keys) left out, or whose status is unknown after it. */
export function unobservedOf<Known extends Pick<KnownSection, 'section_key'>>(
  watched: readonly Known[],
  byKey: ReadonlyMap<string, JudgedSeats>,
): (Known & { why_unknown: string | null })[] {
  return watched.flatMap((section) => {
    const seats = byKey.get(section.section_key)
    if (seats && seats.status !== 'unknown') return []
    const why_unknown = seats ? (seats.why_unknown ?? 'The school does not report the status.') : null
    return [{ ...section, why_unknown }]
  })
}

/** Null when all were observed, now and before. @param hadUnobserved whether recent answers left some unobserved */
export function absenceOf(
  watched: readonly Pick<KnownSection, 'id' | 'section_key'>[],
  seen: readonly JudgedSeats[],
  hadUnobserved: boolean,
): Absence | null {
  const unobserved = unobservedOf(watched, new Map(seen.map((seats) => [seats.section_key, seats])))
  if (unobserved.length === 0 && !hadUnobserved) return null
  const missing = unobserved.flatMap(({ id, why_unknown }) => (why_unknown === null ? [id] : []))
  const unknown = unobserved.flatMap(({ id, why_unknown }) => (why_unknown === null ? [] : [id]))
  const others = new Set(unobserved.map(({ id }) => id))
  const observed = watched.flatMap(({ id }) => (others.has(id) ? [] : [id]))
  return { missing, unknown, observed, why: absenceSentence(unobserved) }
}

/** Sections that were checked for in a group. `known_at`: the time (ms since epoch) before we read which ones. */
export interface CheckedGroup extends Omit<Absence, 'why'> {
  group_id: number
  known_at: number
}

/**
 * A section that was not observed keeps the time of its last observation, however often its group is read without it.
 * Must run before the group's own row is written, because each answer's age is compared with that row. Empty when
 * nothing changed.
 */
export function recordAbsence(checked: readonly CheckedGroup[]): Query[] {
  const missing = listOf(checked, ({ missing: ids }) => ids)
  const unknown = listOf(checked, ({ unknown: ids }) => ids)
  const listed = listOf(checked, (one) => [...one.unknown, ...one.observed])
  const observed = listOf(checked, ({ observed: ids }) => ids)
  return [
    ...setSince('missingSince', missing, lastObserved),
    ...setSince('unknownSince', unknown, lastObserved),
    ...setSince('missingSince', listed, null),
    ...setSince('unknownSince', observed, null),
  ]
}

type CheckedRow = [id: number, group_id: number, known_at: number]

function listOf(checked: readonly CheckedGroup[], idsOf: (one: CheckedGroup) => readonly number[]): CheckedRow[] {
  return checked.flatMap((one) => idsOf(one).map((id): CheckedRow => [id, one.group_id, one.known_at]))
}

/** The rows as a table, with the read times of their group. */
const compared = (rows: readonly CheckedRow[]): SQL => sql`(
  SELECT value ->> 0 AS id, value ->> 1 AS group_id, value ->> 2 AS known_at, ${stored.readAt}, ${stored.listedAt}, ${stored.editedAt}
  FROM json_each(${JSON.stringify(rows)}) CROSS JOIN ${sectionGroup} ${stored} ON ${stored.id} = value ->> 1)`
/** Whether polls have read this section since it was watched; until then only refreshes make it more recent. */
const isPolled = sql`${s.watchCount} > ${s.newWatchCount}`
/** An answer older than the section's last read, or for a new watch its group's, says nothing about it. */
const isNewest = sql`max(iif(${s.watchCount} > 0, coalesce(checked.read_at, 0), 0),
  iif(${isPolled}, 0, coalesce(checked.listed_at, 0)), coalesce(checked.edited_at, 0)) < checked.known_at`

const lastObserved = lastObservedOf(s)

/**
 * A refresh counts as a read of a section that no poll has read. If its group was read after the refresh asked (because
 * a clock went back, or by a poll that did not know the section yet), the refresh's seats were refused: unless they equal
 * the stored ones, the section was not observed. Must run after the proposals were written and before the group's own
 * row.
 * @param proposals those of a refresh
 */
export function recordRefused(proposals: readonly Proposal[]): Query[] {
  const changed = proposals.filter(({ is_changed }) => is_changed)
  if (changed.length === 0) return []
  const rows = changed.map((one) => [
    one.known.id,
    one.group_id,
    one.asked_at,
    one.status,
    one.seats_available,
    one.capacity,
    one.waitlist_available,
    one.seats_for_anyone,
  ])
  const at = (position: number) => sql`answered.value ->> ${constant(position)}`
  return [
    statement(sql`UPDATE ${section} AS ${s} SET ${names(section.unknownSince)} = ${lastObserved}
      FROM json_each(${JSON.stringify(rows)}) answered CROSS JOIN ${sectionGroup} ${stored} ON ${stored.id} = ${at(1)}
        AND ${stored.readAt} > ${at(2)} AND coalesce(${stored.editedAt}, 0) <= ${at(2)}
      WHERE ${s.id} = ${at(0)} AND NOT (${isPolled}) AND ${s.unknownSince} IS NULL AND ${lastObserved} < ${at(2)}
        AND (${s.status}, ${s.seatsAvailable}, ${s.capacity}, ${s.waitlistAvailable}, ${s.seatsForAnyone})
          IS NOT (${at(3)}, ${at(4)}, ${at(5)}, ${at(6)}, ${at(7)})`),
  ]
}

/** Sets the time where there is none yet; null forgets it. A section that is in another group by now is left alone. */
function setSince(since: 'missingSince' | 'unknownSince', rows: readonly CheckedRow[], value: SQL | null): Query[] {
  if (rows.length === 0) return []
  const isOther = value === null ? sql`IS NOT NULL` : sql`IS NULL`
  return [
    statement(sql`UPDATE ${section} AS ${s} SET ${names(section[since])} = ${value ?? sql`NULL`} FROM ${compared(rows)} checked
      WHERE ${s.id} = checked.id AND ${s.groupId} = checked.group_id AND ${isNewest} AND ${s[since]} ${isOther}`),
  ]
}
