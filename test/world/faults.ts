import type { ServerResponse } from 'node:http'
import { html, json, type Answer, type Call, type StandIn } from './http.ts'
import type { Listing } from './schools/listing.ts'

export const MODES = [
  'http_500',
  'http_429',
  'timeout',
  'reset',
  'empty',
  'maintenance_html',
  'truncated',
  'slow',
  'stale_list',
  'accept_then_timeout',
  'accept_then_reset',
  'rate',
] as const
export type Mode = (typeof MODES)[number]

export interface Fault {
  service: string
  mode: Mode
  /** How many more answers it affects; null until cleared. */
  times: number | null
  /** In mode `rate`: how many messages it accepts in any second. */
  per_second?: number
}

/** A body that takes longer than this is not compared with requests that arrived while it was read, in ms. */
const KEPT_MS = 10_000

/** A fault as it affects one call. */
interface Strike {
  mode: Mode
  /** The answer of `empty`. */
  empty: Answer | null
  /** What `stale_list` still shows. */
  listing: Listing | null
}

/** The faults now active, at most one per service. */
export class Faults {
  readonly #active = new Map<string, Fault & { listing: Listing | null }>()
  /** When the messages arrived that services with a rate accepted recently, in ms. */
  readonly #taken = new Map<string, number[]>()

  /**
   * `listing`: for `stale_list`, what the school's lists continue to show; its pages of single sections are current.
   */
  set(fault: Fault, listing: Listing | null = null): void {
    this.#active.set(fault.service, { ...fault, listing })
    this.#taken.delete(fault.service)
  }

  /** Clears one service, or all. */
  clear(service?: string): void {
    if (service === undefined) this.#active.clear()
    else this.#active.delete(service)
  }

  list(): Fault[] {
    return [...this.#active.values()].map(({ service, mode, times, per_second }) => ({
      service,
      mode,
      times,
      ...(per_second !== undefined && { per_second }),
    }))
  }

  /** The fault that affects this call, counted down; null if there is none. */
  strike(standIn: StandIn, call: Call): Strike | null {
    const fault = this.#active.get(standIn.source ?? '') ?? this.#active.get(standIn.service)
    if (!fault) return null
    const empty = fault.mode === 'empty' ? standIn.emptyAnswer(call) : null
    if (fault.mode === 'empty' && empty === null) return null
    if (fault.mode.startsWith('accept_then') && !standIn.accepts?.(call)) return null
    if (fault.mode === 'stale_list' && !standIn.lists?.(call)) return null
    if (fault.mode === 'rate' && (!standIn.accepts?.(call) || this.#takes(fault, call.at))) return null
    if (fault.times !== null) {
      fault.times -= 1
      if (fault.times <= 0) this.#active.delete(fault.service)
    }
    return { mode: fault.mode, empty, listing: fault.listing }
  }

  /**
   * Whether no second would have more messages than allowed with this one, by the times at which their heads arrived: a
   * gateway counts a request before it reads the body. Refused ones do not count.
   */
  #takes({ service, per_second = 1 }: Fault, at: number): boolean {
    const taken = (this.#taken.get(service) ?? []).filter((other) => other > at - KEPT_MS)
    const all = [...taken, at]
    const inSecondBefore = (end: number): number => all.filter((one) => one > end - 1000 && one <= end).length
    const hasRoom = all.every((end) => end < at || inSecondBefore(end) <= per_second)
    this.#taken.set(service, hasRoom ? all : taken)
    return hasRoom
  }
}

/** What to do with a socket once the answer is known. */
export type Outcome =
  | { kind: 'answer'; answer: Answer; delayMs: number }
  | { kind: 'cut'; answer: Answer; cleanly: boolean }
  | { kind: 'hang' }
  | { kind: 'reset' }

const MAINTENANCE = `<!DOCTYPE html>
<html><head><title>Scheduled maintenance</title></head>
<body><h1>We'll be right back</h1><p>This service is down for scheduled maintenance. Please try again later.</p></body></html>
`

let cuts = 0

/** Plays one fault. Handlers run only if the request would have reached the application behind the failing part. */
export async function playFault(
  { mode, empty, listing }: Strike,
  standIn: StandIn,
  call: Call,
  timing: { slowMs: number; retryAfterSeconds: number },
): Promise<Outcome> {
  const answered = (answer: Answer, delayMs = 0): Outcome => ({ kind: 'answer', answer, delayMs })
  const refusal = (status: 429 | 500, headers: Answer['headers'] = {}): Outcome => {
    const { type, body } = standIn.errorBody(status)
    return answered({ status, headers: { 'content-type': type, ...headers }, body })
  }
  switch (mode) {
    case 'http_500':
      return refusal(500)
    case 'http_429':
      return refusal(429, { 'retry-after': String(timing.retryAfterSeconds) })
    case 'rate':
      return refusal(429, { 'retry-after': '1' })
    case 'timeout':
      return { kind: 'hang' }
    case 'reset':
      return { kind: 'reset' }
    case 'empty':
      return answered(empty ?? json({}))
    case 'maintenance_html':
      return answered(html(MAINTENANCE))
    case 'truncated':
      return { kind: 'cut', answer: await standIn.answer(call), cleanly: cuts++ % 2 === 1 }
    case 'slow':
      return answered(await standIn.answer(call), timing.slowMs)
    case 'stale_list':
      return answered(await standIn.answer(listing === null ? call : { ...call, listing }))
    case 'accept_then_timeout':
      await standIn.answer(call)
      return { kind: 'hang' }
    case 'accept_then_reset':
      await standIn.answer(call)
      return { kind: 'reset' }
  }
}

/** Sends an outcome. A hanging request keeps its socket until the client leaves or the world closes. */
export function carryOut(outcome: Outcome, response: ServerResponse): void {
  if (outcome.kind === 'hang') return
  if (outcome.kind === 'reset') {
    response.socket?.resetAndDestroy()
    return
  }
  const { status, headers, body } = outcome.answer
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body)
  if (outcome.kind === 'answer') {
    const send = (): void => {
      if (response.destroyed) return
      if (status === 204) response.writeHead(status, headers).end()
      else response.writeHead(status, { ...headers, 'content-length': bytes.length }).end(bytes)
    }
    if (outcome.delayMs > 0) setTimeout(send, outcome.delayMs).unref()
    else send()
    return
  }
  const half = bytes.subarray(0, Math.floor(bytes.length / 2))
  if (outcome.cleanly) {
    response.writeHead(status, { ...headers, 'content-length': half.length }).end(half)
    return
  }
  response.writeHead(status === 204 ? 200 : status, { ...headers, 'content-length': bytes.length + 1 })
  response.write(half.length > 0 ? half : ' ', () => response.socket?.destroy())
}
