import * as z from 'zod/mini'
import { defineJob, runAgain } from '../../jobs/job.ts'
import { sources } from '../../sources/sources.ts'
import { isSwitchedOff } from '../../jobs/schedules.ts'
import { isScarce, readMs, planReads, requestsWithExtras, weightOf } from './plan-reads.ts'
import { OpeningTally, termOf } from './opening-tally.ts'
import { PollRun } from './poll-run.ts'
import { MAX_FAILURES_BEFORE_PAUSE, groupDueAt, pollMsOf } from './source-health.ts'
import { massOpening, notifyStaff, readSecondReads } from './notify-staff.ts'
import { type PolledGroup, type PolledSource, readWatchedGroups } from './watched-groups.ts'

/** The schedule that starts rounds. */
export const POLL_SCHEDULE = 'poll-sources'

/** A second read of what cannot be believed follows after this time, in ms: a fault that soon passes must not confirm itself. */
const SECOND_READ_MS = 15_000
/** A group that was read this recently before a round began is not read again in it, in ms. */
const RECENT_MS = 5000

const Reread = z.object({
  groups: z.array(z.number()),
  /** How many of the watched sections seemed to open, and when (ms since epoch). */
  found: z.number(),
  watched: z.number(),
  at: z.number(),
  /** When each group may be read again (ms since epoch), by its id. */
  ready_at: z._default(z.record(z.string(), z.number()), {}),
})
type Reread = z.infer<typeof Reread>

const Input = z.object({
  source_id: z.number(),
  /** When the round began: groups read since then are done. Absent when a tick begins a round. */
  round_started_at: z.optional(z.number()),
  /** Requests sent so far in the round. */
  requests: z._default(z.number(), 0),
  /** Groups planned so far in the round, and how many of them as extra reads. */
  planned: z._default(z.number(), 0),
  planned_extra: z._default(z.number(), 0),
  /** Groups believed earlier in the round: a source that answers for some of them is not down. */
  believed: z._default(z.number(), 0),
  /** Read only this group, immediately: one of its sections is newly watched. */
  group_id: z.optional(z.number()),
  /** False after reading whole terms did not fit into one run. */
  may_walk_term: z._default(z.boolean(), true),
  /** How many runs in a row sent requests in vain: not even a part of a group was read. */
  tries_in_vain: z._default(z.number(), 0),
  /** How many runs in a row sent requests and answered for no group. */
  cut_off_runs: z._default(z.number(), 0),
  /** Sections that opened in earlier runs of the round. */
  opened: z._default(z.number(), 0),
  /** Sections that seemed to open in them, by school and term. */
  opened_by_term: z._default(z.record(z.string(), z.number()), {}),
  /** Watched sections that earlier runs of the round have read. */
  sections_read: z._default(z.number(), 0),
  /** Groups to be read a second time because too many sections seemed to open in them, and what was found. */
  reread: z.optional(Reread),
})
type Input = z.infer<typeof Input>

/**
 * Reads a source's watched sections and writes what changed, 20 s a run; the same job reads the rest of the round, so
 * that no source is polled by two jobs at once.
 */
