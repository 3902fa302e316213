import { preview } from './text.ts'

/** A figure of a row: a whole number, or one in a string. Null if the row has none; anything else is a doubt. */
export function readFigure(row: Readonly<Record<string, unknown>>, name: string, doubts: string[]): number | null {
  const value = row[name]
  if (typeof value === 'number' && Number.isInteger(value)) return value
  if (value === null || value === undefined) return null
  if (typeof value === 'string' && /^\s*-?\d{1,9}\s*$/.test(value)) return Number(value)
  doubts.push(`The figure ${name} is not a whole number (${preview(value, 40)}).`)
  return null
}
