import { parseJson } from '../lib/text.ts'
import { known, type Unknown, unknown } from './answer.ts'
import { isHtml, type Page } from './http.ts'
import { MalformedJson } from './json-bytes.ts'
import { type JsonRows, readJsonRows } from './json-rows.ts'
import type { Answer } from './source.ts'
import { preview } from './text.ts'

const UTF8 = new TextDecoder()

/** An answer as {@link parseJson} reads it. */
export const parsePage = ({ bytes }: Pick<Page, 'bytes'>): unknown => parseJson(UTF8.decode(bytes))

/** Null if the answer may be JSON. @param wanted "its terms" */
export function refuseHtml(page: Page, wanted: string): Unknown | null {
  return isHtml(page) ? unknown('not_the_protocol', `The school returned a web page instead of ${wanted}.`) : null
}

/** An answer as JSON of any shape; unknown if it is a web page or not complete. @param wanted "its terms" */
export function readJson(page: Page, wanted: string): Answer<unknown> {
  const refusal = refuseHtml(page, wanted)
  if (refusal !== null) return refusal
  const value = parsePage(page)
  return value === undefined ? unknown('incomplete', "The school's response is not complete JSON.") : known(value)
}

/** A large answer as {@link readJsonRows} reads it; unknown if it is a web page or not complete. @param wanted "sections" */
export function readRows(page: Page, wanted: string, key: string, visit: (row: unknown) => void): Answer<JsonRows> {
  const refusal = refuseHtml(page, wanted)
  if (refusal !== null) return refusal
  try {
    return known(readJsonRows(page.bytes, key, visit))
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error
    return unknown('incomplete', `The school's response is not complete JSON: ${error.message}`)
  }
}

export type Row = Readonly<Record<string, unknown>>

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What a list left out, and that some of it was not valid text. @param unidentified rows that are left out */
export function listWarnings(unidentified: number, count: number, isReadable: boolean): string[] {
  const warnings = unidentified === 0 ? [] : [`${unidentified} of ${count} rows do not say which section they are.`]
  if (!isReadable) warnings.push('Some characters could not be read.')
  return warnings
}

/** A figure of a row, as {@link figureOf} reads it. */
export function readFigure(row: Row, name: string, doubts: string[]): number | null {
  return figureOf(row[name], name, doubts)
}

/** A figure: a whole number, or one in a string. Null if there is none; anything else is a doubt. */
export function figureOf(value: unknown, name: string, doubts: string[]): number | null {
  if (typeof value === 'number' && Number.isInteger(value)) return value
  if (value === null || value === undefined) return null
  if (typeof value === 'string' && /^\s*-?\d{1,9}\s*$/.test(value)) return Number(value)
  doubts.push(`The figure ${name} is not a whole number (${preview(value, 40)}).`)
  return null
}
