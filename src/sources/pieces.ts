import { known, type Unknown } from './answer.ts'
import { NO_FIGURES } from './judge.ts'
import {
  type Answer,
  BudgetSpent,
  type GroupSeats,
  type Observation,
  type Tools,
  type UnknownReason,
  type WatchedGroup,
} from './source.ts'

/** A part of a group that needs its own request, such as a section or a course, and the watched keys that it covers. */
export interface Piece {
  keys: readonly string[]
  ask: () => Promise<Answer<readonly Observation[]>>
}

/** After one of these, the next piece would fail too. */
const ENDS_GROUP: ReadonlySet<UnknownReason> = new Set(['timeout', 'unreachable', 'limited'])
/** These may concern only one page; two in a row do not. */
const IS_TROUBLE: ReadonlySet<UnknownReason> = new Set(['http_error', 'not_the_protocol'])
const MAX_TROUBLES = 2

/**
 * Reads the seats of groups that no single answer covers, piece by piece. If only some pieces of a group could be read,
 * it is answered with these, and the others are unclear; the same applies to a group whose budget is spent halfway,
 * before that is thrown. Each round begins with a different piece of a group, so that none is always last. Pieces that
 * are cut off wait for another round, so a group that would not be finished before the deadline is left to the next
 * conversation, which begins with it.
 */
export async function* readByPieces(
  { now, deadline = Infinity }: Pick<Tools, 'now' | 'deadline'>,
  groups: readonly WatchedGroup[],
  piecesOf: (watched: WatchedGroup) => readonly Piece[],
): AsyncGenerator<GroupSeats> {
  const startedAt = now()
  let asked = 0
  for (const [index, watched] of groups.entries()) {
    const asked_at = now()
    const pieces = piecesOf(watched)
    // There was no wait before the first one.
    const onePieceMs = asked === 0 ? 0 : (asked_at - startedAt) / Math.max(1, asked - 1)
    if (asked_at + pieces.length * onePieceMs > deadline) throw new BudgetSpent(asked_at)
    asked += pieces.length
    const round = new GroupRound()
    const stopped = await round.run(rotated(pieces, asked_at))
    if (stopped === null || round.hasSeen) yield { index, asked_at, answer: round.answer }
    if (stopped !== null) throw stopped.error
  }
}

/** The golden ratio: multiples of its fraction spread evenly, whatever the interval between rounds. */
const SPREAD = (Math.sqrt(5) - 1) / 2

function rotated(pieces: readonly Piece[], now: number): Piece[] {
  const start = Math.floor(((Math.floor(now / 1000) * SPREAD) % 1) * pieces.length)
  return [...pieces.slice(start), ...pieces.slice(0, start)]
}

class GroupRound {
  readonly #seen: Observation[] = []
  readonly #unclear: Observation[] = []
  #failure: Unknown | null = null
  readonly #warnings: string[] = []

  get hasSeen(): boolean {
    return this.#seen.length > 0
  }

  get answer(): GroupSeats['answer'] {
    if (this.#failure !== null && !this.hasSeen) return this.#failure
    return known({ seen: [...this.#seen, ...this.#unclear] }, this.#warnings)
  }

  /** Requests each piece. Returns what was thrown, if anything: a spent budget, or the end of the caller's time. */
  async run(pieces: readonly Piece[]): Promise<{ error: unknown } | null> {
    let troubles = 0
    for (const [at, piece] of pieces.entries()) {
      let answer: Awaited<ReturnType<Piece['ask']>>
      try {
        answer = await piece.ask()
      } catch (error) {
        this.#doubt(pieces.slice(at), 'There was no time left to ask for it.')
        return { error }
      }
      troubles = !answer.known && IS_TROUBLE.has(answer.reason) ? troubles + 1 : 0
      if (answer.known) {
        this.#seen.push(...answer.value)
        this.#warnings.push(...answer.warnings)
        continue
      }
      this.#failure ??= answer
      if (ENDS_GROUP.has(answer.reason) || troubles >= MAX_TROUBLES) {
        this.#doubt(pieces.slice(at), answer.why)
        return null
      }
      this.#doubt([piece], answer.why)
    }
    return null
  }

  #doubt(pieces: readonly Piece[], why: string): void {
    for (const section_key of pieces.flatMap(({ keys }) => keys))
      this.#unclear.push({ section_key, stated: null, figures: NO_FIGURES, doubts: [why] })
  }
}
