import * as z from 'zod/mini'
import { write } from '../../db/query.ts'
import { counted } from '../../lib/text.ts'
import type { JobContext } from '../../jobs/job.ts'
import { timedOut, type Unknown } from '../../sources/answer.ts'
import { BudgetSpent, type UnknownReason } from '../../sources/source.ts'
import { sources } from '../../sources/sources.ts'
import { openLane, type OpenLane } from '../polling/open-lane.ts'
import { recordFailedGroups } from '../polling/source-health.ts'
import { judgedSection, type StoredSection, whyNotEmpty } from './compare-sections.ts'
import { readWholeTerm, TermWalk, waitOf } from './read-whole-term.ts'
import type { SchoolTerm } from './school-terms.ts'
import { type GroupRow, groupOf } from './section-groups.ts'
import { SectionWriter } from './section-writer.ts'
import { readStoredSections } from './write-sections.ts'
import { keepTermEnd } from './write-terms.ts'

/** After this many failures in a row, the school counts as down and the rest of it is skipped. */
const MAX_FAILURES_IN_A_ROW = 5
/** Failures that concern the whole school; all others concern only the group. */
const downReasons: ReadonlySet<UnknownReason> = new Set(['timeout', 'unreachable', 'http_error', 'limited'])
/** Time that a run reserves for second looks and for writing, in ms. */
const WRITING_MS = 6000
/** The least time that one answer is given, in ms: with less left, nothing is requested. */
const ANSWER_MS = 2000
/** After this many runs without a whole answer a group is left out. */
const MAX_STUCK_RUNS = 3
/** Groups whose stored sections are read with one statement. */
const GROUPS_AHEAD = 20
/** The most failures that a result names. */
const MAX_NAMED_FAILURES = 100

/** What to refresh, and the progress of earlier runs. */
export const RefreshInput = z.object({
  /** 0: all schools. */
  school_id: z.number(),
  term_id: z.number(),
  /** 0: all subjects. */
  subject_id: z.number(),
  by: z.string(),
  /** Groups up to this id are done (in order of id). */
  after_group: z._default(z.number(), 0),
  done: z._default(z.number(), 0),
  failures: z._default(z.array(z.string()), []),
  /** Numbers of sections whose text an answer left out, by the label of their school term. */
  kept: z._default(z.record(z.string(), z.number()), {}),
  /** Numbers of sections that opened so far, by source id and by school term. */
  opened: z._default(z.record(z.string(), z.number()), {}),
  /** Numbers of watched sections read so far, likewise. */
  watched_read: z._default(z.record(z.string(), z.number()), {}),
  /** The number of groups believed so far. */
  believed: z._default(z.number(), 0),
  /** The school term whose groups failed last, and how many failed in a row. */
  failing: z.optional(z.object({ school_term_id: z.number(), in_a_row: z.number() })),
  /** school_term ids of schools that are down. */
  down: z._default(z.array(z.number()), []),
  /** What was therefore not asked for: one sentence for each of them. */
  skipped: z._default(z.array(z.string()), []),
  /** Whole-term reading: the term being read, terms already read, and terms that must be read group by group. */
  walk: z.optional(TermWalk),
  whole: z._default(z.array(z.number()), []),
  by_group: z._default(z.array(z.number()), []),
  /** Runs in a row that asked for the next group without an answer. */
  stuck: z._default(z.number(), 0),
})
type RefreshInput = z.infer<typeof RefreshInput>

interface RefreshScope {
  /** By their ids. */
  schoolTerms: ReadonlyMap<number, SchoolTerm>
  groups: readonly GroupRow[]
}

/** One run of a refresh: continues where the previous run stopped, and records its progress for the next one. */
export class RefreshRun {
  readonly progress: RefreshInput
  readonly #context: JobContext
  /** The progress of earlier runs. */
  readonly #before: RefreshInput
  readonly #scope: RefreshScope
  readonly #writer: SectionWriter
  readonly #lanes = new Map<number, OpenLane>()
  readonly #storedSections: ReturnType<typeof readAhead>
  /** When the run must stop asking, ms since epoch. */
  readonly #stopAt: number
  #current: GroupRow | null = null
  /** The school's answer that it limits us, which ended this run. */
  #limit: Unknown | null = null

  constructor(context: JobContext, input: RefreshInput, scope: RefreshScope) {
    this.#context = context
    this.#before = input
    this.#scope = scope
    this.progress = structuredClone(input)
    this.#writer = new SectionWriter(context, this.progress)
    this.#storedSections = readAhead(context.env.DB, scope.groups, context.now)
    this.#stopAt = context.deadline - WRITING_MS
  }

