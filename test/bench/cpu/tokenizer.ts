import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2'

const nothing = (): void => undefined
const deaf: TokenizerCallbacks = {
  onattribdata: nothing,
  onattribend: nothing,
  onattribentity: nothing,
  onattribname: nothing,
  oncdata: nothing,
  onclosetag: nothing,
  oncomment: nothing,
  ondeclaration: nothing,
  onend: nothing,
  onopentagend: nothing,
  onopentagname: nothing,
  onprocessinginstruction: nothing,
  onselfclosingtag: nothing,
  ontext: nothing,
  ontextentity: nothing,
}

/** Reads HTML without handlers: the minimum cost of any reader. */
export function bareTokenizer(html: string, decodeEntities: boolean): void {
  const tokenizer = new Tokenizer({ decodeEntities }, deaf)
  tokenizer.write(html)
  tokenizer.end()
}

/**
 * Makes every token of HTML and keeps none: names, attributes and texts as strings, character references decoded, as
 * `JSON.parse` makes its values. Returns how many characters they had.
 */
export function makeTokens(html: string): number {
  const maker = new TokenMaker(html)
  const tokenizer = new Tokenizer({ decodeEntities: true }, maker)
  tokenizer.write(html)
  tokenizer.end()
  return maker.length
}

class TokenMaker implements TokenizerCallbacks {
  readonly #html: string
  length = 0
  #value = ''
  #text = ''

  constructor(html: string) {
    this.#html = html
  }

  onopentagname(start: number, end: number): void {
    this.#endText()
    this.#name(start, end)
  }

  onclosetag(start: number, end: number): void {
    this.#endText()
    this.#name(start, end)
  }

  onattribname(start: number, end: number): void {
    this.#name(start, end)
  }

  onattribdata(start: number, end: number): void {
    this.#value += this.#html.slice(start, end)
  }

  onattribentity(code: number): void {
    this.#value += String.fromCodePoint(code)
  }

  onattribend(): void {
    this.length += this.#value.length
    this.#value = ''
  }

  ontext(start: number, end: number): void {
    this.#text += this.#html.slice(start, end)
  }

  ontextentity(code: number): void {
    this.#text += String.fromCodePoint(code)
  }

  onend(): void {
    this.#endText()
  }

  oncdata(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onopentagend(): void {}
  onprocessinginstruction(): void {}
  onselfclosingtag(): void {}

  #name(start: number, end: number): void {
    this.length += this.#html.slice(start, end).toLowerCase().length
  }

  #endText(): void {
    this.length += this.#text.length
    this.#text = ''
  }
}
