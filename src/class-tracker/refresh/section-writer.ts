import { eq, sql } from 'drizzle-orm'
import { query, type Query, readTogether } from '../../db/query.ts'
import { section, sectionGroup, source } from '../../db/schema/index.ts'
import type { JobContext } from '../../jobs/job.ts'
import type { Group } from '../../sources/source.ts'
import { announce } from '../polling/record-observations.ts'
import {
  countOpenings,
  isGroupImplausible,
  isImplausible,
  looksImplausible,
  mayAlert,
  notOpenIn,
  proposeChanges,
  type Proposal,
} from '../polling/openings.ts'
import { deleteDoubts, SecondLook } from '../polling/second-look.ts'
import { doubtedOpeningsOf, findDoubtedOpenings } from '../polling/watched-groups.ts'
import { type SectionChanges, compareSections, type GroupRead, watchedOf } from './compare-sections.ts'
import type { SchoolTerm } from './school-terms.ts'
import { writeSections } from './write-sections.ts'
import { g, s } from '../aliases.ts'

/** How many sections are gathered before they are written, so that many small groups share a batch. */
const MAX_GATHERED_SECTIONS = 2000

/** What all runs of the refresh have found so far. */
interface Progress {
  /** Counted per source and per school term ({@link termKey}): most single subjects are too small to look implausible. */
  opened: Record<string, number>
  watched_read: Record<string, number>
  /** Numbers of sections whose text an answer left out, by the label of their school term. */
  kept: Record<string, number>
}

/** Gathers groups of one school's term and writes them together; a group with an opening is written at once. */
export class SectionWriter {
  /** Groups in which too much seemed to open at once: their watched sections were not written. */
  readonly setAside = new Set<number>()
  #schoolTerm: SchoolTerm | null = null
  #reads: GroupRead[] = []
  readonly #groups = new Map<number, Group>()
  #count = 0
  readonly #context: JobContext
  readonly #progress: Progress

  constructor(context: JobContext, progress: Progress) {
    this.#context = context
    this.#progress = progress
  }

  async add(schoolTerm: SchoolTerm, group: Group, read: GroupRead): Promise<void> {
    if (this.#schoolTerm && this.#schoolTerm.id !== schoolTerm.id) await this.flush()
    this.#schoolTerm = schoolTerm
    this.#groups.set(read.group_id, group)
    this.#reads.push(read)
    this.#count += read.sections.length
    if (isOpening(read) || this.#count >= MAX_GATHERED_SECTIONS) await this.flush()
  }

  async flush(): Promise<void> {
    const { env, job, now } = this.#context
    const schoolTerm = this.#schoolTerm
    const reads = this.#reads
    if (!schoolTerm || reads.length === 0) return
    this.#reads = []
    this.#count = 0
    const changes = compareSections(reads)
    const openings = changes.proposals.filter(mayAlert)
    const { watched_read: watchedRead, kept } = this.#progress
    const { id } = schoolTerm.source
    const watched = reads.reduce((sum, read) => sum + watchedOf(read).length, 0)
    for (const key of [id, termKey(schoolTerm)]) watchedRead[key] = (watchedRead[key] ?? 0) + watched
    const statements = [
      ...reads.flatMap(endedDoubts),
      ...(openings.length > 0 ? await this.#confirm(schoolTerm, changes, { reads, openings }) : []),
    ]
    const { label } = schoolTerm
    if (changes.kept > 0) kept[label] = (kept[label] ?? 0) + changes.kept
    const tools = { poll_id: `${job.id}.${crypto.randomUUID()}`, now: now(), school_term_id: schoolTerm.id, statements }
    await announce(env, await writeSections(env.DB, tools, reads, changes))
  }

  /** Removes unconfirmed openings from the changes. Returns the statements that remember them. */
  async #confirm(
    schoolTerm: SchoolTerm,
    changes: SectionChanges,
    { reads, openings }: { reads: readonly GroupRead[]; openings: readonly Proposal[] },
  ): Promise<Query[]> {
    const { doubts, watched, looks: looksNow } = await readSource(this.#context.env.DB, schoolTerm.source.id)
    const source = { ...schoolTerm.source, ...looksNow }
    const { opened, watched_read } = this.#progress
    const count = countOpenings(openings, doubts)
    const keys = [source.id, termKey(schoolTerm)]
    if (
      isImplausible((opened[source.id] ?? 0) + count, watched) ||
      keys.some((key) => looksImplausible((opened[key] ?? 0) + count, watched_read[key] ?? 0)) ||
      reads.some((read) => isGroupImplausible(countOpenings(proposalsOf(read), doubts), watchedOf(read).length))
    ) {
      // Left to the next poll, which will find the same openings and read twice before notifying anyone.
      changes.setAside = new Set(openings.map(({ group_id }) => group_id))
      for (const id of changes.setAside) this.setAside.add(id)
      changes.proposals = changes.proposals.filter(({ group_id }) => !changes.setAside.has(group_id))
      return []
    }
    const looks = new SecondLook(this.#context, source, doubts)
    const candidates = openings.flatMap((proposal) => {
      const group = this.#groups.get(proposal.group_id)
      return group ? [{ proposal, group }] : []
    })
    const confirmed = new Set(await looks.confirmed(candidates))
    changes.proposals = changes.proposals.filter((proposal) => confirmed.has(proposal) || !mayAlert(proposal))
    for (const key of keys) opened[key] = (opened[key] ?? 0) + countOpenings(changes.proposals)
    return looks.statements()
  }
}

/** What may have changed since the refresh began; `watched`: how many of the source's sections are. */
async function readSource(db: D1Database, sourceId: number) {
  const watched = sql<number>`(SELECT count(*) FROM ${sectionGroup} ${g}
    JOIN ${section} ${s} ON ${s.groupId} = ${g.id} AND ${s.watchCount} > 0
    WHERE ${g.sourceId} = ${source.id} AND ${g.watchCount} > 0)`
  const { isSecondLookOn, overruledLookCount } = source
  const [doubts, [row]] = await readTogether(
    db,
    findDoubtedOpenings({ source_id: sourceId }),
    query
      .select({ watched, is_second_look_on: isSecondLookOn, overruled_look_count: overruledLookCount })
      .from(source)
      .where(eq(source.id, sourceId)),
  )
  const { watched: count = 0, ...looks } = row ?? { is_second_look_on: false, overruled_look_count: 0 }
  return { doubts: doubtedOpeningsOf(doubts), watched: count, looks }
}

/** Ends the doubts about watched sections that are not open in this read. */
function endedDoubts(read: GroupRead): Query[] {
  const ids = notOpenIn(watchedOf(read), read.sections)
  return ids.length > 0 ? [deleteDoubts(ids, read.asked_at)] : []
}

/** A school term among the counts, beside ids of sources. */
const termKey = ({ id }: SchoolTerm): string => `term ${id}`

const proposalsOf = (read: GroupRead): Proposal[] => proposeChanges(watchedOf(read), read.sections, read)

/** Whether the read may lead to messages, which must not wait for other groups. */
const isOpening = (read: GroupRead): boolean => proposalsOf(read).some(mayAlert)
