import { escapeHtml } from '../../notify/clean-text.ts'

/** Deeper nesting than this is text. */
const deepest = 4
const escaped = /^\\([\\`*_{}[\]()#+\-.!~<>|])/
const codeSpan = /^(`+)([^`]|[^`].*?[^`])\1(?!`)/
const link = /^\[((?:[^[\]\\]|\\.){1,200})\]\(\s*<?([^\s<>()]{1,500})>?\s*\)/
const bareLink = /^https?:\/\/[^\s<>"'`\\^{}|]+/i
const strong = /^(\*\*|__)(?=\S)(.*?\S)\1(?![*_])/
const emphasis = /^([*_])(?=[^\s*_])(.*?[^\s*_])\1(?![\p{L}\p{N}])/u
const word = /[\p{L}\p{N}]$/u

/** One line of notes: code, emphasis and links; the rest is escaped text. */
export function renderInline(source: string, depth = 0): string {
  let html = ''
  let text = ''
  let rest = source
  const put = (length: number, markup: string) => {
    html += escapeHtml(text) + markup
    text = ''
    rest = rest.slice(length)
  }
  while (rest !== '') {
    const found = depth < deepest ? markupAt(rest, depth, word.test(text)) : null
    if (found) put(found.length, found.html)
    else {
      const character = escaped.exec(rest)
      text += character ? (character[1] ?? '') : rest.charAt(0)
      rest = rest.slice(character ? 2 : 1)
    }
  }
  return html + escapeHtml(text)
}

function markupAt(rest: string, depth: number, isInWord: boolean): { length: number; html: string } | null {
  const code = codeSpan.exec(rest)
  if (code) return { length: code[0].length, html: `<code>${escapeHtml((code[2] ?? '').trim())}</code>` }
  const linked = link.exec(rest)
  if (linked) {
    const address = safeAddress(linked[2] ?? '')
    const label = renderInline(linked[1] ?? '', deepest)
    // An address that is not allowed leaves its words.
    return { length: linked[0].length, html: address === null ? label : anchor(address, label) }
  }
  if (isInWord) return null
  const bare = bareLink.exec(rest)
  if (bare) {
    const written = bare[0].replace(/[.,;:!?)\]*_]+$/, '')
    const address = safeAddress(written)
    return address === null ? null : { length: written.length, html: anchor(address, escapeHtml(written)) }
  }
  const bold = strong.exec(rest)
  if (bold) return { length: bold[0].length, html: `<strong>${renderInline(bold[2] ?? '', depth + 1)}</strong>` }
  const stressed = emphasis.exec(rest)
  if (stressed) return { length: stressed[0].length, html: `<em>${renderInline(stressed[2] ?? '', depth + 1)}</em>` }
  return null
}

/** The address as the URL parser writes it; null unless it is http(s) without a user in it. */
function safeAddress(written: string): string | null {
  if (!/^https?:\/\//i.test(written)) return null
  const url = URL.parse(written)
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return null
  return url.href
}

const anchor = (address: string, label: string): string =>
  `<a href="${escapeHtml(address)}" target="_blank" rel="nofollow ugc noopener noreferrer">${label}</a>`
