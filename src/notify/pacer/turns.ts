import { inTime } from '../../lib/in-time.ts'
import type { Pause } from '../channel.ts'
import { HOLD_MS, type Turn, type TurnRequest } from './line.ts'
import type { AccountPacer } from './pacer.ts'
import type { PacedAccount } from './paces.ts'

/** The binding of the pacers. */
export type Pacers = DurableObjectNamespace<AccountPacer>

/** When to ask again, ms, and with which priority a job should; as before without one. */
export interface ComeBack {
  come_back_at: number
  priority?: number
}

const answerMs = 3000
/** It comes back so long before its slot, ms. */
const earlyMs = 80
/** Of a job that comes back for its slot: a whole group that asks for the first time does not make it late. */
const slotPriority = 20
/** When a pacer gives no answer, it is asked again about this much later, ms. */
const askAgainMs = 2000

/**
 * Asks for a turn at a provider account, which may begin in a moment; waits for nothing. A webhook's turn is also subject to what Discord ordered for all.
 * Never rejects: a pacer that cannot be reached says to come back.
 */
export async function askTurn(
  pacers: Pacers,
  account: PacedAccount,
  request: TurnRequest,
): Promise<{ go_at: number } | ComeBack> {
  const turn = await ask(pacers, account, request)
  // A waiting job holds a lane that others need.
  if ('come_back_at' in turn || turn.go_at <= Date.now() + HOLD_MS) return turn
  // The slot stays the ticket's.
  return { come_back_at: Math.floor(turn.go_at - earlyMs), priority: slotPriority }
}

/**
 * Asks for a turn and waits until it begins, asking again after each wait. Never rejects.
 * @param now the clock, ms since epoch
 * @param asked the turn, if it was asked for already
 * @returns null when it has begun, else when to come back
 */
export async function awaitTurn(
  pacers: Pacers,
  account: PacedAccount,
  request: TurnRequest,
  now: () => number,
  asked?: { go_at: number },
): Promise<ComeBack | null> {
  for (let known = asked; ; known = undefined) {
    const turn = known ?? (await askTurn(pacers, account, request))
    if ('come_back_at' in turn) return turn
    const wait = turn.go_at - now()
    if (wait <= 0) return null
    await scheduler.wait(wait)
  }
}

async function ask(pacers: Pacers, account: PacedAccount, request: TurnRequest): Promise<Turn> {
  try {
    const [turn, silentUntil] = await inTime(
      Promise.all([
        pacers.get(pacers.idFromName(account)).turn(request),
        account.startsWith('discord:') ? pacers.get(pacers.idFromName('discord')).pausedUntil() : 0,
      ]),
      answerMs,
    )
    if (silentUntil <= Date.now()) return turn
    await giveBackTurn(pacers, account, request.ticket)
    return { come_back_at: Math.ceil(silentUntil + Math.random() * askAgainMs) }
  } catch (error) {
    console.warn({ event: 'pacer_not_reached', account, error: String(error) })
    return { come_back_at: Math.ceil(Date.now() + askAgainMs * (0.5 + Math.random())) }
  }
}

/** What was asked for is not needed. Never rejects: an unused slot is only lost time. */
export async function giveBackTurn(pacers: Pacers, account: PacedAccount, ticket: string): Promise<void> {
  try {
    await inTime(pacers.get(pacers.idFromName(account)).giveBack(ticket), answerMs)
  } catch (error) {
    console.warn({ event: 'pacer_not_reached', account, error: String(error) })
  }
}

/**
 * Passes on that the provider wants a pause. Never rejects.
 * @returns when it is over, ms since epoch
 */
export async function orderPause(
  pacers: Pacers,
  account: PacedAccount,
  { seconds, is_global }: Pause,
): Promise<number> {
  const silenced = is_global && account.startsWith('discord:') ? 'discord' : account
  try {
    return await inTime(pacers.get(pacers.idFromName(silenced)).pause(seconds), answerMs)
  } catch (error) {
    console.warn({ event: 'pacer_not_reached', account, error: String(error) })
    return Date.now() + Math.max(askAgainMs, (seconds ?? 0) * 1000)
  }
}
