import type { Page } from './http.ts'

const UTF8 = new TextDecoder()

/** An answer as JSON of any shape; undefined if it is not JSON or not complete. */
export function parsePage({ bytes }: Pick<Page, 'bytes'>): unknown {
  try {
    return JSON.parse(UTF8.decode(bytes))
  } catch {
    return undefined
  }
}
