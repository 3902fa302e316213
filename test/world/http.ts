import type { IncomingMessage } from 'node:http'
import type { Listing } from './schools/listing.ts'

/** One request, read whole. */
export interface Call {
  method: string
  /** Path below the stand-in's prefix, beginning with a slash. */
  path: string
  url: URL
  headers: IncomingMessage['headers']
  body: string
  /** The body as it came. */
  bytes: Buffer
  cookies: ReadonlyMap<string, string>
  /** What a list still shows, where a fault keeps it from what has changed. */
  listing?: Listing
}

/** One answer, written by the server (which may delay, cut or drop it when a fault says so). */
export interface Answer {
  status: number
  headers: Record<string, string | string[]>
  body: string | Buffer
}

export type MaybePromise<T> = T | Promise<T>
export type Handler = (call: Call) => MaybePromise<Answer>

/** Something outside the app: everything under `prefix` is its, and faults are set on it by `service`. */
export interface StandIn {
  service: string
  /** Name of the app's source where the school has several systems; faults may strike it alone. */
  source?: string | undefined
  prefix: string
  answer: Handler
  /** The protocol's own looks-like-success answer to this call; null for calls that carry no data. */
  emptyAnswer(call: Call): Answer | null
  /** True for the calls that hand a message over, which `accept_then_*` faults strike. */
  accepts?(call: Call): boolean
  /** True for the calls that list many sections, which `stale_list` strikes. */
  lists?(call: Call): boolean
  /** Body of a refusal in the service's own words. */
  errorBody(status: 429 | 500): { type: string; body: string }
}

const MAX_BODY = 5_000_000

/** Reads a request whole. Throws when its body is larger than the world ever needs. */
export async function readCall(request: IncomingMessage): Promise<Call> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_BODY) throw new Error('request body too large')
    chunks.push(chunk)
  }
  const bytes = Buffer.concat(chunks)
  const url = new URL(request.url ?? '/', 'http://localhost')
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim())
  const cookies = pairs.flatMap((pair): [string, string][] => {
    const cut = pair.indexOf('=')
    return cut > 0 ? [[pair.slice(0, cut), pair.slice(cut + 1)]] : []
  })
  return {
    method: request.method ?? 'GET',
    path: url.pathname,
    url,
    headers: request.headers,
    body: bytes.toString('utf8'),
    bytes,
    cookies: new Map(cookies),
  }
}

export function formOf(call: Call): URLSearchParams {
  return new URLSearchParams(call.body)
}

/** The body as a JSON object, or null when it is not one. */
export function jsonObjectOf(call: Call): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(call.body)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
  } catch {
    return null
  }
}

export function json(value: unknown, status = 200, headers: Answer['headers'] = {}): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json;charset=UTF-8', ...headers },
    body: JSON.stringify(value),
  }
}

export function html(body: string, status = 200, headers: Answer['headers'] = {}): Answer {
  return { status, headers: { 'content-type': 'text/html;charset=UTF-8', ...headers }, body }
}

export function text(body: string, status = 200): Answer {
  return { status, headers: { 'content-type': 'text/plain;charset=UTF-8' }, body }
}

export function escapeHtml(value: string): string {
  return value
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}

/** Adds `Set-Cookie` lines to an answer that may already have some. */
export function withCookies(answer: Answer, cookies: readonly string[]): Answer {
  if (cookies.length === 0) return answer
  const existing = answer.headers['set-cookie']
  const before = existing === undefined ? [] : Array.isArray(existing) ? existing : [existing]
  return { ...answer, headers: { ...answer.headers, 'set-cookie': [...before, ...cookies] } }
}
