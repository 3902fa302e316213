import { known, unexpectedAnswer, asksToSignIn } from '../answer.ts'
import { isHtml, type Page } from '../http.ts'
import { isRecord } from '../json-page.ts'
import type { Answer, SourceTerm } from '../source.ts'
import { noTerms } from '../term-name.ts'
import { readTermList } from './options.ts'

/** How many encoded blocks are examined on one page. */
const MAX_BLOCKS = 20

/** Whether a public page admits guests; otherwise unknown with the reason. */
export function readEntry(page: Page): Answer<null> {
  const { pathname, search } = new URL(page.url)
  if (/\/(?:sign|log)-?[io]n\b/i.test(pathname) || /[?&]cmd=(?:login|expire)/i.test(search)) return asksToSignIn
  return isHtml(page) ? known(null) : unexpectedAnswer('its class search')
}

/** The terms on the public search page, which some sites have as base64-encoded JSON in a script. */
export function readTermsOfPage(page: Page): Answer<SourceTerm[]> {
  const entry = readEntry(page)
  if (!entry.known) return entry
  const blocks = new TextDecoder().decode(page.bytes).matchAll(/\batob\(\s*["'`]([A-Za-z0-9+/=\s]+)["'`]\s*\)/g)
  for (const [, block = ''] of [...blocks].slice(0, MAX_BLOCKS)) {
    const listed = termsIn(block)
    if (listed === null) continue
    const warnings: string[] = []
    const terms = readTermList(listed, warnings)
    if (terms.length > 0) return known(terms, warnings)
  }
  return noTerms()
}

function termsIn(block: string): unknown[] | null {
  try {
    const bytes = Uint8Array.from(atob(block), (character) => character.charCodeAt(0))
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes))
    const options = isRecord(value) ? value['search_options'] : null
    return isRecord(options) && Array.isArray(options['terms']) ? options['terms'] : null
  } catch {
    return null
  }
}
