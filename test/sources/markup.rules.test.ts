import fc from 'fast-check'
import { Parser } from 'htmlparser2'
import { expect, it } from 'vitest'
import { readMarkup } from '../../src/sources/markup.ts'

const piece = fc.oneof(
  fc.constantFrom('&', '&#', '&#x', '&#X', ';', '=', ' ', 'x', '1', 'f', '&amp;', '&nope;', '&notit;', '&#xffffff;'),
  fc.constantFrom('&eacute', '&copy', '&nbsp', '&AMP', '&notin', '&therefore', '&lt'),
  fc.nat(0x110100).map((codePoint) => `&#${codePoint};`),
  fc.nat(0x2100).map((codePoint) => `&#x${codePoint.toString(16)}`),
)
const written = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''))

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
