import type { Page } from './http.ts'

/** An answer as JSON, of whatever form; undefined when it is none, or not whole. */
export function parsePage({ bytes }: Pick<Page, 'bytes'>): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}
