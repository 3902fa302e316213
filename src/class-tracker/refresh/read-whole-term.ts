import * as z from 'zod/mini'
import { read } from '../../db/query.ts'
import type { JobContext } from '../../jobs/job.ts'
import { type Unknown, unknown } from '../../sources/answer.ts'
import { BudgetSpent, type Lane, type SourceSection } from '../../sources/source.ts'
import { judgedSection, type StoredSection } from './compare-sections.ts'
import { finishTerm } from './finish-term.ts'
import type { SchoolTerm } from './school-terms.ts'
import { findGroups, groupOf, type GroupRow } from './section-groups.ts'
import type { SectionWriter } from './section-writer.ts'
import { readStoredTerm } from './write-sections.ts'
import { addSubjects, keepTermEnd } from './write-terms.ts'

/** Far more than any term has, even at ten courses a page: a longer list must be an endless one. */
const MAX_PAGES = 5000

/** The longest wait that a school may ask for: a mistaken figure must not postpone the next refresh forever. */
const MAX_WAIT_SECONDS = 3600

/** How long a school asked us to wait, in ms. */
export const waitOf = ({ retry_after_seconds: seconds }: Unknown): number =>
  Math.min(Math.max(1, seconds ?? 0), MAX_WAIT_SECONDS) * 1000

/** The progress of reading a whole term, for the run that continues it. */
export const TermWalk = z.object({
  school_term_id: z.number(),
  /** The time (ms since epoch) before the school was first asked. */
  started_at: z.number(),
  /** Where the next page begins; null before the first. */
  cursor: z.nullable(z.string()),
  /** Ids of the stored sections listed so far, as ranges. */
  listed: z.string(),
  /** Groups left to the next poll because too many sections seemed to open in them. */
  set_aside: z.array(z.number()),
  /** Sections read so far, and how many pages they came on. */
  count: z.number(),
  pages: z.number(),
})
export type TermWalk = z.infer<typeof TermWalk>

/** `later`: another run must continue with this walk. `refused`: not believed; earlier pages were written. */
type WholeTermEnd =
  | { kind: 'done' }
  | { kind: 'later'; at: number; walk: TermWalk }
  | { kind: 'refused'; unknown: Unknown }

interface Reading {
  schoolTerm: SchoolTerm
  lane: Lane
  writer: SectionWriter
  /** When the run must stop asking, ms since epoch. */
  stopAt: number
  walk: TermWalk | null
  /** Called with the number of sections read so far. */
  onPage: (count: number) => Promise<void>
}

/**
 * Reads every section of a school's term, a page at a time, and writes what is new or changed. Stored sections are read
 * before the school is asked, so that anything recorded in the meantime is newer than its answer. After the last page,
 * sections that were not listed are noted ({@link finishTerm}).
 */
export async function readWholeTerm(context: JobContext, reading: Reading): Promise<WholeTermEnd> {
  const { env, now, checkpoint } = context
  const { schoolTerm, lane, writer, stopAt, onPage } = reading
  const known_at = now()
  const stored = await readStoredTerm(env.DB, schoolTerm.id)
  const walk = reading.walk ? { ...reading.walk } : firstWalk(schoolTerm.id, known_at)
  const listed = decodeIds(walk.listed)
  const writePage = await pageWriter(context, { schoolTerm, writer, known_at, stored, listed })
  const setAside = (): number[] => [...new Set([...walk.set_aside, ...writer.setAside])]
  const later = async (at: number): Promise<WholeTermEnd> => {
    // The gathered groups are written first, because some may be set aside.
    await writer.flush()
    return { kind: 'later', at, walk: { ...walk, listed: encodeIds(listed), set_aside: setAside() } }
  }
  let asked_at = now()
  let term_ends_on = ''
  try {
    for await (const page of lane.wholeTerm?.(schoolTerm.scope, walk.cursor) ?? []) {
      if (!page.known)
        return page.reason === 'limited' ? await later(now() + waitOf(page)) : { kind: 'refused', unknown: page }
      if (++walk.pages > MAX_PAGES) {
        const why = `The school's list of the term goes on after ${MAX_PAGES} pages.`
        return { kind: 'refused', unknown: unknown('incomplete', why) }
      }
      await writePage(page.value.sections, page.value.asked_at ?? asked_at)
      term_ends_on = page.value.term_ends_on ?? term_ends_on
      walk.count += page.value.sections.length
      walk.cursor = page.value.next ?? walk.cursor
      await onPage(walk.count)
      await checkpoint()
      if (now() > stopAt && page.value.next) return await later(now())
      asked_at = now()
    }
  } catch (error) {
    if (error instanceof BudgetSpent) return await later(error.retry_at)
    if (now() >= stopAt) return await later(now())
    throw error
  } finally {
    await writer.flush()
  }
  // Only now are the classes of all pages written, which decide whether it is believed.
  await keepTermEnd(env.DB, schoolTerm, { sections: [], term_ends_on })
  const { started_at } = walk
  await finishTerm(env.DB, { schoolTerm, stored, listed, started_at, set_aside: setAside(), now: now() })
  return { kind: 'done' }
}

