import type { IncomingMessage } from 'node:http'
import type { Listing } from './schools/listing.ts'

/** One request, read completely. */
export interface Call {
  method: string
  /** The path below the stand-in's prefix, beginning with a slash. */
  path: string
  url: URL
  headers: IncomingMessage['headers']
  body: string
  /** The body as received. */
  bytes: Buffer
  cookies: ReadonlyMap<string, string>
  /** When its head arrived, ms since epoch. */
  at: number
  /** What a list still shows, if a fault hides changes from it. */
  listing?: Listing
}

/** One answer, written by the server (which may delay, cut or drop it because of a fault). */
export interface Answer {
  status: number
  headers: Record<string, string | string[]>
  body: string | Buffer
}

export type MaybePromise<T> = T | Promise<T>
export type Handler = (call: Call) => MaybePromise<Answer>

/** A service outside the app: everything under `prefix` belongs to it, and faults are set on it by `service`. */
export interface StandIn {
  service: string
  /** The app's name for the source if the school has several systems; faults may affect it alone. */
  source?: string | undefined
  prefix: string
  answer: Handler
  /** The protocol's own apparently successful answer to this call; null for calls without data. */
  emptyAnswer(call: Call): Answer | null
  /** True for calls that send a message, which `accept_then_*` faults affect. */
  accepts?(call: Call): boolean
  /** True for calls that list many sections, which `stale_list` affects. */
  lists?(call: Call): boolean
  /** The body of a refusal in the service's own words. */
  errorBody(status: 429 | 500): { type: string; body: string }
}

const MAX_BODY = 5_000_000

/** Reads a request completely. Throws if its body is larger than the world ever needs. */
export async function readCall(request: IncomingMessage): Promise<Call> {
  const at = Date.now()
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
    at,
  }
}

/** Cloudflare's answer to a client that does not name itself, given before the service behind it sees the request. */
export function refusalOfNameless(call: Call): Answer | null {
  return call.headers['user-agent'] === undefined ? text('error code: 1010', 403) : null
}

export function formOf(call: Call): URLSearchParams {
  return new URLSearchParams(call.body)
}

/** The body as a JSON object, or null if it is not one. */
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