export const pollSource = defineJob({
  name: 'poll-source',
  queue: 'polls',
  input: Input,
  limit: { attempts: 3, run_seconds: 20, retry_seconds: [5, 15] },
  async run(context, input) {
    const { env, now } = context
    const startedAt = now()
    const read = await readWatchedGroups(env.DB, input.source_id, startedAt)
    if (!read || !read.source.is_enabled) return { asked: 0, reason: 'the source is gone or off' }
    if (mustWait(read.source, input, startedAt)) return { asked: 0, paused_until: read.source.paused_until }
    const { source } = read
    const round = input.round_started_at ?? startedAt
    const isWaiting = ({ id }: PolledGroup): boolean => (input.reread?.ready_at[id] ?? 0) > startedAt
    const groups = read.groups.filter((group) => !isWaiting(group))
    const { due, extra } = readsNow({ source, groups }, input, round, startedAt)
    const isAtOnce = input.group_id !== undefined
    if (isAtOnce && !input.reread && !due.some(hasNewWatch))
      return { asked: 0, reason: 'no section of the group is newly watched' }
    const watched = read.groups.reduce((sum, { sections }) => sum + sections.length, 0)
    const atLeast = leastRequests(source, watched)
    const is_scarce = !isAtOnce && isScarce(Math.max(source.requests_a_round ?? 0, atLeast), source)
    const tally = new OpeningTally(read.groups, input.opened_by_term, read.doubts)
    const run = new PollRun(context, source, due, {
      known_at: startedAt,
      watched,
      opened: input.opened,
      sections_read: input.sections_read,
      reread: new Set(input.reread?.groups),
      tally,
      doubts: read.doubts,
      is_scarce,
      is_at_once: isAtOnce,
      tries_in_vain: input.tries_in_vain,
      cut_off_runs: input.cut_off_runs,
    })
    const termSizes = input.may_walk_term ? read.termSizes : new Map<string, number>()
    await run.read(termSizes)
    const requests = input.requests + run.requests
    const planned = input.planned + due.length
    const planned_extra = input.planned_extra + extra
    // Groups that keep failing are read after the others, which need not wait until all of them have been tried again.
    const isStuck = input.believed > 0 && run.believed === 0 && run.answered > 0 && due.every(isFailing)
    const isAllRead = run.answered + run.suspects.length === due.length || isStuck
    const isRoundOver = isAllRead && run.suspects.length === 0 && groups.length === read.groups.length
    const ownRequests = planned === 0 ? requests : Math.ceil((requests * (planned - planned_extra)) / planned)
    // A round that follows immediately has fewer reads, because groups read at the end of the last one are too recent.
    const roundRequests = isRoundOver && !isAtOnce ? requestsWithExtras(Math.max(ownRequests, atLeast), source) : null
    await run.settle({ isAtOnce, believed: input.believed, requests: roundRequests })
    const report = reportOf(run, due.length)
    await context.log(JSON.stringify(report))
    const { reread } = input
    // The group of a new watch is read again after fewer openings than are worth an alarm.
    if (reread && isRoundOver && !isAtOnce) {
      const secondRead = await readSecondReads(env.DB, reread.groups, reread.at)
      await notifyStaff(env, source, massOpening(source, { ...reread, ...secondRead }), now())
    }
    // A pause ends the round, unless groups must be read again: only this job knows which.
    const rest = restOfRound(input, run, {
      watched,
      at: startedAt,
      isWalking: termSizes.size > 0,
      opened_by_term: tally.opened,
      ready_at: now() + secondReadMs(source),
    })
    if ((isAtOnce || run.pausedUntil !== null) && (isRoundOver || !rest.reread)) return report
    const isOff = () => isSwitchedOff(env, POLL_SCHEDULE)
    if (!isRoundOver) {
      // If requests are scarce, the rest of a round can take an hour.
      if (!rest.reread && (await isOff())) return report
      const next = { ...rest, round_started_at: round, requests, planned, planned_extra }
      return runAgain(Math.max(run.pausedUntil ?? 0, run.retryAt, isAllRead ? nextReady(rest, startedAt) : now()), next)
    }
    // If requests are scarce, or the round took longer than its interval, the next one follows immediately: requests
    // that it needs would go unused until a tick could start it.
    const hasNoPause = now() - round >= pollMsOf(source) || (is_scarce && requests > 0)
    if (hasNoPause && due.length > 0 && !(await isOff())) return runAgain(now(), { source_id: source.id })
    return report
  },
})

/**
 * Whether the source may not be asked yet. A pause after failures, perhaps of a single group, keeps nobody waiting who
 * begins to watch another group; one that the school asked for does.
 */
function mustWait({ paused_until, limited_until }: PolledSource, { group_id }: Input, now: number): boolean {
  return ((group_id === undefined ? paused_until : limited_until) ?? 0) > now
}

/** Groups with more failures come in the order of their last read: one that recovers must not wait for all the others. */
const MAX_FAILURES_COUNTED = 3

/** The groups to read now, and how many of them are extra reads. A run for one group reads only that group. */
function readsNow(
  read: { source: PolledSource; groups: readonly PolledGroup[] },
  { group_id, reread }: Input,
  round: number,
  now: number,
): { due: PolledGroup[]; extra: number } {
  if (group_id !== undefined) return { due: read.groups.filter(({ id }) => id === group_id), extra: 0 }
  const pollMs = pollMsOf(read.source)
  // A source that was paused as a whole is asked for everything, because its groups did not fail individually.
  const isDown = read.source.failures >= MAX_FAILURES_BEFORE_PAUSE
  const isDue = (group: PolledGroup): boolean => {
    const askedAt = group.asked_at ?? 0
    // A second read is one of this round, even if the first was an extra one.
    if (askedAt < (reread?.ready_at[group.id] ?? 0)) return true
    return askedAt < round - RECENT_MS && (isDown || groupDueAt(group.asked_at, group.failures, pollMs) <= now)
  }
  const due = plannedReads(read, isDue, now)
  return { due, extra: due.filter((group) => !isDue(group)).length }
}

