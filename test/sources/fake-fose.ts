import { readFileSync } from 'node:fs'
import type { SourceAddress } from '../../src/sources/source.ts'

export const FAKE_FOSE: SourceAddress = { url: 'https://classes.example.edu/api', settings: {} }

/** A handmade fixture, as text. */
export function fixture(name: 'home.html' | 'search.json' | 'details.json'): string {
  return readFileSync(new URL(`fose/${name}`, import.meta.url), 'utf8')
}

export interface Asked {
  route: 'home' | 'search' | 'details'
  body: Record<string, unknown> | null
}

/** A school in memory, which answers with the fixtures by default. `asked` has every call. */
export function fakeFose(answers: Partial<Record<Asked['route'], (asked: Asked) => Response>> = {}) {
  const asked: Asked[] = []
  const fetch = (input: string, init: RequestInit): Promise<Response> => {
    const { pathname, searchParams } = new URL(input)
    const isHome = pathname === '/'
    if (!isHome && (pathname !== '/api/' || searchParams.get('page') !== 'fose')) throw new Error(`asked ${input}`)
    const route = isHome ? 'home' : searchParams.get('route') === 'details' ? 'details' : 'search'
    const body = typeof init.body === 'string' ? (JSON.parse(init.body) as Record<string, unknown>) : null
    const call: Asked = { route, body }
    asked.push(call)
    return Promise.resolve(
      answers[route]?.(call) ?? new Response(fixture(route === 'home' ? 'home.html' : `${route}.json`)),
    )
  }
  return { fetch, asked }
}
