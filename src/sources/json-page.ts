import { known, unknown } from './answer.ts'
import { isHtml, type Page } from './http.ts'
import { type JsonRows, MalformedJson, readJsonRows } from './json-rows.ts'
import type { Answer } from './source.ts'
import { preview } from './text.ts'

const UTF8 = new TextDecoder()

/** JSON of any shape; undefined if it is not JSON or not complete. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** An answer as {@link parseJson} reads it. */
export const parsePage = ({ bytes }: Pick<Page, 'bytes'>): unknown => parseJson(UTF8.decode(bytes))

/** An answer as JSON of any shape; unknown if it is a web page or not complete. @param wanted "its terms" */
export function readJson(page: Page, wanted: string): Answer<unknown> {
  if (isHtml(page)) return unknown('not_the_protocol', `The school answered with a web page instead of ${wanted}.`)
  const value = parsePage(page)
  return value === undefined ? unknown('incomplete', "The school's answer is not whole JSON.") : known(value)
}

/** A large answer as {@link readJsonRows} reads it; unknown if it is a web page or not complete. @param wanted "sections" */
export function readRows(page: Page, wanted: string, key: string, visit: (row: unknown) => void): Answer<JsonRows> {
  if (isHtml(page)) return unknown('not_the_protocol', `The school answered with a web page instead of ${wanted}.`)
  try {
    return known(readJsonRows(page.bytes, key, visit))
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error
    return unknown('incomplete', `The school's answer is not whole JSON: ${error.message}`)
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A figure of a row: a whole number, or one in a string. Null if the row has none; anything else is a doubt. */
export function readFigure(row: Readonly<Record<string, unknown>>, name: string, doubts: string[]): number | null {
  const value = row[name]
  if (typeof value === 'number' && Number.isInteger(value)) return value
  if (value === null || value === undefined) return null
  if (typeof value === 'string' && /^\s*-?\d{1,9}\s*$/.test(value)) return Number(value)
  doubts.push(`The figure ${name} is not a whole number (${preview(value, 40)}).`)
  return null
}