const isFailing = ({ failures }: PolledGroup): boolean => failures > 0

const hasNewWatch = ({ sections }: PolledGroup): boolean => sections.some((section) => section.new_watch_count > 0)

/** A run's log line, which is also its result. */
function reportOf(run: PollRun, planned: number) {
  return {
    asked: run.answered,
    believed: run.believed,
    openings: run.openings,
    requests: run.requests,
    left: planned - run.answered,
    ...(run.looks.times.length > 0 ? { looks_ms: run.looks.times, withheld: run.looks.withheld } : {}),
    ...(run.suspects.length > 0 ? { suspected: run.suspected } : {}),
  }
}

/** The input of the next run: groups in which too many sections seemed to open are read again. */
function restOfRound(
  input: Input,
  run: PollRun,
  found: {
    watched: number
    at: number
    isWalking: boolean
    opened_by_term: Record<string, number>
    ready_at: number
  },
): Input {
  const { watched, at, isWalking, opened_by_term } = found
  const before = input.reread
  const reread: Reread = {
    groups: [...(before?.groups ?? []), ...run.suspects],
    found: (before?.found ?? 0) + run.suspected,
    watched,
    at: before?.at ?? at,
    ready_at: { ...before?.ready_at, ...Object.fromEntries(run.suspects.map((id) => [id, found.ready_at])) },
  }
  return {
    ...input,
    believed: input.believed + run.believed,
    may_walk_term: input.may_walk_term && (run.answered > 0 || run.suspects.length > 0),
    // Single groups have their own first try after a whole term; a run that sent nothing is none.
    tries_in_vain: run.requests === 0 ? input.tries_in_vain : isWalking ? 0 : triesAfter(run, input),
    cut_off_runs: run.answered > 0 ? 0 : input.cut_off_runs + Number(run.requests > 0),
    opened: input.opened + run.opened,
    sections_read: input.sections_read + run.sectionsRead,
    opened_by_term,
    reread: run.suspects.length > 0 ? reread : before,
  }
}

/** The tries in vain after a run. Once a group was given up, the one after it has at least one more. */
const triesAfter = (run: PollRun, { tries_in_vain: before }: Input): number =>
  run.isInVain ? (run.answered > 0 ? 1 : before + 1) : 0

/** How long after a first read a second one is new: one of the same copy would confirm any mistake in it. */
const secondReadMs = ({ kind }: PolledSource): number =>
  Math.max(SECOND_READ_MS, sources.get(kind)?.same_status_ms ?? 0)

/** When the first of the groups that wait for their second read may be read, ms since epoch. @param at when the run began */
const nextReady = ({ reread }: Input, at: number): number =>
  Math.min(...Object.values(reread?.ready_at ?? {}).filter((ready) => ready > at))

/** The least requests that a round takes: known before the first round ends, for systems read section by section. */
function leastRequests({ kind }: PolledSource, watched: number): number {
  return sources.get(kind)?.reads.status === 'section' ? watched : 0
}

/**
 * Groups that failed last time come last: a run ends after a few failures, and those of a school that answers for other
 * groups must not look like an outage. When requests are scarce, groups with the most people waiting come first and may
 * come again.
 * @param isDue whether a group has not been read in this round yet
 */
function plannedReads(
  { source, groups }: { source: PolledSource; groups: readonly PolledGroup[] },
  isDue: (group: PolledGroup) => boolean,
  now: number,
): PolledGroup[] {
  const round = source.requests_a_round ?? 0
  const pollMs = pollMsOf(source)
  const isAgain = ({ asked_at, failures }: PolledGroup): boolean => failures === 0 && now - (asked_at ?? now) >= pollMs
  const interval_ms = Math.max(pollMs, (60_000 * round) / Math.max(1, source.requests_per_minute))
  const candidates = groups
    .filter((group) => isDue(group) || (isScarce(round, source) && isAgain(group)))
    .map((group) => ({
      group,
      term: termOf(group),
      asked_at: group.asked_at ?? 0,
      weight: weightOf(group.watch_count, group.opened_at, now),
      is_extra: !isDue(group),
    }))
  const pace = { now, interval_ms, read_ms: readMs(interval_ms, groups.length) }
  return planReads(candidates, pace)
    .map(({ group }) => group)
    .toSorted(
      (one, other) => Math.min(one.failures, MAX_FAILURES_COUNTED) - Math.min(other.failures, MAX_FAILURES_COUNTED),
    )
}
