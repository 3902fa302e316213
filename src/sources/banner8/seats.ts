import { known, type Unknown } from '../answer.ts'
import { NO_FIGURES } from '../judge.ts'
import type { Answer, Group, GroupSeats, Observation, Tools, UnknownReason, WatchedGroup } from '../source.ts'

/** One section, asked alone: a request. */
type Ask = (group: Group, sectionKey: string) => Promise<Answer<Observation>>

/** After one of these the next section would fare no better. */
const ENDS_GROUP: ReadonlySet<UnknownReason> = new Set(['timeout', 'unreachable', 'limited'])
/** These may concern one page alone; two in a row do not. */
const IS_TROUBLE: ReadonlySet<UnknownReason> = new Set(['http_error', 'not_the_protocol'])
const MAX_TROUBLES = 2

/**
 * Seats section by section: the lists tell none. A group of which some sections could be read is answered with these, and the
 * others are unclear; so is one whose requests are spent half way, before that is thrown. Each round begins with another
 * section of a group, so that none is always among the last.
 */
export async function* readSeats(
  ask: Ask,
  now: Tools['now'],
  groups: readonly WatchedGroup[],
): AsyncGenerator<GroupSeats> {
  for (const [index, { group, watched }] of groups.entries()) {
    const asked_at = now()
    const round = new GroupRound(ask, group)
    const keys = rotated([...new Set(watched.map(({ section_key }) => section_key))], asked_at)
    const stopped = await round.run(keys)
    if (stopped === null || round.hasSeen) yield { index, asked_at, answer: round.answer }
    if (stopped !== null) throw stopped.error
  }
}

/** The golden ratio: multiples of its fraction spread evenly, whatever the interval between rounds. */
const SPREAD = (Math.sqrt(5) - 1) / 2

function rotated(keys: readonly string[], now: number): string[] {
  const start = Math.floor(((Math.floor(now / 1000) * SPREAD) % 1) * keys.length)
  return [...keys.slice(start), ...keys.slice(0, start)]
}

class GroupRound {
  readonly #ask: Ask
  readonly #group: Group
  readonly #seen: Observation[] = []
  readonly #unclear: Observation[] = []
  #failure: Unknown | null = null
  readonly #warnings: string[] = []

  constructor(ask: Ask, group: Group) {
    this.#ask = ask
    this.#group = group
  }

  get hasSeen(): boolean {
    return this.#seen.length > 0
  }

  get answer(): GroupSeats['answer'] {
    if (this.#failure !== null && !this.hasSeen) return this.#failure
    return known({ seen: [...this.#seen, ...this.#unclear] }, this.#warnings)
  }

  /** Asks for each; what was thrown on the way, where something was: a spent budget, or the end of the caller's time. */
  async run(keys: readonly string[]): Promise<{ error: unknown } | null> {
    let troubles = 0
    for (const [at, key] of keys.entries()) {
      let answer: Answer<Observation>
      try {
        answer = await this.#ask(this.#group, key)
      } catch (error) {
        this.#doubt(keys.slice(at), 'There was no time left to ask for it.')
        return { error }
      }
      troubles = !answer.known && IS_TROUBLE.has(answer.reason) ? troubles + 1 : 0
      if (answer.known) {
        this.#seen.push(answer.value)
        this.#warnings.push(...answer.warnings)
        continue
      }
      this.#failure ??= answer
      if (ENDS_GROUP.has(answer.reason) || troubles >= MAX_TROUBLES) {
        this.#doubt(keys.slice(at), answer.why)
        return null
      }
      this.#doubt([key], answer.why)
    }
    return null
  }

  #doubt(keys: readonly string[], why: string): void {
    for (const section_key of keys)
      this.#unclear.push({ section_key, stated: null, figures: NO_FIGURES, doubts: [why] })
  }
}
