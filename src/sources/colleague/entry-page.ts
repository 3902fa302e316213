import { unknown, type Unknown } from '../answer.ts'
import { isHtml, type Page } from '../http.ts'

const TOKEN_INPUT = /<input\b[^>]*\bname\s*=\s*["']?__RequestVerificationToken\b[^>]*>/i
const VALUE = /\bvalue\s*=\s*(?:"([^"]*)"|'([^']*)')/i
/** What may stand in a header. */
const TOKEN = /^[\x21-\x7e]{8,2000}$/

/** The token of a visitor's first page, without which nothing is answered. It goes with the cookie of the same page. */
export function readToken(page: Page): { token: string } | { unknown: Unknown } {
  if (/\/(?:account\/)?log-?[io]n\b/i.test(new URL(page.url).pathname)) {
    return refused('The school asks visitors to sign in.')
  }
  if (!isHtml(page)) return refused('The school answered with something else than its course catalog.')
  const [input = ''] = TOKEN_INPUT.exec(new TextDecoder().decode(page.bytes)) ?? []
  const [, double, single] = VALUE.exec(input) ?? []
  const token = double ?? single ?? ''
  return TOKEN.test(token) ? { token } : refused("The school's course catalog has no token for visitors.")
}

function refused(why: string): { unknown: Unknown } {
  return { unknown: unknown('not_the_protocol', why) }
}
