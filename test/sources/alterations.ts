import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2'

/** A text with one thing wrong, and a description of what. */
export interface Altered {
  what: string
  text: string
}

/** Values that no school means, instead of a word, a figure, a list or an object. */
const GARBAGE: readonly unknown[] = ['', 'many', true, -7, 0.5, 1e15, [], { value: 5 }]
/** Markers in the text for a missing value, and for where the text is cut off. */
const CUTS = [0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.97]

type Step = string | number
const WRONG_PAGES: readonly Altered[] = [
  {
    what: 'a web page',
    text: '<!DOCTYPE html><html><head><title>Sign in</title></head><body><form></form></body></html>',
  },
  { what: 'a word', text: 'Maintenance' },
  { what: 'null', text: 'null' },
  { what: 'an empty object', text: '{}' },
  { what: 'an empty list', text: '[]' },
  { what: 'an error', text: '{"error":"Internal error","fatal":"Cannot open database"}' },
]

/** Systematically: every value of every kind of row missing, null or garbage; the text cut off; a different page. */
export function alterationsOf(text: string): Altered[] {
  return [...WRONG_PAGES, ...cutsOf(text), ...(isJson(text) ? jsonAlterations(text) : markupAlterations(text))]
}

/** The same at random: `chances` are numbers from 0 to 1, some of which are used. */
export function alteredByChance(text: string, chances: readonly number[]): Altered {
  const [where = 0, how = 0, which = 0] = chances
  if (how < 0.15) return cutAt(text, where)
  if (!isJson(text)) {
    const tokens = tokensOf(text)
    return alterToken(text, tokens, Math.floor(where * tokens.length), Math.floor(which * TOKEN_WAYS.length))
  }
  const paths = pathsOf(JSON.parse(text))
  const path = paths[Math.floor(where * paths.length)] ?? []
  const way = Math.floor(which * (GARBAGE.length + 2))
  return alterAt(text, path, way)
}

function isJson(text: string): boolean {
  return /^\s*[[{]/.test(text)
}

function cutAt(text: string, part: number): Altered {
  return { what: `broken off after ${Math.round(part * 100)} %`, text: text.slice(0, Math.floor(text.length * part)) }
}

const cutsOf = (text: string): Altered[] => [
  ...CUTS.map((part) => cutAt(text, part)),
  { what: 'without its last character', text: text.trimEnd().slice(0, -1) },
]

/** Every path to a value, deeper ones after those that contain them. */
export function pathsOf(value: unknown, path: Step[] = []): Step[][] {
  const inside =
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, one]) => pathsOf(one, [...path, Array.isArray(value) ? Number(key) : key]))
      : []
  return path.length === 0 ? inside : [path, ...inside]
}

function jsonAlterations(text: string): Altered[] {
  return pathsOf(JSON.parse(text)).flatMap((path) =>
    Array.from({ length: GARBAGE.length + 2 }, (_, way) => alterAt(text, path, way)),
  )
}

/** Ways after those of {@link GARBAGE}: null, and missing. */
function alterAt(text: string, path: readonly Step[], way: number): Altered {
  const whole: unknown = JSON.parse(text)
  const last = path.at(-1)
  const holder = path.slice(0, -1).reduce<unknown>((value, step) => (value as Record<Step, unknown>)[step], whole)
  const at = path.join('.')
  if (last === undefined || typeof holder !== 'object' || holder === null) return { what: 'nothing', text }
  const fields = holder as Record<Step, unknown>
  if (way === GARBAGE.length + 1) {
    if (Array.isArray(holder)) holder.splice(Number(last), 1)
    else delete fields[last]
    return { what: `${at} lost`, text: JSON.stringify(whole) }
  }
  const value = way === GARBAGE.length ? null : GARBAGE[way]
  fields[last] = value
  return { what: `${at} is ${JSON.stringify(value)}`, text: JSON.stringify(whole) }
}

export interface Token {
  kind: 'text' | 'tag' | 'attribute'
  start: number
  end: number
}

/** Pieces of markup: texts that are not blank, whole tags, values of attributes. */
export function tokensOf(html: string): Token[] {
  const tokens: Token[] = []
  let opened = 0
  const note = (kind: Token['kind'], start: number, end: number): void => {
    if (html.slice(start, end).trim() !== '') tokens.push({ kind, start, end })
  }
  const callbacks: TokenizerCallbacks = {
    ontext: (start, end) => note('text', start, end),
    onattribdata: (start, end) => note('attribute', start, end),
    onopentagname: (start) => (opened = start - 1),
    onopentagend: (end) => note('tag', opened, end + 1),
    onselfclosingtag: (end) => note('tag', opened, end + 1),
    onclosetag: (start, end) => note('tag', start - 2, end + 1),
    onattribend() {},
    onattribentity() {},
    onattribname() {},
    oncdata() {},
    oncomment() {},
    ondeclaration() {},
    onend() {},
    onprocessinginstruction() {},
    ontextentity() {},
  }
  const tokenizer = new Tokenizer({ decodeEntities: false }, callbacks)
  tokenizer.write(html)
  tokenizer.end()
  return tokens
}

const TOKEN_WAYS = ['', 'many', '0.5', '-', '1e15'] as const

function alterToken(html: string, tokens: readonly Token[], index: number, way: number): Altered {
  const token = tokens[index]
  const put = TOKEN_WAYS[way] ?? ''
  if (token === undefined || (token.kind === 'tag' && put !== '')) return { what: 'nothing', text: html }
  const shown = html.slice(token.start, token.end).replace(/\s+/g, ' ').slice(0, 30)
  return {
    what: `${token.kind} ${index} ${JSON.stringify(shown)} is ${JSON.stringify(put)}`,
    text: html.slice(0, token.start) + put + html.slice(token.end),
  }
}

function markupAlterations(html: string): Altered[] {
  const tokens = tokensOf(html)
  return tokens.flatMap((_, index) =>
    TOKEN_WAYS.map((_way, way) => alterToken(html, tokens, index, way)).filter(({ text }) => text !== html),
  )
}
