import type { SourceAddress, Status, WatchedGroup } from '../../sources/source.ts'
import type { Doubt } from './doubts.ts'
import type { KnownSection } from './openings.ts'

/** A source as the poll needs it. */
export interface PolledSource extends SourceAddress {
  id: number
  name: string
  kind: string
  poll_seconds: number
  requests_per_minute: number
  failures: number
  paused_until: number | null
  is_enabled: boolean
  is_second_look_on: boolean
  overruled_look_count: number
}

/** A group with watches, its former reads, and what we believe of its watched sections. */
export interface PolledGroup {
  id: number
  asked_at: number | null
  failures: number
  /** Whether some of its watched sections were not observed by the last answers. */
  has_unobserved: boolean
  watched: WatchedGroup
  sections: KnownSection[]
}

interface SourceRow {
  id: number
  name: string
  kind: string
  url: string
  settings: string
  poll_seconds: number
  requests_per_minute: number
  failures: number
  paused_until: number | null
  is_enabled: number
  is_second_look_on: number
  overruled_look_count: number
}

interface TermRow {
  id: number
  code: string
  name: string
  school_code: string
  school_name: string
  section_count: number | null
}

interface GroupRow {
  id: number
  school_term_id: number
  career: string
  asked_at: number | null
  failures: number
  has_unobserved: number
  subject_key: string
  subject_name: string
  /** Its watched sections as JSON, see {@link WatchedColumns}. */
  sections: string
}

/** A watched section, by position. */
type WatchedColumns = [
  id: number,
  section_key: string,
  status: Status,
  seats_available: number | null,
  capacity: number | null,
  waitlist_available: number | null,
  version: number,
  new_watch_count: number,
  course_level: string,
]

/**
 * Everything one poll of a source needs, in one round trip and before the school is asked: three rows a watched group and
 * one a watched section, however many people watch. Groups of ended terms are not among them. `termSizes`: known sections
 * by `school/term`. `doubts`: by section. Null when the source is gone.
 */
export async function readWatchedGroups(
  db: D1Database,
  sourceId: number,
  now: number,
): Promise<{
  source: PolledSource
  groups: PolledGroup[]
  termSizes: Map<string, number>
  doubts: Map<number, Doubt>
} | null> {
  const [sources, terms, groups, doubts] = await db.batch<unknown>([
    db
      .prepare(
        `SELECT id, name, kind, url, settings, poll_seconds, requests_per_minute, failures, paused_until, is_enabled,
           is_second_look_on, overruled_look_count
         FROM source WHERE id = ?`,
      )
      .bind(sourceId),
    db
      .prepare(
        `SELECT t.id, t.code, t.name, t.section_count, s.code AS school_code, s.name AS school_name
         FROM school s JOIN school_term t ON t.school_id = s.id WHERE s.source_id = ? AND t.ends_at > ?`,
      )
      .bind(sourceId, now),
    db
      .prepare(
        // A group's sections come with it: to read the groups once more beside them is a row a group more.
        `SELECT g.id, g.school_term_id, g.career, g.asked_at, g.failures,
           EXISTS (SELECT 1 FROM section s INDEXED BY section_unobserved WHERE s.group_id = g.id AND s.watch_count > 0
             AND coalesce(s.missing_since, s.unknown_since) IS NOT NULL) AS has_unobserved,
           j.key AS subject_key, j.name AS subject_name,
           (SELECT json_group_array(json_array(s.id, s.section_key, s.status, s.seats_available, s.capacity,
              s.waitlist_available, s.version, s.new_watch_count, s.course_level))
            FROM section s INDEXED BY section_watched WHERE s.group_id = g.id AND s.watch_count > 0) AS sections
         FROM section_group g JOIN subject j ON j.id = g.subject_id
         WHERE g.source_id = ? AND g.watch_count > 0`,
      )
      .bind(sourceId),
    doubtsStatement(db, sourceId),
  ])
  const source = (sources?.results as SourceRow[] | undefined)?.[0]
  if (!source) return null
  const termById = new Map(((terms?.results ?? []) as TermRow[]).map((term) => [term.id, term]))
  const polled: PolledGroup[] = []
  for (const group of (groups?.results ?? []) as GroupRow[]) {
    const term = termById.get(group.school_term_id)
    const watched = JSON.parse(group.sections) as WatchedColumns[]
    if (!term || watched.length === 0) continue
    polled.push({
      id: group.id,
      asked_at: group.asked_at,
      failures: group.failures,
      has_unobserved: group.has_unobserved === 1,
      sections: watched.map(knownSection),
      watched: {
        group: {
          school: term.school_code,
          school_name: term.school_name,
          term: term.code,
          term_name: term.name,
          subject: group.subject_key,
          subject_name: group.subject_name,
          career: group.career,
        },
        watched: watched.map((columns) => ({ section_key: columns[1], level: columns[8] })),
      },
    })
  }
  return {
    source: {
      ...source,
      is_enabled: source.is_enabled === 1,
      is_second_look_on: source.is_second_look_on === 1,
      settings: settingsOf(source.settings),
    },
    groups: polled,
    termSizes: new Map(
      [...termById.values()].map((term) => [`${term.school_code}/${term.code}`, term.section_count ?? Infinity]),
    ),
    doubts: doubtsOf((doubts?.results ?? []) as DoubtRow[]),
  }
}

export interface DoubtRow extends Doubt {
  section_id: number
}

/** The source's sections whose openings were not confirmed: few at any time. Rows are {@link DoubtRow}. */
export function doubtsStatement(db: D1Database, sourceId: number): D1PreparedStatement {
  return db.prepare('SELECT section_id, rounds, doubted_at FROM doubted_opening WHERE source_id = ?').bind(sourceId)
}

export function doubtsOf(rows: readonly DoubtRow[]): Map<number, Doubt> {
  return new Map(rows.map(({ section_id, ...doubt }) => [section_id, doubt]))
}

function knownSection(columns: WatchedColumns): KnownSection {
  const [id, section_key, status, seats_available, capacity, waitlist_available, version, new_watch_count] = columns
  return { id, section_key, status, seats_available, capacity, waitlist_available, version, new_watch_count }
}

/** An operator's settings; anything that is not an object of strings is no setting. */
export function settingsOf(json: string): Record<string, string> {
  try {
    const parsed: unknown = JSON.parse(json)
    if (parsed === null || typeof parsed !== 'object') return {}
    return Object.fromEntries(
      Object.entries(parsed).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    )
  } catch {
    return {}
  }
}
