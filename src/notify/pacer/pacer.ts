import { DurableObject } from 'cloudflare:workers'
import { type KeptLine, PacerLine, type Turn, type TurnRequest } from './line.ts'
import { MAX_PACE, paceOf } from '../addresses.ts'

/** How long until a changed setting applies at most, ms. */
const SETTING_LIFE_MS = 5000
/** How long an unused account's state is kept, ms. */
const REST_MS = 60_000
const keptUnder = 'line'

/** The value of a setting; null if it is not set. It may reject. */
type ReadSetting = (name: string) => Promise<string | null>

/** The one object that gives turns at a provider account, named after the account ({@link PacerLine} has the rules). */
export class AccountPacer extends DurableObject<Env> {
  #line = new PacerLine()
  #pace: { units_per_second: number; read_at: number } | null = null
  readonly #readSetting: ReadSetting

  constructor(context: DurableObjectState, env: Env, readSetting: ReadSetting) {
    super(context, env)
    this.#readSetting = readSetting
    void context.blockConcurrencyWhile(async () => {
      const kept = await context.storage.get<KeptLine>(keptUnder)
      if (kept) this.#line = new PacerLine(kept)
    })
  }

  /**
   * Asks for slots, in this order. Asking again with the same ticket before its time is harmless, and returns a pause
   * that has begun since.
   */
  async turns(requests: readonly TurnRequest[]): Promise<Turn[]> {
    const pace = await this.#readPace()
    const turns = requests.map((request) => this.#line.turn(request, pace, Date.now(), Math.random()))
    if (pace > 0 && turns.some((turn) => 'go_at' in turn)) await this.#keep()
    return turns
  }

  /** Releases a ticket that no longer needs its turn. */
  async giveBack(ticket: string): Promise<void> {
    this.#line.giveBack(ticket, Date.now())
  }

  /**
   * Pauses this account for a number of seconds.
   * @returns when the pause is over, ms since epoch
   */
  async pause(seconds: number | null): Promise<number> {
    const until = this.#line.pause(seconds, Date.now(), Math.random())
    await this.#keep()
    return until
  }

  /** When the current pause is over; in the past if there is none. */
  async pausedUntil(): Promise<number> {
    return this.#line.kept.paused_until
  }

  override async alarm(): Promise<void> {
    const { free_at, paused_until } = this.#line.kept
    const restsFrom = Math.max(free_at, paused_until) + REST_MS
    if (restsFrom > Date.now()) return this.ctx.storage.setAlarm(restsFrom)
    await this.ctx.storage.deleteAll()
  }

  async #keep(): Promise<void> {
    await this.ctx.storage.put(keptUnder, this.#line.kept)
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(Date.now() + REST_MS)
  }

  /**
   * The account's pace, from a setting that is read from time to time. If the database does not answer, the pace stays
   * the same.
   */
  async #readPace(): Promise<number> {
    const account = paceOf(this.ctx.id.name ?? '')
    if (account === null) return 0
    if (this.#pace && Date.now() - this.#pace.read_at < SETTING_LIFE_MS) return this.#pace.units_per_second
    const units = await this.#paceBySetting(account, this.#pace?.units_per_second ?? account.initial)
    this.#pace = { units_per_second: units, read_at: Date.now() }
    return units
  }

  async #paceBySetting({ setting, initial }: { setting: string; initial: number }, before: number): Promise<number> {
    try {
      const value = await this.#readSetting(setting)
      const units = value === null ? initial : Number(value)
      return Number.isFinite(units) && units >= 0 && units <= MAX_PACE ? units : initial
    } catch {
      return before
    }
  }
}
