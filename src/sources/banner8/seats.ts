import { known, type Unknown } from '../answer.ts'
import { NO_FIGURES } from '../judge.ts'
import { type PollNotes, startingAt } from '../poll-notes.ts'
import {
  type Answer,
  BudgetSpent,
  type Group,
  type GroupSeats,
  type Observation,
  type Tools,
  type UnknownReason,
  type WatchedGroup,
} from '../source.ts'
import { ENDS_READING, MAX_FAILURES_IN_A_ROW, NO_TIME_LEFT } from '../watched-sections.ts'

/** These may concern only one page. */
const PAGE_FAILURES: ReadonlySet<UnknownReason> = new Set(['http_error', 'not_the_protocol'])

/**
 * Reads seats section by section, because the lists have none; `ask` makes one request. If only some sections of a
 * group could be read, the answer has these, and the others are unclear. The same happens if the budget runs out
 * partway; {@link BudgetSpent} is thrown afterward. The next round begins with the first section that was not asked for.
 * Sections that are cut off wait for another round, so a group that would not be finished before the deadline is left to
 * the next conversation, which begins with it.
 */
export async function* readSeats(
  ask: (group: Group, sectionKey: string) => Promise<Answer<Observation>>,
  { now, deadline = Infinity }: Pick<Tools, 'now' | 'deadline'>,
  groups: readonly WatchedGroup[],
  notes: PollNotes,
): AsyncGenerator<GroupSeats> {
  const startedAt = now()
  let asked = 0
  for (const [index, { group, watched }] of groups.entries()) {
    const asked_at = now()
    const keys = [...new Set(watched.map(({ section_key }) => section_key))]
    // There was no wait before the first one.
    const oneMs = asked === 0 ? 0 : (asked_at - startedAt) / Math.max(1, asked - 1)
    if (asked_at + keys.length * oneMs > deadline) throw new BudgetSpent(asked_at)
    asked += keys.length
    const ordered = startingAt(keys, notes.startOf(group).at)
    const { answer, hasSeen, next, stopped } = await readGroup(ordered, (key) => ask(group, key))
    notes.keepStart(group, next === undefined ? null : { at: next })
    if (stopped === null || hasSeen || !answer.known) yield { index, asked_at, answer }
    if (stopped !== null) throw stopped.error
  }
}

/**
 * `next`: the first section that was not asked for, if there is one. `stopped`: what was thrown, if anything: a spent
 * budget, or the end of the caller's time.
 */
async function readGroup(keys: readonly string[], ask: (key: string) => Promise<Answer<Observation>>) {
  const seen: Observation[] = []
  const unclear: Observation[] = []
  const warnings: string[] = []
  const doubt = (left: readonly string[], why: string) => {
    for (const section_key of left) unclear.push({ section_key, stated: null, figures: NO_FIGURES, doubts: [why] })
  }
  let failure: Unknown | null = null
  let stopped: { error: unknown } | null = null
  let failures = 0
  let next: string | undefined
  for (const [at, key] of keys.entries()) {
    let one: Answer<Observation>
    try {
      one = await ask(key)
    } catch (error) {
      doubt(keys.slice(at), NO_TIME_LEFT)
      stopped = { error }
      next = key
      break
    }
    failures = !one.known && PAGE_FAILURES.has(one.reason) ? failures + 1 : 0
    if (one.known) {
      seen.push(one.value)
      warnings.push(...one.warnings)
      continue
    }
    failure ??= one
    const isEnd = ENDS_READING.has(one.reason) || failures >= MAX_FAILURES_IN_A_ROW
    doubt(isEnd ? keys.slice(at) : [key], one.why)
    if (isEnd) {
      // Not this one again: its page may be the only one that does not come.
      next = keys[(at + 1) % keys.length]
      break
    }
  }
  const hasSeen = seen.length > 0
  const answer = failure !== null && !hasSeen ? failure : known({ seen: [...seen, ...unclear] }, warnings)
  return { answer, hasSeen, next, stopped }
}