const firstWalk = (school_term_id: number, started_at: number): TermWalk => ({
  school_term_id,
  started_at,
  cursor: null,
  listed: '',
  set_aside: [],
  count: 0,
  pages: 0,
})

interface StoredTerm extends Pick<Reading, 'schoolTerm' | 'writer'> {
  /** The time (ms since epoch) before the stored sections were read. */
  known_at: number
  stored: readonly StoredSection[]
  /** Receives the ids of the stored sections that a page lists. */
  listed: Set<number>
}

/** A function that writes a page's sections, each to the group of its subject. A new subject is added. */
async function pageWriter({ env, now }: JobContext, { schoolTerm, writer, known_at, stored, listed }: StoredTerm) {
  const byKey = new Map(stored.map((section) => [section.section_key, section]))
  const readGroups = () => read(env.DB, findGroups([schoolTerm.id], 0))
  const bySubject = (rows: readonly GroupRow[]) => new Map(rows.map((group) => [group.subject_key, group]))
  const storedGroups = await readGroups()
  const subjectById = new Map(storedGroups.map(({ id, subject_key }) => [id, subject_key]))
  // A row without a subject is in its section's stored group.
  const subjectOf = ({ subject, section_key }: SourceSection) =>
    subject || (subjectById.get(byKey.get(section_key)?.group_id ?? 0) ?? '')
  let groups = bySubject(storedGroups)
  return async (sections: readonly SourceSection[], asked_at: number): Promise<void> => {
    const knownOf = (some: readonly SourceSection[]) => some.flatMap(({ section_key }) => byKey.get(section_key) ?? [])
    for (const { id } of knownOf(sections)) listed.add(id)
    const ofSubjects = Map.groupBy(sections, subjectOf)
    const added = [...ofSubjects.keys()].filter((subject) => subject !== '' && !groups.has(subject))
    if (added.length > 0) {
      await addSubjects(env.DB, schoolTerm, added)
      groups = bySubject(await readGroups())
    }
    for (const [subject, ofSubject] of ofSubjects) {
      const group = groups.get(subject)
      // A new section without a subject belongs to no group.
      if (!group) continue
      await writer.add(schoolTerm, groupOf(schoolTerm, group), {
        group_id: group.id,
        subject_id: group.subject_id,
        asked_at,
        seen_at: now(),
        known_at,
        known: knownOf(ofSubject),
        sections: ofSubject.map(judgedSection),
        is_part: true,
      })
    }
  }
}

/** Ids as a short text: "3-9,12". */
function encodeIds(ids: Iterable<number>): string {
  const ranges: [first: number, last: number][] = []
  for (const id of [...ids].toSorted((one, other) => one - other)) {
    const range = ranges.at(-1)
    if (range && id <= range[1] + 1) range[1] = id
    else ranges.push([id, id])
  }
  return ranges.map(([first, last]) => (first === last ? String(first) : `${first}-${last}`)).join(',')
}

/** The ids in a text that {@link encodeIds} wrote. */
function decodeIds(ranges: string): Set<number> {
  const ids = new Set<number>()
  for (const range of ranges === '' ? [] : ranges.split(',')) {
    const [first = 0, last = first] = range.split('-').map(Number)
    for (let id = first; id <= last; id++) ids.add(id)
  }
  return ids
}