  /** Reads until time or budget is used up. @returns when to continue, ms since epoch; null once all was read */
  async read(): Promise<number | null> {
    try {
      return (await this.#readWholeTerms()) ?? (await this.#readGroups())
    } catch (error) {
      if (error instanceof BudgetSpent) return error.retry_at
      if (this.#context.now() >= this.#stopAt) return this.#context.now()
      throw error
    } finally {
      await this.#writer.flush()
    }
  }

  /** The input of the next run. A group never answered completely must not block the others forever. */
  async nextInput(): Promise<RefreshInput> {
    const { progress } = this
    if (this.#hasAdvanced()) return { ...progress, stuck: 0 }
    const hasAsked = [...this.#lanes.values()].some((lane) => lane.requests() > 0)
    const stuck = this.#before.stuck + Number(hasAsked)
    if (stuck < MAX_STUCK_RUNS) return { ...progress, stuck }
    if (progress.walk) {
      progress.by_group.push(progress.walk.school_term_id)
      delete progress.walk
    } else if (this.#current) await this.#fail(this.#current, this.#limit ?? timedOut('whole answer', 'one run'))
    else return { ...progress, stuck }
    return { ...progress, stuck: 0 }
  }

  #hasAdvanced(): boolean {
    const { after_group, walk, whole } = this.progress
    const before = this.#before
    return (
      after_group !== before.after_group ||
      (walk?.cursor ?? null) !== (before.walk?.cursor ?? null) ||
      whole.length > before.whole.length
    )
  }

  get #isTimeUp(): boolean {
    return this.#context.now() > this.#stopAt - ANSWER_MS
  }

  /** Reads terms that one search returns. @returns as {@link read} */
  async #readWholeTerms(): Promise<number | null> {
    const { now, checkpoint, progress: report } = this.#context
    const { whole, by_group, down } = this.progress
    const due = [...this.#scope.schoolTerms.values()].filter(
      (one) =>
        isReadWhole(one, this.#before.subject_id) && ![whole, by_group, down].some((ended) => ended.includes(one.id)),
    )
    // The term that the last run was reading may be out of scope by now.
    if (!due.some(({ id }) => id === this.progress.walk?.school_term_id)) delete this.progress.walk
    for (const schoolTerm of due) {
      const { walk } = this.progress
      if (walk && walk.school_term_id !== schoolTerm.id) continue
      if (this.#isTimeUp) return now()
      await report(this.progress.done, this.#scope.groups.length, `Reading ${schoolTerm.label}`)
      const at = await this.#readWholeTerm(schoolTerm)
      if (at !== null) return at
      await checkpoint()
    }
    return null
  }

  /** Reads a term with few requests; if the school refuses that, reads it group by group. @returns as {@link read} */
  async #readWholeTerm(schoolTerm: SchoolTerm): Promise<number | null> {
    const { id, label, section_count } = schoolTerm
    const { progress } = this
    const { groups } = this.#scope
    const groupCount = groups.filter(({ school_term_id }) => school_term_id === id).length
    const { lane } = await this.#laneOf(schoolTerm)
    const end = await readWholeTerm(this.#context, {
      schoolTerm,
      lane,
      writer: this.#writer,
      stopAt: this.#stopAt - ANSWER_MS,
      walk: progress.walk ?? null,
      onPage: (count) => {
        const part = groupCount * Math.min(1, count / Math.max(count + 1, section_count ?? 0))
        const done = progress.done + Math.floor(part)
        return this.#context.progress(done, groups.length, `Reading ${label}: ${counted(count, 'section')}`)
      },
    })
    delete progress.walk
    if (end.kind === 'later') {
      progress.walk = end.walk
      return end.at
    }
    if (end.kind === 'done') {
      progress.whole.push(id)
      progress.done += groupCount
      progress.believed += groupCount
      delete progress.failing
    } else progress.by_group.push(id)
    return null
  }

  /** Reads the groups of all other terms, with one or more requests each. @returns as {@link read} */
  async #readGroups(): Promise<number | null> {
    const { now, checkpoint, progress: report } = this.#context
    const { schoolTerms, groups } = this.#scope
    const { down, whole } = this.progress
    for (const [index, group] of groups.entries()) {
      const schoolTerm = schoolTerms.get(group.school_term_id)
      if (!schoolTerm || group.id <= this.#before.after_group) continue
      if (down.includes(schoolTerm.id) || whole.includes(schoolTerm.id)) continue
      this.#current = group
      if (this.#isTimeUp) return now()
      await report(this.progress.done, groups.length, `Reading ${group.subject_name} at ${schoolTerm.label}`)
      const at = await this.#readGroup(schoolTerm, group, index)
      if (at !== null) return at
      await checkpoint()
    }
    return null
  }

  /** @param index of the group among all. @returns as {@link read} */
  async #readGroup(schoolTerm: SchoolTerm, group: GroupRow, index: number): Promise<number | null> {
    const { env, now } = this.#context
    const { progress } = this
    const { lane } = await this.#laneOf(schoolTerm)
    const scope = groupOf(schoolTerm, group)
    // Both are read before the school is asked, so that anything recorded in the meantime is newer than its answer.
    const { known, known_at } = await this.#storedSections(index)
    const asked_at = now()
    const answer = await lane.sections(scope)
    if (!answer.known) {
      if (answer.reason === 'limited') {
        this.#limit = answer
        return now() + waitOf(answer)
      }
      await this.#fail(group, answer)
      return null
    }
    const why = answer.value.sections.length === 0 ? whyNotEmpty(known) : null
    if (why !== null) {
      await this.#fail(group, { reason: 'incomplete', why })
      return null
    }
    const { whyIncomplete } = answer.value
    const keys =
      whyIncomplete === undefined ? null : new Set(answer.value.sections.map(({ section_key }) => section_key))
    await this.#writer.add(schoolTerm, scope, {
      group_id: group.id,
      subject_id: group.subject_id,
      asked_at: answer.value.asked_at ?? asked_at,
      seen_at: now(),
      known_at,
      known: keys === null ? known : known.filter(({ section_key }) => keys.has(section_key)),
      sections: answer.value.sections.map(judgedSection),
      ...(whyIncomplete !== undefined && { is_part: true }),
    })
    progress.believed += 1
    if (whyIncomplete !== undefined) {
      await this.#fail(group, { reason: 'incomplete', why: whyIncomplete })
      return null
    }
    delete progress.failing
    progress.after_group = group.id
    progress.done += 1
    await keepTermEnd(env.DB, schoolTerm, answer.value)
    return null
  }

  async #fail(group: GroupRow, { reason, why }: { reason: UnknownReason; why: string }): Promise<void> {
    const { env, now } = this.#context
    const { progress } = this
    const { school_term_id } = group
    const label = this.#scope.schoolTerms.get(school_term_id)?.label ?? ''
    progress.failures = [...progress.failures, `${group.subject_name}, ${label}: ${why}`].slice(0, MAX_NAMED_FAILURES)
    const before = progress.failing?.school_term_id === school_term_id ? progress.failing.in_a_row : 0
    progress.failing = { school_term_id, in_a_row: before + Number(downReasons.has(reason)) }
    if (progress.failing.in_a_row >= MAX_FAILURES_IN_A_ROW) {
      progress.down.push(school_term_id)
      const rest = this.#scope.groups.filter((one) => one.school_term_id === school_term_id && one.id > group.id)
      const subjects = counted(new Set(rest.map(({ subject_id }) => subject_id)).size, 'subject')
      if (rest.length > 0)
        progress.skipped.push(`${label}: Skipped after ${MAX_FAILURES_IN_A_ROW} failures in a row: ${subjects}.`)
    }
    await write(env.DB, recordFailedGroups(now(), [{ group_id: group.id, why }]))
    progress.after_group = group.id
    progress.done += 1
  }

