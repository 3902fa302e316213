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

/** Reads HTML with nobody listening: what any reader of it costs at least. */
export function bareTokenizer(html: string, decodeEntities: boolean): void {
  const tokenizer = new Tokenizer({ decodeEntities }, deaf)
  tokenizer.write(html)
  tokenizer.end()
}
