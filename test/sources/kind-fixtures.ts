import { readFileSync } from 'node:fs'
import type { Group, Source, SourceAddress, Status } from '../../src/sources/source.ts'

/** A request as a fixture sees it. */
export interface FixtureCall {
  url: URL
  method: string
  /** The form or the JSON that was sent; '' for a GET. */
  body: string
}

/**
 * A handmade school of one kind: files beside `test/sources/<kind>/fixtures.ts`, and which of them answers which
 * request. The tests of altered answers use it for every kind.
 */
export interface KindFixtures {
  source: Source
  address: SourceAddress
  /** The group of all sections. */
  group: Group
  /** Every section of the group by its key. */
  truth: Readonly<Record<string, Status>>
  /** The answers' texts by name. */
  files: Readonly<Record<string, string>>
  /** The name of the file that answers; null for "not found". A lost or repeated call gets the same answer. */
  answer: (call: FixtureCall) => string | null
  /** A word of a title in these files, in which a letter is made unreadable. */
  titleWord: string
  /** The files with the seats, which are altered. */
  altered: readonly string[]
  /** Sent with every answer, such as a cookie. */
  headers?: Readonly<Record<string, string>>
}

/** The text of a file in a kind's folder. */
export function fixtureText(kind: string, name: string): string {
  return readFileSync(new URL(`${kind}/${name}`, import.meta.url), 'utf8')
}

/** A `fetch` that answers with the fixtures, some texts replaced by altered ones. */
export function serve(fixtures: KindFixtures, altered: Readonly<Record<string, string>> = {}) {
  return async (input: string, init: RequestInit): Promise<Response> => {
    const { body } = init
    const sent = typeof body === 'string' ? body : body instanceof URLSearchParams ? String(body) : ''
    const name = fixtures.answer({ url: new URL(input), method: init.method ?? 'GET', body: sent })
    if (name === null) return new Response('', { status: 404 })
    const text = altered[name] ?? fixtures.files[name]
    if (text === undefined) throw new Error(`${fixtures.source.kind} has no fixture ${name}.`)
    const type = /^\s*</.test(fixtures.files[name] ?? '') ? 'text/html' : 'application/json'
    return new Response(text, { headers: { 'content-type': type, ...fixtures.headers } })
  }
}
