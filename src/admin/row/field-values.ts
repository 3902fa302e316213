import type { AdminKey, AdminValue } from '../../web/admin-change.ts'
import type { AdminChoice } from '../../web/admin-table.ts'
import { typedLine, typedLines, withPlainEnds } from '../../lib/text.ts'
import { parseLocalTime, wallClock } from '../../lib/time.ts'
import type { Field, Tables } from '../table.ts'
import { parseKey } from '../table-parts.ts'

/** The value of the typed text, or why it has none. */
type Parsed = { value: AdminValue } | { error: string }

export const requiredText = 'This field is required.'
const MAX_LINE_LENGTH = 1000
const MAX_TEXT_LENGTH = 10_000

export const lengthLimit = (field: Field): number | undefined => {
  if (field.kind === 'text') return field.maximum ?? MAX_LINE_LENGTH
  if (field.kind === 'long_text' || field.kind === 'json') return field.maximum ?? MAX_TEXT_LENGTH
  return undefined
}

export function shownValue(field: Field, value: AdminValue, timeZone: string): string {
  if (value === null) return ''
  if (field.kind === 'moment' && typeof value === 'number') return wallClock(value, timeZone)
  return String(value)
}

interface Typed {
  typed: string
  /** The stored value: a time that was not edited keeps its milliseconds, and a text its spaces. */
  known: AdminValue
  timeZone: string
}

export function parseValue(tables: Tables, field: Field, { typed, known, timeZone }: Typed): Parsed {
  if (field.kind === 'boolean') return { value: /^(?:|0|off|false|no)$/i.test(typed.trim()) ? 0 : 1 }
  if (isUntouchedText(field, typed, known)) return { value: known }
  const hasLines = field.kind === 'long_text' || field.kind === 'json'
  const text = hasLines ? typedLines(typed) : typedLine(typed)
  if (text === '') return emptyValue(field)
  const parsed = parseFilled(tables, field, { typed: text, known, timeZone })
  if ('error' in parsed || parsed.value === null || !field.check) return parsed
  const error = field.check(parsed.value)
  return error === null ? parsed : { error }
}

/** Text from a school is neither cleaned nor refused when another field is saved. */
function isUntouchedText({ kind }: Field, typed: string, known: AdminValue): boolean {
  if ((kind !== 'text' && kind !== 'long_text') || typeof known !== 'string' || known === '') return false
  return withPlainEnds(typed) === withPlainEnds(known)
}

/** A new row's value where its form is empty. */
export function initialValue(field: Field): AdminValue {
  if (field.initial !== undefined) return field.initial
  return field.kind === 'boolean' ? 0 : emptyOf(field)
}

function emptyValue(field: Field): Parsed {
  return field.isRequired ? { error: requiredText } : { value: emptyOf(field) }
}

const emptyOf = ({ kind, emptyIsNull }: Field): '' | null =>
  (kind === 'text' || kind === 'long_text') && !emptyIsNull ? '' : null

function parseFilled(tables: Tables, field: Field, { typed: text, known, timeZone }: Typed): Parsed {
  switch (field.kind) {
    case 'text':
    case 'long_text':
      return ofLength(field, text)
    case 'json':
      return isJson(text) ? ofLength(field, text) : { error: 'Enter valid JSON.' }
    case 'integer':
      return parseInteger(field, text)
    case 'moment': {
      const value = parseLocalTime(text, timeZone)
      if (value === null) return { error: 'Enter a date and time, e.g. 2026-11-21 14:05.' }
      return { value: shownValue(field, value, timeZone) === shownValue(field, known, timeZone) ? known : value }
    }
    case 'choice':
      return isAmong(field.choices, text) || text === known ? { value: text } : { error: 'Select a valid choice.' }
    case 'reference': {
      const target = tables.get(field.to)
      const value: AdminKey | null = target ? parseKey(target, text) : null
      return value === null ? { error: 'Select a valid choice.' } : { value }
    }
    case 'boolean':
      return { value: 1 }
  }
}

const isAmong = (choices: readonly AdminChoice[], text: string): boolean => choices.some(({ value }) => value === text)

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function ofLength(field: Field, text: string): Parsed {
  const length = Array.from(text).length
  const maximum = lengthLimit(field)
  if (maximum !== undefined && length > maximum)
    return { error: `Ensure this value has at most ${maximum} characters.` }
  const minimum = field.kind === 'text' || field.kind === 'long_text' ? (field.minimum ?? 0) : 0
  if (length < minimum) return { error: `Ensure this value has at least ${minimum} characters.` }
  return { value: text }
}

function parseInteger(field: Extract<Field, { maximum?: number }>, text: string): Parsed {
  const value = /^[+-]?\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  if (!Number.isSafeInteger(value)) return { error: 'Enter a whole number.' }
  if (field.minimum !== undefined && value < field.minimum) {
    return { error: `Ensure this value is greater than or equal to ${field.minimum}.` }
  }
  if (field.maximum !== undefined && value > field.maximum) {
    return { error: `Ensure this value is less than or equal to ${field.maximum}.` }
  }
  return { value: Object.is(value, -0) ? 0 : value }
}
