import * as z from 'zod/mini'
import { read, type RowOf, write } from '../../db/query.ts'
import { defineJob, GiveUp, runAgain } from '../../jobs/job.ts'
import { timedOut, type Unknown } from '../../sources/answer.ts'
import { BudgetSpent, type UnknownReason } from '../../sources/source.ts'
import { sources } from '../../sources/sources.ts'
import { counted } from '../../lib/counted.ts'
import { judged } from '../polling/openings.ts'
import { openLane, type OpenLane } from '../polling/open-lane.ts'
import { recordFailedGroups } from '../polling/source-health.ts'
import { type StoredSection, whyNotEmpty } from './compare-sections.ts'
import { refreshedCourses } from './refreshed-courses.ts'
import { inOneLine } from './require-answers.ts'
import { readWholeTerm, TermWalk } from './read-whole-term.ts'
import { type SchoolTerm, schoolTermsOf } from './school-terms.ts'
import { findGroups, rememberRefresh } from './section-groups.ts'
import { SectionWriter } from './section-writer.ts'
import { readStoredSections } from './write-sections.ts'
import { keepTermEnd } from './write-terms.ts'

/** After this many failures in a row the school counts as down, and the rest of it is skipped. */
const MAX_FAILURES_IN_A_ROW = 5
/** Failures that are the school's; any other is the group's own. */
const downReasons: ReadonlySet<UnknownReason> = new Set(['timeout', 'unreachable', 'http_error'])
/** Time that a run reserves for second looks and for writing, ms. */
const WRITING_MS = 6000
/** After this many runs without a whole answer a group is left out. */
const MAX_STUCK_RUNS = 3
/** The longest wait that a school may ask for: a mistaken figure must not postpone the next refresh forever. */
const MAX_WAIT_SECONDS = 3600
/** Groups whose stored sections are read with one statement. */
const GROUPS_AHEAD = 20
/** The most failures that a result names. */
const MAX_NAMED_FAILURES = 100

const Input = z.object({
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
  kept: z.optional(z.record(z.string(), z.number())),
  /** Numbers of sections that opened so far, by source id. */
  opened: z.optional(z.record(z.string(), z.number())),
  /** The number of groups believed so far. */
  believed: z.optional(z.number()),
  /** The school term whose groups failed last, and how many failed in a row. */
  failing: z.optional(z.object({ school_term_id: z.number(), in_a_row: z.number() })),
  /** school_term ids of schools that are down. */
  down: z.optional(z.array(z.number())),
  /** Whole-term reading: the term being read, terms already read, and terms that must be read group by group. */
  walk: z.optional(TermWalk),
  whole: z.optional(z.array(z.number())),
  by_group: z.optional(z.array(z.number())),
  /** Runs in a row that asked for the next group without an answer. */
  stuck: z.optional(z.number()),
})

type GroupRow = RowOf<ReturnType<typeof findGroups>>

