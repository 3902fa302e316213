import { replaceCodePoint } from 'entities/decode'
import { NAMES, NAMES_WITHOUT_SEMICOLON } from './reference-names.ts'

/** Where a text is from: `strict` says that only references that end in a semicolon count. */
type Place = 'strict' | 'text' | 'attribute'
type Names = ReadonlyMap<string, string>

interface Tables {
  all: Names
  withoutSemicolon: Names
}

interface Reference {
  character: string
  /** Where the text goes on. */
  end: number
}

/** The longest name in the tables. */
const MAX_NAME = 22
const MAX_NAME_WITHOUT_SEMICOLON = 6
const NUMBER = /#(?:x([\da-f]+)|(\d+))(;?)/iy

/** The tables, read when a name is first met. */
let tables: Tables | undefined

/** Decodes references that end in a semicolon ("&amp;", "&#39;"): for texts that may not be HTML ("R&D"). */
export const decodeStrictly = (text: string): string => decode(text, 'strict')

/** Decodes the text between tags as browsers do: "&nbsp", "&#39" and the "&eacute" of "&eacutes", too. */
export const decodeText = (text: string): string => decode(text, 'text')

/** Decodes an attribute as browsers do: like text, but "?a=1&copy=2" stays. */
export const decodeAttribute = (text: string): string => decode(text, 'attribute')

function decode(text: string, place: Place): string {
  let at = text.indexOf('&')
  if (at < 0) return text
  tables ??= readTables()
  let decoded = ''
  let from = 0
  let semicolon = -1
  while (at >= 0) {
    // Searched for once, so that a text of nothing but "&" takes no longer than another.
    if (semicolon < at) semicolon = text.indexOf(';', at)
    if (semicolon < 0) semicolon = text.length
    const named = semicolon - at <= MAX_NAME + 1 ? tables.all.get(text.slice(at + 1, semicolon)) : undefined
    const isNamed = named !== undefined && semicolon < text.length
    const found = isNamed ? { character: named, end: semicolon + 1 } : readOther(text, at + 1, place, tables)
    if (found !== null) {
      decoded += text.slice(from, at) + found.character
      from = found.end
    }
    at = text.indexOf('&', found?.end ?? at + 1)
  }
  return decoded + text.slice(from)
}

/** Reads a number, or a name without a semicolon. */
function readOther(text: string, start: number, place: Place, { withoutSemicolon }: Tables): Reference | null {
  if (text[start] === '#') return readNumber(text, start, place)
  if (place === 'strict') return null
  for (let length = MAX_NAME_WITHOUT_SEMICOLON; length > 1; length--) {
    const end = start + length
    const character = withoutSemicolon.get(text.slice(start, end))
    // The longest counts: "&notit" is "¬it".
    if (character !== undefined) {
      return place === 'attribute' && /[\da-z=]/i.test(text[end] ?? '') ? null : { character, end }
    }
  }
  return null
}

function readNumber(text: string, start: number, place: Place): Reference | null {
  NUMBER.lastIndex = start
  const [written, hex, decimal, semicolon] = NUMBER.exec(text) ?? []
  if (written === undefined || (place === 'strict' && semicolon === '')) return null
  const codePoint = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
  return { character: String.fromCodePoint(replaceCodePoint(codePoint)), end: start + written.length }
}

function readTables(): Tables {
  const withoutSemicolon = readTable(NAMES_WITHOUT_SEMICOLON)
  return { all: new Map([...withoutSemicolon, ...readTable(NAMES)]), withoutSemicolon }
}

/** Reads lines with a code point, its names, and the names of the code points that follow it. */
function readTable(table: string): Names {
  const names = new Map<string, string>()
  for (const line of table.trim().split('\n')) {
    const start = line.indexOf(' ')
    let codePoint = Number.parseInt(line.slice(0, start), 16)
    for (const list of line.slice(start + 1).split(', ')) {
      const character = String.fromCodePoint(codePoint++)
      for (const name of list.split(' ')) names.set(name, character)
    }
  }
  return names
}
