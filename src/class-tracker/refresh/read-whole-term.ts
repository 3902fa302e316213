import * as z from 'zod/mini'
import { read } from '../../db/query.ts'
import { idsIn, rangesOf } from '../../lib/id-ranges.ts'
import type { JobContext } from '../../jobs/job.ts'
import { type Unknown, unknown } from '../../sources/answer.ts'
import { BudgetSpent, type GroupSections, type Lane } from '../../sources/source.ts'
import { judgedSection, type StoredSection } from './compare-sections.ts'
import { finishTerm } from './finish-term.ts'
import type { SchoolTerm } from './school-terms.ts'
import { findGroups } from './section-groups.ts'
import type { SectionWriter } from './section-writer.ts'
import { readStoredTerm } from './write-sections.ts'
import { keepTermEnd, writeSubjects } from './write-terms.ts'

/** Far more than any term has, even at ten courses a page: a longer list is assumed to have no end. */
const MAX_PAGES = 5000

/** How far the reading of a whole term has come, for the run that continues it. */
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
  pages: z._default(z.number(), 0),
})
export type TermWalk = z.infer<typeof TermWalk>

/**
 * `later`: time or budget is used up; continue where the walk stopped. `refused`: the answer is not believed; earlier
 * pages were written.
 */
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
  const groups = new TermGroups(env.DB, schoolTerm, now)
  await groups.read()
  const byKey = new Map(stored.map((section) => [section.section_key, section]))
  const listed = idsIn(reading.walk?.listed ?? '')
  const walk = reading.walk ?? {
    school_term_id: schoolTerm.id,
    started_at: known_at,
    cursor: null,
    listed: '',
    set_aside: [],
    count: 0,
    pages: 0,
  }
  const setAside = (): number[] => [...new Set([...walk.set_aside, ...writer.setAside])]
  let asked_at = now()
  try {
    for await (const page of lane.wholeTerm?.(schoolTerm.scope, walk.cursor) ?? []) {
      if (!page.known) return { kind: 'refused', unknown: page }
      if (++walk.pages > MAX_PAGES) {
        const why = `The school's list of the term goes on after ${MAX_PAGES} pages.`
        return { kind: 'refused', unknown: unknown('incomplete', why) }
      }
      await add(page.value, page.value.asked_at ?? asked_at)
      await keepTermEnd(env.DB, schoolTerm, page.value)
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
  await finishTerm(env.DB, {
    schoolTerm,
    stored,
    listed,
    started_at: walk.started_at,
    set_aside: setAside(),
    now: now(),
  })
  return { kind: 'done' }

  /** The gathered groups are written first, because some may be set aside. */
  async function later(at: number): Promise<WholeTermEnd> {
    await writer.flush()
    return { kind: 'later', at, walk: { ...walk, listed: rangesOf(listed), set_aside: setAside() } }
  }

  async function add({ sections }: GroupSections, at: number): Promise<void> {
    for (const [subject, ofSubject] of Map.groupBy(sections, (section) => section.subject)) {
      const group = await groups.of(subject)
      if (group === null) continue
      const known: StoredSection[] = ofSubject.flatMap(({ section_key }) => byKey.get(section_key) ?? [])
      for (const { id } of known) listed.add(id)
      const { id: group_id, subject_id, subject_key, subject_name, career } = group
      const scope = { ...schoolTerm.scope, subject: subject_key, subject_name, career }
      await writer.add(schoolTerm, scope, {
        group_id,
        subject_id,
        asked_at: at,
        seen_at: now(),
        known_at,
        known,
        sections: ofSubject.map(judgedSection),
        is_part: true,
      })
    }
  }
}

interface TermGroup {
  id: number
  subject_id: number
  subject_key: string
  subject_name: string
  career: string
}

/** The groups of a school's term by their subjects' keys. A new subject is added. */
class TermGroups {
  #groups = new Map<string, TermGroup>()
  readonly #db: D1Database
  readonly #schoolTerm: SchoolTerm
  readonly #now: () => number

  constructor(db: D1Database, schoolTerm: SchoolTerm, now: () => number) {
    this.#db = db
    this.#schoolTerm = schoolTerm
    this.#now = now
  }

  async read(): Promise<void> {
    const rows = await read(this.#db, findGroups([this.#schoolTerm.id], 0))
    this.#groups = new Map(rows.map((row) => [row.subject_key, row]))
  }

  /** Null for a section without a subject, which belongs to no group. */
  async of(subjectKey: string): Promise<TermGroup | null> {
    if (subjectKey === '') return null
    if (!this.#groups.has(subjectKey)) {
      const subjects = [{ key: subjectKey, name: subjectKey }]
      await writeSubjects(this.#db, this.#schoolTerm, { subjects, careers: [''] }, this.#now())
      await this.read()
    }
    return this.#groups.get(subjectKey) ?? null
  }
}