  async #laneOf({ id, source }: SchoolTerm): Promise<OpenLane> {
    const { env, now } = this.#context
    const lane = this.#lanes.get(id) ?? (await openLane(env, source, { now, deadline: this.#stopAt }))
    this.#lanes.set(id, lane)
    return lane
  }
}

/** Whether one reading returns the whole term. A source that requires a career is asked group by group. */
function isReadWhole({ source: { kind } }: SchoolTerm, subjectId: number): boolean {
  return subjectId === 0 && sources.get(kind)?.reads.catalog === 'term'
}

/** The stored sections of the group at an index, read several groups ahead, and the time before that. */
function readAhead(db: D1Database, groups: readonly GroupRow[], now: () => number) {
  let chunk: { from: number; known_at: number; byGroup: Map<number, StoredSection[]> } | null = null
  return async (index: number): Promise<{ known: readonly StoredSection[]; known_at: number }> => {
    if (!chunk || index < chunk.from || index >= chunk.from + GROUPS_AHEAD) {
      const known_at = now()
      const ids = groups.slice(index, index + GROUPS_AHEAD).map(({ id }) => id)
      const known = await readStoredSections(db, ids)
      chunk = { from: index, known_at, byGroup: Map.groupBy(known, ({ group_id }) => group_id) }
    }
    return { known: chunk.byGroup.get(groups[index]?.id ?? 0) ?? [], known_at: chunk.known_at }
  }
}
