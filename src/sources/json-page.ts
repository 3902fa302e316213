import type { Page } from './http.ts'

const UTF8 = new TextDecoder()

/** An answer as JSON, of whatever form; undefined when it is none, or not whole. */
export function parsePage({ bytes }: Pick<Page, 'bytes'>): unknown {
  try {
    return JSON.parse(UTF8.decode(bytes))
  } catch {
    return undefined
  }
}
