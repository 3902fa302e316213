import * as z from 'zod/mini'
import type { Answer, Group } from './source.ts'
import { parseOr } from '../lib/fallbacks.ts'
import { parseJson } from '../lib/text.ts'
import { MINUTE_MS } from '../lib/time.ts'

/** How long the groups of such a term are requested one by one, at least and at most, in ms. */
const MIN_BY_GROUP_MS = MINUTE_MS
const MAX_BY_GROUP_MS = 15 * MINUTE_MS
/** The most groups whose start is remembered: few are ever cut off, and some of them are no longer watched. */
const MAX_STARTS = 100

const Start = z.object({
  /** The page, as a cursor; absent for the first. */
  cursor: z.optional(z.string()),
  /** The course, or the section at a school that is read section by section; absent for the first. */
  at: z.optional(z.string()),
})
/** Where the next reading of a group begins, because this one was cut off there. */
export type Start = z.infer<typeof Start>

/** Since when a term's search has failed, and until when its groups are requested one by one, in ms since epoch. */
const ByGroup = z.object({ since: z.number(), until: z.number() })

const Memo = z.object({
  /** By term. */
  by_group: z._default(z.record(z.string(), ByGroup), {}),
  starts: z._default(z.record(z.string(), Start), {}),
})

/**
 * What one poll leaves for the next, as text ({@link Tools.memo} and {@link Lane.memo}): where groups were cut off, and
 * terms whose search as a whole failed although their groups can be requested. An answer that is too large, too slow or
 * has one wrong row fails for all groups at once.
 */
export class PollNotes {
  readonly #isFirst: boolean
  readonly #byGroup: Map<string, z.infer<typeof ByGroup>>
  readonly #starts: Map<string, Start>

  /** @param memo as {@link text} gave it; anything else starts over */
  constructor(memo: string | null | undefined) {
    const { by_group, starts } = parseOr(Memo, Memo.parse({}))(parseJson(memo ?? null))
    this.#isFirst = memo === null || memo === undefined
    this.#byGroup = new Map(Object.entries(by_group))
    this.#starts = new Map(Object.entries(starts))
  }

  isByGroup(term: string, now: number): boolean {
    return (this.#byGroup.get(term)?.until ?? 0) > now
  }

  /** A term's search failed. It is made again after as long a time as it has been failing. */
  readByGroup(term: string, now: number): void {
    for (const [other, { until }] of this.#byGroup) if (until + MAX_BY_GROUP_MS <= now) this.#byGroup.delete(other)
    const since = this.#byGroup.get(term)?.since ?? now
    const wait = Math.min(Math.max(now - since, MIN_BY_GROUP_MS), MAX_BY_GROUP_MS)
    this.#byGroup.set(term, { since, until: now + wait })
  }

  /** A term's search succeeded. */
  readWhole(term: string): void {
    this.#byGroup.delete(term)
  }

  startOf(group: Group): Start {
    return this.#starts.get(keyOf(group)) ?? {}
  }

  /** @param start null if the group was not cut off; empty if it was, and begins at the first again */
  keepStart(group: Group, start: Start | null): void {
    const key = keyOf(group)
    this.#starts.delete(key)
    if (start?.cursor !== undefined || start?.at !== undefined) this.#starts.set(key, start)
    const [oldest] = this.#starts.keys()
    if (oldest !== undefined && this.#starts.size > MAX_STARTS) this.#starts.delete(oldest)
  }

  /** What the next conversation starts with; null if there never was anything to note. */
  text(): string | null {
    if (this.#isFirst && this.#byGroup.size + this.#starts.size === 0) return null
    return JSON.stringify({ by_group: Object.fromEntries(this.#byGroup), starts: Object.fromEntries(this.#starts) })
  }
}

const keyOf = ({ school, term, subject, career }: Group): string => [school, term, subject, career].join('/')

/** The list from an entry on, followed by what comes before it; unchanged without that entry. */
export function startingAt<Entry>(entries: readonly Entry[], start: Entry | undefined): Entry[] {
  const at = Math.max(
    0,
    entries.findIndex((entry) => entry === start),
  )
  return [...entries.slice(at), ...entries.slice(0, at)]
}

/** Whether groups may be requested after the search of their term failed: the school is there and lets us ask. */
export const maySearchGroups = (failed: Answer<unknown>): boolean =>
  failed.known || (failed.reason !== 'limited' && failed.reason !== 'unreachable')
