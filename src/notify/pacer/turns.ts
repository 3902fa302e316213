import { orWarn } from '../../lib/fallbacks.ts'
import { withTimeout } from '../../lib/time.ts'
import type { Pause } from '../channel.ts'
import { type Go, NEAR_MS, type Turn, type TurnRequest } from './line.ts'
import type { AccountPacer, AskedTurn } from './pacer.ts'
import type { PacedAccount } from '../addresses.ts'

type Pacers = DurableObjectNamespace<AccountPacer>

/** When to ask again, in ms, and the job's priority then; unchanged if absent. */
export interface TryLater {
  come_back_at: number
  priority?: number
}

const ANSWER_MS = 3000
/** How long before its slot a job comes back, in ms. */
const EARLY_MS = 80
/** For a job that comes back for its slot, so that a group asking for the first time does not delay it. */
const SLOT_PRIORITY = 20
/** For a job that comes back without a slot, so that first requests of another channel leave none unused. */
const WAITING_PRIORITY = 15
/** A pacer that does not answer is asked again after about this time, in ms. */
const ASK_AGAIN_MS = 2000

/** How many objects all webhooks share: most get one message, for which an object of their own would be a waste. */
const WEBHOOK_PACERS = 8

const isWebhook = (account: string): boolean => account.startsWith('discord:')

/** The name of the object that gives an account its turns. */
export function pacerNameOf(account: PacedAccount): string {
  if (!isWebhook(account)) return account
  const sum = Array.from(account).reduce((total, character) => total + (character.codePointAt(0) ?? 0), 0)
  return `discord-${sum % WEBHOOK_PACERS}`
}

const pacerOf = (pacers: Pacers, account: PacedAccount) => pacers.get(pacers.idFromName(pacerNameOf(account)))

export type TurnAnswer = Go | TryLater

/**
 * Asks for a turn at a provider account without waiting for it. A webhook's turn is also subject to Discord's global
 * pauses. Never rejects: if the pacer cannot be reached, the answer is to come back.
 * @param nearMs a turn that begins within this many ms is worth waiting for
 */
export async function askTurn(
  pacers: Pacers,
  account: PacedAccount,
  request: TurnRequest,
  nearMs: number = NEAR_MS,
): Promise<TurnAnswer> {
  const [answer] = await askTurns(pacers, [{ account, request }], nearMs)
  return answer ?? { come_back_at: Date.now() + ASK_AGAIN_MS }
}

/** The same for several requests, in one call to each pacer. */
export async function askTurns(
  pacers: Pacers,
  asked: readonly AskedTurn[],
  nearMs: number = NEAR_MS,
): Promise<TurnAnswer[]> {
  const turns = new Map<AskedTurn, Turn | undefined>()
  const byPacer = Map.groupBy(asked, ({ account }) => pacerNameOf(account))
  // Discord's global pauses are those of one object, however many webhooks are asked about.
  const globalPause = asked.some(({ account }) => isWebhook(account))
    ? pacerOf(pacers, 'discord').pausedUntil('discord')
    : 0
  await Promise.all(
    Array.from(byPacer.values(), async (all) => {
      const given = await ask(pacers, all, globalPause)
      for (const [index, one] of all.entries()) turns.set(one, given[index])
    }),
  )
  return asked.map((one) => near(turns.get(one), nearMs))
}

/** A waiting job occupies its consumer, so it comes back for a later slot, which remains the ticket's. */
function near(turn: Turn | undefined, nearMs: number): TurnAnswer {
  if (turn === undefined) return { come_back_at: Date.now() + ASK_AGAIN_MS }
  if ('come_back_at' in turn) return { ...turn, priority: WAITING_PRIORITY }
  if (turn.go_at <= Date.now() + nearMs) return turn
  return { come_back_at: Math.floor(turn.go_at - EARLY_MS), priority: SLOT_PRIORITY }
}

/** Asks again after each wait until the turn begins: then null, otherwise when to come back. Never rejects. */
export async function awaitTurn(ask: () => Promise<TurnAnswer>, now: () => number): Promise<TryLater | null> {
  for (;;) {
    const turn = await ask()
    if ('come_back_at' in turn) return turn
    const wait = turn.go_at - now()
    if (wait <= 0) return null
    await scheduler.wait(wait)
  }
}

/**
 * Asks one pacer, whose accounts are all webhooks or none is. @param globalPause when webhooks may be called again, in ms
 */
async function ask(pacers: Pacers, asked: AskedTurn[], globalPause: PromiseLike<number> | number): Promise<Turn[]> {
  const [first] = asked
  if (first === undefined) return []
  const { account } = first
  try {
    const [turns, pausedUntil] = await withTimeout(
      Promise.all([pacerOf(pacers, account).turns(asked), isWebhook(account) ? globalPause : 0]),
      ANSWER_MS,
    )
    if (pausedUntil <= Date.now()) return turns
    await Promise.all(asked.map((one) => returnTurn(pacers, one.account, one.request.ticket)))
    return asked.map(() => ({ come_back_at: Math.ceil(pausedUntil + Math.random() * ASK_AGAIN_MS) }))
  } catch (error) {
    console.warn({ event: 'pacer_not_reached', account, error: String(error) })
    return asked.map(() => ({ come_back_at: Math.ceil(Date.now() + ASK_AGAIN_MS * (0.5 + Math.random())) }))
  }
}

/** Returns an unneeded turn. Never rejects, because an unused slot only costs time. */
export async function returnTurn(pacers: Pacers, account: PacedAccount, ticket: string): Promise<void> {
  const given = withTimeout(pacerOf(pacers, account).giveBack(account, ticket), ANSWER_MS)
  await orWarn(given, { event: 'pacer_not_reached', account }, undefined)
}

/** Records that the provider asked for a pause. Never rejects. @returns when it is over, ms since epoch */
export async function orderPause(
  pacers: Pacers,
  account: PacedAccount,
  { seconds, is_global }: Pause,
): Promise<number> {
  const pausedAccount: PacedAccount = is_global && isWebhook(account) ? 'discord' : account
  const paused = withTimeout(pacerOf(pacers, pausedAccount).pause(pausedAccount, seconds), ANSWER_MS)
  const until = await orWarn(paused, { event: 'pacer_not_reached', account }, null)
  return until ?? Date.now() + Math.max(ASK_AGAIN_MS, (seconds ?? 0) * 1000)
}
