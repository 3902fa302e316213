import { readFileSync } from 'node:fs'
import type { SourceAddress } from '../../src/sources/source.ts'

export const FAKE_COLLEAGUE: SourceAddress = { url: 'https://selfservice.example.edu/Student', settings: {} }

/** A handmade fixture, as text. */
export function fixture(name: 'catalog.html' | `${string}.json`): string {
  return readFileSync(new URL(`colleague/${name}`, import.meta.url), 'utf8')
}

export interface Asked {
  path: string
  token: string | null
  cookie: string | null
  body: Record<string, unknown> | null
}

/** Answers by the name of the call; all others are not found. */
export type Answers = Record<string, (asked: Asked) => Response | Promise<Response>>

/**
 * A school in memory: its first page is the fixture's, with a cookie, and the other calls answer as the test says.
 * `asked` has every call.
 */
export function fakeColleague(answers: Answers) {
  const asked: Asked[] = []
  const fetch = async (input: string, init: RequestInit): Promise<Response> => {
    const headers = new Headers(init.headers)
    const call: Asked = {
      path: new URL(input).pathname.replace(/^\/Student\//, ''),
      token: headers.get('__RequestVerificationToken'),
      cookie: headers.get('cookie'),
      body: typeof init.body === 'string' ? (JSON.parse(init.body) as Record<string, unknown>) : null,
    }
    asked.push(call)
    const answer = answers[call.path]
    if (answer !== undefined) return answer(call)
    if (call.path !== 'Courses') return new Response('', { status: 404 })
    const cookie = `.ColleagueSelfServiceAntiforgery=c${asked.length}; Path=/Student; HttpOnly; Secure`
    return new Response(fixture('catalog.html'), { headers: { 'set-cookie': cookie } })
  }
  return { fetch, asked }
}
