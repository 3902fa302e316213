import { known, unexpectedAnswer, unknown, asksToSignIn } from '../answer.ts'
import { isHtml, type Page } from '../http.ts'
import type { Answer } from '../source.ts'

const NAME = '__RequestVerificationToken'
/** The page may mention it elsewhere too. */
const MAX_MENTIONS = 20
const VALUE = /\bvalue\s*=\s*(?:"([^"]*)"|'([^']*)')/i
/** What is allowed in a header. */
const TOKEN = /^[\x21-\x7e]{8,2000}$/

/** Every call is refused without the token of a visitor's first page, which belongs to the page's cookie. */
export function readToken(page: Page): Answer<string> {
  if (/\/(?:account\/)?log-?[io]n\b/i.test(new URL(page.url).pathname)) return asksToSignIn
  if (!isHtml(page)) return unexpectedAnswer('its course catalog')
  const input = findInput(new TextDecoder().decode(page.bytes))
  const [, double, single] = VALUE.exec(input) ?? []
  const token = double ?? single ?? ''
  if (TOKEN.test(token)) return known(token)
  return unknown('not_the_protocol', "The school's course catalog has no token for visitors.")
}

/** The element with this name; '' if there is none. Its attributes may be in any order. */
function findInput(html: string): string {
  let at = html.indexOf(NAME)
  for (let mentions = 0; at >= 0 && mentions < MAX_MENTIONS; mentions++) {
    const element = html.slice(html.lastIndexOf('<', at), html.indexOf('>', at) + 1)
    if (/^<input\b/i.test(element)) return element
    at = html.indexOf(NAME, at + NAME.length)
  }
  return ''
}
