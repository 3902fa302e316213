import { glob, readFile } from 'node:fs/promises'
import { encodeHTML } from 'entities'
import { decodeHTML, decodeHTMLAttribute, decodeHTMLStrict } from 'entities/decode'
import fc from 'fast-check'
import { Parser } from 'htmlparser2'
import { expect, it } from 'vitest'
import { readMarkup } from '../../src/sources/markup.ts'
import { NAMES, NAMES_WITHOUT_SEMICOLON } from '../../src/sources/reference-names.ts'
import { decodeAttribute, decodeStrictly, decodeText } from '../../src/sources/references.ts'

const namesOf = (table: string): string[] =>
  table.split('\n').flatMap((line) => line.replace(/^\S* ?/, '').match(/\w+/g) ?? [])
const names = namesOf(NAMES)
const withoutSemicolon = namesOf(NAMES_WITHOUT_SEMICOLON)

const piece = fc.oneof(
  fc.constantFrom('&', '&#', '&#x', '&#X', ';', '=', ' ', 'x', '1', 'f', '&amp;', '&nope;', '&notit;', '&#xffffff;'),
  fc.constantFrom(...names, ...withoutSemicolon).map((name) => `&${name};`),
  fc.constantFrom(...withoutSemicolon).map((name) => `&${name}`),
  fc.nat(0x110100).map((codePoint) => `&#${codePoint};`),
  fc.nat(0x2100).map((codePoint) => `&#x${codePoint.toString(16)}`),
)
const written = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''))

it('references are decoded as the standard says: in texts, in attributes, and where they end in a semicolon', () => {
  fc.assert(
    fc.property(written, (text) => {
      expect(decodeStrictly(text)).toBe(decodeHTMLStrict(text))
      expect(decodeText(text)).toBe(decodeHTML(text))
      expect(decodeAttribute(text)).toBe(decodeHTMLAttribute(text))
    }),
    { numRuns: 2000 },
  )
})

it('every name in the tables is decoded, and every letter, mark of punctuation and currency has one of them', () => {
  expect(names.length + withoutSemicolon.length).toBe(new Set([...names, ...withoutSemicolon]).size)
  for (const name of [...names, ...withoutSemicolon])
    expect(decodeStrictly(`&${name};`)).toBe(decodeHTMLStrict(`&${name};`))
  for (const name of withoutSemicolon) expect(decodeText(`&${name}`)).toBe(decodeHTML(`&${name}`))
  for (let codePoint = 1; codePoint < 0x2190; codePoint++) {
    const character = String.fromCodePoint(codePoint)
    const encoded = encodeHTML(character)
    if (/^&[a-z]/i.test(encoded)) expect(decodeStrictly(encoded)).toBe(character)
  }
})

it('markup is read as the parser reads it with its own decoder, without texts that no one reads', () => {
  const element = fc
    .tuple(fc.constantFrom('p', 'a', 'td', 'title', 'textarea', 'br', ...HIDDEN), written, written)
    .map(([tag, value, text]) => `<${tag} title="${value}">${text}</${tag}>`)
  fc.assert(
    fc.property(fc.array(fc.oneof(element, written), { maxLength: 6 }), (parts) => {
      const html = parts.join('')
      const read = eventsOf((listener) => readMarkup(html, listener))
      const parsed = eventsOf((listener) => new Parser(listener).end(html))
      const isHidden = ([kind]: unknown[], at: number) =>
        kind === 'text' && parsed[at - 1]?.[0] === 'open' && HIDDEN.has(parsed[at - 1]?.[1])
      expect(read).toEqual(parsed.filter((event, at) => !isHidden(event, at)))
    }),
  )
})

const HIDDEN = new Set<unknown>(['script', 'style', 'iframe'])

/** What a listener is given, with texts that follow each other joined. */
function eventsOf(run: (listener: Parameters<typeof readMarkup>[1]) => unknown): unknown[][] {
  const events: unknown[][] = []
  run({
    onopentag: (tag, attributes) => events.push(['open', tag, { ...attributes }]),
    ontext(text) {
      const last = events.at(-1)
      if (last?.[0] === 'text') last[1] = `${String(last[1])}${text}`
      else events.push(['text', text])
    },
    onclosetag: (tag) => events.push(['close', tag]),
  })
  return events
}

it("no parser decodes references itself, because the bundle has nothing of the parser's decoder", async () => {
  let parsers = 0
  for await (const path of glob('src/**/*.ts')) {
    const code = await readFile(path, 'utf8')
    const made = code.match(/new (?:Parser|Tokenizer)\(/g) ?? []
    expect(code.match(/decodeEntities: false/g) ?? [], path).toHaveLength(made.length)
    parsers += made.length
  }
  expect(parsers).toBeGreaterThan(0)
})
