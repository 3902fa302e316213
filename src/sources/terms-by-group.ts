import * as z from 'zod/mini'
import type { Answer } from './source.ts'

/** For how long the groups of such a term are requested one by one, in ms, before the whole term is tried again. */
const BY_GROUP_MS = 15 * 60_000

/** Until when, in ms since epoch, by term. */
const Memo = z.record(z.string(), z.number())

/**
 * Terms whose search as a whole failed although groups can still be requested: an answer that is too large, too slow or
 * has one wrong row fails for all groups at once. Lives between conversations as text ({@link Tools.memo} and
 * {@link Lane.memo}).
 */
export class TermsByGroup {
  readonly #until: Map<string, number>

  /** @param memo as {@link text} gave it; anything else starts over */
  constructor(memo: string | null | undefined) {
    this.#until = new Map(Object.entries(parse(memo)))
  }

  has(term: string, now: number): boolean {
    return (this.#until.get(term) ?? 0) > now
  }

  add(term: string, now: number): void {
    for (const [other, until] of this.#until) if (until <= now) this.#until.delete(other)
    this.#until.set(term, now + BY_GROUP_MS)
  }

  /** What the next conversation starts with; null if no term ever failed. */
  text(): string | null {
    return this.#until.size === 0 ? null : JSON.stringify(Object.fromEntries(this.#until))
  }
}

/** Whether groups may be requested after the search of their term failed: the school is there and lets us ask. */
export const maySearchGroups = (failed: Answer<unknown>): boolean =>
  failed.known || (failed.reason !== 'limited' && failed.reason !== 'unreachable')

function parse(memo: string | null | undefined): z.infer<typeof Memo> {
  try {
    const { data, success } = Memo.safeParse(JSON.parse(memo ?? '{}'))
    return success ? data : {}
  } catch {
    return {}
  }
}
