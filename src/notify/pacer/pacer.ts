import { DurableObject } from 'cloudflare:workers'
import { chunk } from '../../lib/collections.ts'
import { withTimeout } from '../../lib/time.ts'
import { MAX_PACE, type PacedAccount, paceOf } from '../addresses.ts'
import { type KeptLine, PacerLine, PAUSES_IN_A_ROW_MS, type Turn, type TurnRequest } from './line.ts'

/** How long until a changed setting applies at most, in ms. */
const SETTING_LIFE_MS = 5000
/** How long reading the settings may take, in ms: less than senders wait for the pacer. */
const MAX_READ_MS = 1000
/** How long the line of an unused account is kept, in ms: as long as its pauses count. */
const REST_MS = PAUSES_IN_A_ROW_MS
/** A line taken for longer, in ms, is stored; after a sooner restart one message may leave early and be refused. */
const MIN_KEPT_MS = 1000
/** The most keys that one call stores or deletes (https://developers.cloudflare.com/durable-objects/api/legacy-kv-storage-api/). */
const MAX_KEYS = 128
const keyOf = (account: string): string => `line:${account}`

export interface AskedTurn {
  account: PacedAccount
  request: TurnRequest
}

/** The value of a setting; null if it is not set. It may reject or hang. */
type ReadSetting = (name: string) => Promise<string | null>

/** The one object that gives turns at the provider accounts that share its name ({@link PacerLine} has the rules). */
export class AccountPacer extends DurableObject<Env> {
  readonly #lines = new Map<string, PacerLine>()
  readonly #paces = new Map<string, { units_per_second: number; read_at: number }>()
  readonly #readSetting: ReadSetting
  #restedAt = Date.now()

  constructor(context: DurableObjectState, env: Env, readSetting: ReadSetting) {
    super(context, env)
    this.#readSetting = readSetting
    void context.blockConcurrencyWhile(async () => {
      const prefix = keyOf('')
      for (const [key, kept] of await context.storage.list<KeptLine>({ prefix }))
        this.#lines.set(key.slice(prefix.length), new PacerLine(kept))
    })
  }

  /** Slots in this order. Asking again with the same ticket is harmless, and returns a pause that has begun since. */
  async turns(asked: readonly AskedTurn[]): Promise<Turn[]> {
    const paces = new Map<PacedAccount, number>()
    for (const { account } of asked) if (!paces.has(account)) paces.set(account, await this.#paceOf(account))
    if (Date.now() - this.#restedAt >= REST_MS) await this.#deleteIdleLines()
    const given = asked.map(({ account, request }) => {
      const pace = paces.get(account) ?? 0
      return { account, pace, turn: this.#lineOf(account).turn(request, pace, Date.now(), Math.random()) }
    })
    const taken = given.filter(({ pace, turn }) => pace > 0 && 'go_at' in turn).map(({ account }) => account)
    await this.#keep(taken.filter((account) => this.#lineOf(account).kept.free_at > Date.now() + MIN_KEPT_MS))
    return given.map(({ turn }) => turn)
  }

  async giveBack(account: PacedAccount, ticket: string): Promise<void> {
    this.#lines.get(account)?.giveBack(ticket, Date.now())
  }

  /** Pauses an account for a number of seconds. @returns when the pause is over, ms since epoch */
  async pause(account: PacedAccount, seconds: number | null): Promise<number> {
    const until = this.#lineOf(account).pause(seconds, Date.now(), Math.random())
    await this.#keep([account])
    return until
  }

  /** When the account's current pause is over; in the past if there is none. */
  async pausedUntil(account: PacedAccount): Promise<number> {
    return this.#lines.get(account)?.kept.paused_until ?? 0
  }

  override async alarm(): Promise<void> {
    await this.#deleteIdleLines()
    if (this.#lines.size > 0) await this.ctx.storage.setAlarm(Date.now() + REST_MS)
  }

  #lineOf(account: string): PacerLine {
    const line = this.#lines.get(account) ?? new PacerLine()
    this.#lines.set(account, line)
    return line
  }

  /** Forgets the lines that no one has used for a while. */
  async #deleteIdleLines(): Promise<void> {
    const now = (this.#restedAt = Date.now())
    const resting = [...this.#lines].filter(([, { kept, waiting }]) => {
      return waiting === 0 && Math.max(kept.free_at, kept.paused_until) + REST_MS <= now
    })
    for (const [account] of resting) this.#lines.delete(account)
    const keys = resting.map(([account]) => keyOf(account))
    for (const slice of chunk(keys, MAX_KEYS)) await this.ctx.storage.delete(slice)
  }

  async #keep(accounts: readonly string[]): Promise<void> {
    const entries = [...new Set(accounts)].map((account) => [keyOf(account), this.#lineOf(account).kept])
    if (entries.length === 0) return
    for (const slice of chunk(entries, MAX_KEYS)) await this.ctx.storage.put(Object.fromEntries(slice))
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(Date.now() + REST_MS)
  }

  /** An account's units per second: its setting, read from time to time. Without an answer the pace stays the same. */
  async #paceOf(account: PacedAccount): Promise<number> {
    const pace = paceOf(account)
    if (pace === null) return 0
    const { setting, initial } = pace
    const read = this.#paces.get(setting)
    if (read && Date.now() - read.read_at < SETTING_LIFE_MS) return read.units_per_second
    const units_per_second = await withTimeout(this.#readSetting(setting), MAX_READ_MS).then(
      (value) => unitsIn(value, initial),
      () => read?.units_per_second ?? initial,
    )
    this.#paces.set(setting, { units_per_second, read_at: Date.now() })
    return units_per_second
  }
}

/** The pace in a setting; the initial one if it is not set or not a pace. */
function unitsIn(value: string | null, initial: number): number {
  const units = value === null ? initial : Number(value)
  return units >= 0 && units <= MAX_PACE ? units : initial
}
