import { decodeHTML, decodeHTMLAttribute } from 'entities/decode'
import { type Handler, Parser, Tokenizer, type TokenizerCallbacks } from 'htmlparser2'

/**
 * Elements that may be open at once. The parser takes longer for a tag the more are open around it. Recorded pages have
 * at most 11; a page with far more is not read to its end.
 */
const MAX_OPEN = 500

/** Elements whose text no one reads. */
const HIDDEN = new Set(['script', 'style', 'iframe', 'noembed', 'noframes'])

type Listener = Required<Pick<Handler, 'ontext' | 'onclosetag'>> & Partial<Pick<Handler, 'onopentag'>>

/**
 * Reads a page tag by tag, with character references decoded and without scripts, styles and comments. @returns false if
 * its tags are nested too deeply, so that it was not read to its end
 */
export function readMarkup(html: string, { onopentag, ontext, onclosetag }: Listener): boolean {
  let open = 0
  let isTooDeep = false
  let isHidden = false
  const handler: Partial<Handler> = {
    onopentagname(tag) {
      isHidden = HIDDEN.has(tag)
      if (++open <= MAX_OPEN) return
      isTooDeep = true
      parser.pause()
    },
    onopentag(tag, attributes, isImplied) {
      for (const name in attributes) attributes[name] = decodeHTMLAttribute(attributes[name] ?? '')
      onopentag?.(tag, attributes, isImplied)
    },
    ontext(text) {
      if (!isHidden) ontext(decodeHTML(text))
    },
    onclosetag(tag, isImplied) {
      isHidden = false
      open--
      onclosetag(tag, isImplied)
    },
  }
  // The parser would split a text at each reference.
  const parser = new Parser(handler, { decodeEntities: false })
  parser.write(html)
  parser.end()
  return !isTooDeep
}

/**
 * Reads a page token by token, for pages whose HTML is too malformed for a tree, or too long. Character references are
 * not decoded.
 */
export abstract class TokenReader implements TokenizerCallbacks {
  protected readonly html: string

  constructor(html: string) {
    this.html = html
  }

  read(): this {
    const tokenizer = new Tokenizer({ decodeEntities: false }, this)
    tokenizer.write(this.html)
    tokenizer.end()
    return this
  }

  abstract onopentagname(start: number, end: number): void
  abstract onattribname(start: number, end: number): void
  abstract onattribdata(start: number, end: number): void
  abstract onattribend(): void
  abstract ontext(start: number, end: number): void
  abstract onclosetag(start: number, end: number): void

  onattribentity(): void {}
  oncdata(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onend(): void {}
  onopentagend(): void {}
  onprocessinginstruction(): void {}
  onselfclosingtag(): void {}
  ontextentity(): void {}
}
