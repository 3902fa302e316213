import { and, eq, gt, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import {
  asJson,
  jsonObject,
  prepared,
  query,
  readTogether,
  type RowOf,
  type RowOfFields,
  template,
  parameter,
} from '../../db/query.ts'
import { doubtedOpening, school, schoolTerm, section, sectionGroup, source, subject } from '../../db/schema/index.ts'
import type { SourceAddress, WatchedGroup } from '../../sources/source.ts'
import { laneColumns, settingsOf } from '../courses/host-share.ts'
import { limitedUntil } from './source-health.ts'
import type { DoubtedOpening } from './second-look-rules.ts'
import type { KnownSection } from './openings.ts'
import { g } from '../aliases.ts'

/** The columns of a {@link KnownSection}, and the group that it is read with. */
export const knownFields = {
  id: section.id,
  group_id: section.groupId,
  section_key: section.sectionKey,
  status: section.status,
  seats_available: section.seatsAvailable,
  seats_for_anyone: section.seatsForAnyone,
  capacity: section.capacity,
  waitlist_available: section.waitlistAvailable,
  version: section.version,
  new_watch_count: section.newWatchCount,
}

/** What a poll needs to know about a source. */
export type PolledSource = Omit<RowOf<ReturnType<typeof findSource>>, 'settings'> & SourceAddress

/** A watched group, its earlier reads, and its watched sections as they are stored. */
export interface PolledGroup {
  id: number
  asked_at: number | null
  failures: number
  /** Active watches of its sections, and when one of the sections last opened (ms since epoch). */
  watch_count: number
  opened_at: number | null
  /** Whether recent answers left some of its watched sections unobserved. */
  has_unobserved: boolean
  watched: WatchedGroup
  sections: KnownSection[]
}

const watchedFields = { ...knownFields, level: section.courseLevel, missing_since: section.missingSince }
type WatchedSection = RowOfFields<typeof watchedFields>

const unobserved = alias(section, 'unobserved')

const findSource = prepared(() =>
  query
    .select({
      ...laneColumns,
      poll_seconds: source.pollSeconds,
      failures: source.failures,
      paused_until: source.pausedUntil,
      limited_until: limitedUntil,
      is_enabled: source.isEnabled,
      is_second_look_on: source.isSecondLookOn,
      overruled_look_count: source.overruledLookCount,
      poll_memo: source.pollMemo,
      /** Requests of the last whole round, extra reads included; null before the first. */
      requests_a_round: source.requestsARound,
    })
    .from(source)
    .where(eq(source.id, parameter('source_id'))),
)

/** Terms that have not ended. */
const findTerms = prepared(() =>
  query
    .select({
      id: schoolTerm.id,
      code: schoolTerm.code,
      name: schoolTerm.name,
      section_count: schoolTerm.sectionCount,
      school_code: school.code,
      school_name: school.name,
    })
    .from(school)
    .innerJoin(schoolTerm, eq(schoolTerm.schoolId, school.id))
    .where(and(eq(school.sourceId, parameter('source_id')), gt(schoolTerm.endsAt, parameter('now')))),
)

/** A group's sections come as JSON: a join would read the group again for each of them. */
const findGroups = prepared(() =>
  template(
    {
      id: g.id,
      school_term_id: g.schoolTermId,
      career: g.career,
      asked_at: g.askedAt,
      failures: g.failures,
      watch_count: g.watchCount,
      opened_at: g.openedAt,
      has_unobserved: sql`EXISTS (SELECT 1 FROM ${section} ${unobserved} INDEXED BY section_unobserved
        WHERE ${unobserved.groupId} = ${g.id} AND ${unobserved.watchCount} > 0
          AND coalesce(${unobserved.missingSince}, ${unobserved.unknownSince}) IS NOT NULL)`.mapWith(Boolean),
      subject_key: subject.key,
      subject_name: subject.name,
      sections: asJson<WatchedSection[]>(sql`(SELECT json_group_array(${jsonObject(watchedFields)})
        FROM ${section} INDEXED BY section_watched WHERE ${section.groupId} = ${g.id} AND ${section.watchCount} > 0)`),
    },
    (columns) => sql`SELECT ${columns} FROM ${sectionGroup} ${g} JOIN ${subject} ON ${subject.id} = ${g.subjectId}
      WHERE ${g.sourceId} = ${parameter('source_id')} AND ${g.watchCount} > 0`,
  ),
)

/** The source's sections with unconfirmed openings, few at any time. Takes `source_id`. */
export const findDoubtedOpenings = prepared(() =>
  query
    .select({
      section_id: doubtedOpening.sectionId,
      rounds: doubtedOpening.rounds,
      doubted_at: doubtedOpening.doubtedAt,
    })
    .from(doubtedOpening)
    .where(eq(doubtedOpening.sourceId, parameter('source_id'))),
)

/**
 * Everything one poll of a source needs, in one round trip before the school is asked: three rows per watched group and
 * one per watched section, however many people watch. Groups of ended terms are left out. `termSizes`: known sections
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
  doubts: Map<number, DoubtedOpening>
} | null> {
  const [[found], terms, groups, doubts] = await readTogether(
    db,
    findSource({ source_id: sourceId }),
    findTerms({ source_id: sourceId, now }),
    findGroups({ source_id: sourceId }),
    findDoubtedOpenings({ source_id: sourceId }),
  )
  if (!found) return null
  const termById = new Map(terms.map((term) => [term.id, term]))
  const polled: PolledGroup[] = []
  for (const { school_term_id, career, subject_key, subject_name, sections, ...group } of groups) {
    const term = termById.get(school_term_id)
    if (!term || sections.length === 0) continue
    const { code, name, school_code, school_name } = term
    const place = { school: school_code, school_name, term: code, term_name: name }
    polled.push({
      ...group,
      sections,
      watched: { group: { ...place, subject: subject_key, subject_name, career }, watched: sections },
    })
  }
  return {
    source: { ...found, settings: settingsOf(found.settings) },
    groups: polled,
    termSizes: new Map(terms.map((term) => [`${term.school_code}/${term.code}`, term.section_count ?? Infinity])),
    doubts: doubtedOpeningsOf(doubts),
  }
}

export function doubtedOpeningsOf(
  rows: readonly RowOf<ReturnType<typeof findDoubtedOpenings>>[],
): Map<number, DoubtedOpening> {
  return new Map(rows.map(({ section_id, ...doubt }) => [section_id, doubt]))
}
