import { describe, expect, it } from 'vitest'
import { serve } from './kind-fixtures.ts'
import { KINDS } from './kinds.ts'
import { readKind } from './read-kind.ts'

/** What anything between us and a school may do to an answer: nothing untrue is believed, and nothing hangs. */

/** Turns a true answer into another. */
type Spoil = (answer: Response, input: string) => Response | Promise<Response>

const html = (text: string, init: ResponseInit = {}) =>
  new Response(text, { ...init, headers: { 'content-type': 'text/html', ...init.headers } })
const again = (answer: Response, body: BodyInit | null) =>
  new Response(body, { status: answer.status, headers: answer.headers })

/** A body without an end; counts what is read from it. */
function endless(piece: Uint8Array<ArrayBuffer>, pauseMs: number): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    async pull(controller) {
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs))
      controller.enqueue(piece)
    },
  })
}

const REFUSED: readonly (readonly [what: string, spoil: Spoil])[] = [
  [
    'a sign-in page',
    () =>
      html('<!DOCTYPE html><html><head><title>Sign in</title></head><body><form action="/login"></form></body></html>'),
  ],
  ['a maintenance page as JSON', () => Response.json({ message: 'We are down for maintenance.' })],
  ['an empty body', (answer) => again(answer, '')],
  ['no content', () => new Response(null, { status: 204 })],
  ['blanks', (answer) => again(answer, ' \r\n\t ')],
  [
    'half an answer',
    async (answer) => {
      const text = await answer.text()
      return again(answer, text.slice(0, text.length / 2))
    },
  ],
  [
    'an answer in UTF-16',
    async (answer) => {
      const text = await answer.text()
      return again(answer, new Uint8Array(Uint16Array.from(text, (one) => one.charCodeAt(0)).buffer))
    },
  ],
  ['zero bytes', async (answer) => again(answer, new Uint8Array((await answer.arrayBuffer()).byteLength))],
  [
    'a redirect to another host',
    () => new Response(null, { status: 302, headers: { location: 'https://elsewhere.example.org/' } }),
  ],
  [
    'a redirect inside the network',
    () => new Response(null, { status: 302, headers: { location: 'http://169.254.169.254/' } }),
  ],
  ['a redirect to itself', (_answer, input) => new Response(null, { status: 302, headers: { location: input } })],
  ['an error', () => html('Internal error', { status: 500 })],
  ['too many requests', () => html('Slow down', { status: 429 })],
  ['a body without an end', (answer) => again(answer, endless(new Uint8Array(1024 * 1024).fill(0x20), 0))],
  ['a body that drips', (answer) => again(answer, endless(new Uint8Array([0x20]), 20))],
  ['a connection that breaks', () => Promise.reject(new Error('reset'))],
  ['HTML nested without end', () => html(`<html><body>${'<div>'.repeat(100_000)}`)],
  ['JSON nested without end', (answer) => again(answer, '['.repeat(200_000))],
]

const TRUE: readonly (readonly [what: string, spoil: Spoil])[] = [
  ['with a mark of the encoding', async (answer) => again(answer, `\uFEFF${await answer.text()}`)],
  [
    'as another type',
    async (answer) => {
      const { headers } = answer
      const kept = new Headers(headers)
      kept.set('content-type', 'application/octet-stream')
      return new Response(await answer.text(), { headers: kept })
    },
  ],
  [
    'in small pieces',
    async (answer) => {
      const bytes = new Uint8Array(await answer.arrayBuffer())
      return again(
        answer,
        new ReadableStream({
          start(controller) {
            for (let at = 0; at < bytes.length; at += 7) controller.enqueue(bytes.slice(at, at + 7))
            controller.close()
          },
        }),
      )
    },
  ],
]

describe.each(KINDS.map((fixtures) => ({ fixtures, kind: fixtures.source.kind })))('$kind', ({ fixtures }) => {
  const spoiled = (spoil: Spoil) => ({
    timeout_ms: 150,
    fetch: async (input: string, init: RequestInit) => spoil(await serve(fixtures)(input, init), input),
  })

  it.each(REFUSED)('believes nothing from %s', async (_what, spoil) => {
    const { listed, polled, poll } = await readKind(fixtures, {}, spoiled(spoil))
    expect(listed).toMatchObject({ known: false, why: expect.stringMatching(/\S.*\.$/) })
    // If sections are requested one by one, each of them is unknown.
    expect(polled.known && polled.value.length > 0).toBe(false)
    expect(new Set(Object.values(poll))).toEqual(new Set(['unknown']))
  })

  it.each(TRUE)('reads what is true %s', async (_what, spoil) => {
    const { poll } = await readKind(fixtures, {}, { ...spoiled(spoil), timeout_ms: 5000 })
    expect(poll).toEqual(fixtures.truth)
  })

  it('reads what is true with a letter that is not UTF-8', async () => {
    let damaged = 0
    const damage: Spoil = async (answer) => {
      const bytes = new TextEncoder().encode(await answer.text())
      const at = new TextDecoder('latin1').decode(bytes).indexOf(fixtures.titleWord)
      if (at >= 0) {
        bytes[at] = 0xe9
        damaged++
      }
      return again(answer, bytes)
    }
    const { poll } = await readKind(fixtures, {}, { ...spoiled(damage), timeout_ms: 5000 })
    expect(damaged).toBeGreaterThan(0)
    expect(poll).toEqual(fixtures.truth)
  })
})