/** Reads every section of the chosen groups and writes what is new or changed, in runs of 20 s until done. */
export const refreshSections = defineJob({
  name: 'refresh-sections',
  queue: 'refresh',
  input: Input,
  limit: { attempts: 3, run_seconds: 20, retry_seconds: [30, 300] },
  async run(context, input) {
    const { env, now, deadline, progress, checkpoint } = context
    const schoolTerms = new Map(
      (await schoolTermsOf(env.DB, input.school_id, input.term_id)).map((one) => [one.id, one]),
    )
    const groups = await read(env.DB, findGroups([...schoolTerms.keys()], input.subject_id))
    const next = {
      ...input,
      failures: [...input.failures],
      down: [...(input.down ?? [])],
      believed: input.believed ?? 0,
      kept: { ...input.kept },
      opened: { ...input.opened },
      whole: [...(input.whole ?? [])],
      by_group: [...(input.by_group ?? [])],
    }
    const writer = new SectionWriter(context, next.opened)
    const lanes = new Map<number, OpenLane>()
    const stopAt = deadline - WRITING_MS
    let current: GroupRow | null = null
    const knownOf = readAhead(env.DB, groups, now)

    async function fail(group: GroupRow, { reason, why }: { reason: UnknownReason; why: string }): Promise<void> {
      const { school_term_id } = group
      const label = schoolTerms.get(school_term_id)?.label ?? ''
      next.failures = [...next.failures, `${group.subject_name}, ${label}: ${why}`].slice(0, MAX_NAMED_FAILURES)
      const before = next.failing?.school_term_id === school_term_id ? next.failing.in_a_row : 0
      next.failing = { school_term_id, in_a_row: before + Number(downReasons.has(reason)) }
      if (next.failing.in_a_row >= MAX_FAILURES_IN_A_ROW) next.down.push(school_term_id)
      await write(env.DB, recordFailedGroups(now(), [{ group_id: group.id, why }]))
      next.after_group = group.id
      next.done += 1
    }

    /** Plans the next run. A group that never answers completely within a run must not hold up the others forever. */
    async function continueAt(at: number) {
      const hasAsked = [...lanes.values()].some((lane) => lane.requests() > 0)
      const hasWalked =
        (next.walk?.cursor ?? null) !== (input.walk?.cursor ?? null) || next.whole.length > (input.whole ?? []).length
      if (next.after_group !== input.after_group || hasWalked) return runAgain(at, { ...next, stuck: 0 })
      const stuck = (input.stuck ?? 0) + Number(hasAsked)
      if (stuck < MAX_STUCK_RUNS) return runAgain(at, { ...next, stuck })
      if (next.walk) {
        next.by_group.push(next.walk.school_term_id)
        delete next.walk
        return runAgain(at, { ...next, stuck: 0 })
      }
      if (!current) return runAgain(at, { ...next, stuck })
      await fail(current, timedOut('whole answer', 'one run'))
      return runAgain(at, { ...next, stuck: 0 })
    }

    async function laneOf(schoolTerm: SchoolTerm): Promise<OpenLane> {
      const lane = lanes.get(schoolTerm.id) ?? (await openLane(env, schoolTerm.source, { now, deadline: stopAt }))
      lanes.set(schoolTerm.id, lane)
      return lane
    }

    /**
     * Reads a term with few requests; a school that refuses that is read group by group. @returns when to continue, ms;
     * null: now
     */
    async function readWhole(schoolTerm: SchoolTerm): Promise<number | null> {
      const { id, label, section_count } = schoolTerm
      const groupCount = groups.filter(({ school_term_id }) => school_term_id === id).length
      const { lane } = await laneOf(schoolTerm)
      const end = await readWholeTerm(context, {
        schoolTerm,
        lane,
        writer,
        stopAt: stopAt - 2000,
        walk: next.walk ?? null,
        async onPage(count) {
          const part = groupCount * Math.min(1, count / Math.max(count + 1, section_count ?? 0))
          await progress(next.done + Math.floor(part), groups.length, `Reading ${label}: ${counted(count, 'section')}`)
        },
      })
      delete next.walk
      if (end.kind === 'later') next.walk = end.walk
      else if (end.kind === 'done') {
        next.whole.push(id)
        next.done += groupCount
        next.believed += groupCount
        delete next.failing
      } else if (end.unknown.reason === 'limited') return now() + waitOf(end.unknown)
      else next.by_group.push(id)
      return end.kind === 'later' ? end.at : null
    }

    try {
      for (const schoolTerm of schoolTerms.values()) {
        if (!isReadWhole(schoolTerm, input.subject_id)) continue
        const { id } = schoolTerm
        if (next.whole.includes(id) || next.by_group.includes(id) || next.down.includes(id)) continue
        if (next.walk && next.walk.school_term_id !== id) continue
        if (now() > stopAt - 2000) return await continueAt(now())
        await progress(next.done, groups.length, `Reading ${schoolTerm.label}`)
        const at = await readWhole(schoolTerm)
        if (at !== null) return await continueAt(at)
        await checkpoint()
      }
      for (const [index, group] of groups.entries()) {
        const schoolTerm = schoolTerms.get(group.school_term_id)
        if (!schoolTerm || group.id <= input.after_group || next.down.includes(schoolTerm.id)) continue
        if (next.whole.includes(schoolTerm.id)) continue
        current = group
        if (now() > stopAt - 2000) return await continueAt(now())
        await progress(next.done, groups.length, `Reading ${group.subject_name} at ${schoolTerm.label}`)
        const lane = await laneOf(schoolTerm)
        const { id: group_id, subject_id, subject_key, subject_name, career } = group
        const scope = { ...schoolTerm.scope, subject: subject_key, subject_name, career }
        // Both are read before the school is asked, so that anything recorded meanwhile is newer than its answer.
        const { known, known_at } = await knownOf(index)
        const asked_at = now()
        const answer = await lane.lane.sections(scope)
        const isEmpty = answer.known && answer.value.sections.length === 0
        const why = isEmpty ? whyNotEmpty(known) : null
        if (why !== null) await fail(group, { reason: 'incomplete', why })
        else if (answer.known) {
          const sections = answer.value.sections.map((section) => ({ ...section, ...judged(section) }))
          await writer.add(schoolTerm, scope, {
            group_id,
            subject_id,
            asked_at: answer.value.asked_at ?? asked_at,
            seen_at: now(),
            known_at,
            known,
            sections,
          })
          delete next.failing
          next.believed += 1
          next.after_group = group_id
          next.done += 1
          await keepTermEnd(env.DB, schoolTerm, answer.value)
        } else if (answer.reason === 'limited') {
          return await continueAt(now() + waitOf(answer))
        } else await fail(group, answer)
        await checkpoint()
      }
    } catch (error) {
      if (error instanceof BudgetSpent) return await continueAt(error.retry_at)
      if (now() >= stopAt) return await continueAt(now())
      throw error
    } finally {
      await writer.flush()
      for (const [label, count] of writer.kept) next.kept[label] = (next.kept[label] ?? 0) + count
    }
    const answered = new Map([...schoolTerms].filter(([id]) => !next.down.includes(id)))
    if (groups.length > 0 && (next.believed === 0 || answered.size === 0)) {
      throw new GiveUp(inOneLine(next.failures.slice(-3)))
    }
    await rememberRefresh(env.DB, answered, input, now())
    await progress(groups.length, groups.length, 'Done')
    return {
      ...(await refreshedCourses(env.DB, [...schoolTerms.keys()], input.subject_id)),
      failures: next.failures,
      warnings: Object.entries(next.kept).map(keptSentence),
    }
  },
})

/** Whether one reading returns the whole term. A source that requires a career is asked group by group. */
function isReadWhole({ source: { kind } }: SchoolTerm, subjectId: number): boolean {
  return subjectId === 0 && sources.get(kind)?.reads.catalogue === 'term'
}

const waitOf = ({ retry_after_seconds: seconds }: Unknown): number =>
  Math.min(Math.max(1, seconds ?? 0), MAX_WAIT_SECONDS) * 1000

/**
 * The stored sections of the group at an index, and the time before they were read. Reads several groups at a time, from
 * that one on.
 */
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

/**
 * "Harbor State University, Fall 2026: 40 sections came without a title, meetings or course. What we had was kept."
 */
function keptSentence([label, count]: [string, number]): string {
  return `${label}: ${counted(count, 'section')} came without a title, meetings or course. What we had was kept.`
}
