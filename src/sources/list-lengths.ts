import * as z from 'zod/mini'
import { parseOr } from '../lib/fallbacks.ts'
import { parseJson } from '../lib/text.ts'

/** Schools have been seen to publish half of a list for a minute, so a much shorter one is read again. */
const MAX_LOSS = 1 / 3
/** Two reads that agree must be this far apart, in ms, because closer ones may be the same copy. */
export const MIN_APART_MS = 60_000
/** A list that is nearly as long as the remembered one does not replace it, so that the memo is seldom written. */
const NEAR = 0.1
/** The most lists that are remembered: three campuses and four published terms make twelve. */
const MAX_TERMS = 32

const Memo = z.record(
  z.string(),
  z.object({
    /** The number of entries of the last list that was believed. */
    believed: z.number(),
    /** The shorter list that is not believed yet, and when it was first seen (ms since epoch). */
    short: z.optional(z.object({ count: z.number(), at: z.number() })),
  }),
)

/**
 * How long the status list of each term was, so that one that loses more than a third of its entries at once is not
 * believed until a second read, a minute or more later, agrees. Lives between conversations as text
 * ({@link Tools.memo} and {@link Lane.memo}).
 */
export class ListLengths {
  readonly #terms: z.infer<typeof Memo>

  /** @param memo as {@link text} gave it; anything else starts over */
  constructor(memo: string | null | undefined) {
    this.#terms = parseOr(Memo, {})(parseJson(memo ?? null))
  }

  /** Records a list. Returns why it is not believed, as a sentence, or null if it is. */
  whyTooShort(term: string, count: number, now: number): string | null {
    const former = this.#terms[term]
    const isShort = former !== undefined && former.believed - count > former.believed * MAX_LOSS
    if (!isShort) {
      this.#believe(term, count)
      return null
    }
    const { believed, short } = former
    // A list longer than the one seen before is recovering, so the next one is compared with this one.
    const isAgain = short !== undefined && Math.abs(count - short.count) <= Math.max(short.count, count) * MAX_LOSS
    if (isAgain && now - short.at >= MIN_APART_MS) {
      this.#believe(term, count)
      return null
    }
    this.#terms[term] = { believed, short: isAgain ? short : { count, at: now } }
    return `The list of term ${term} has ${count} entries; it had ${believed}. It is read again before it is accepted.`
  }

  /** What the next conversation starts with. */
  text(): string {
    return JSON.stringify(this.#terms)
  }

  #believe(term: string, count: number): void {
    const former = this.#terms[term]
    const isNear = former !== undefined && Math.abs(count - former.believed) <= former.believed * NEAR
    this.#terms[term] = { believed: isNear ? former.believed : count }
    const [other, ...more] = Object.keys(this.#terms).filter((code) => code !== term)
    if (other !== undefined && more.length + 1 >= MAX_TERMS) delete this.#terms[other]
  }
}
