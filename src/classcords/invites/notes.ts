import { escapeHtml } from '../../notify/clean-text.ts'

const listItem = /^\s{0,3}(?:([-*+])|(\d{1,9})[.)])\s+(.*)$/
const fence = /^\s{0,3}(?:```|~~~)/
/** Deeper nesting is shown as text. */
const MAX_NESTING = 4
const escaped = /^\\([\\`*_{}[\]()#+\-.!~<>|])/
const codeSpan = /^(`+)([^`]|[^`].*?[^`])\1(?!`)/
const link = /^\[((?:[^[\]\\]|\\.){1,200})\]\(\s*<?([^\s<>()]{1,500})>?\s*\)/
const bareLink = /^https?:\/\/[^\s<>"'`\\^{}|]+/i
const strong = /^(\*\*|__)(?=\S)(.*?\S)\1(?![*_])/
const emphasis = /^([*_])(?=[^\s*_])(.*?[^\s*_])\1(?![\p{L}\p{N}])/u
const word = /[\p{L}\p{N}]$/u

/**
 * Notes as safe HTML: paragraphs, line breaks, lists, code, emphasis and links. All tags are written here and all text is
 * escaped; the only part of the source in an attribute is a checked http(s) URL. '' for blank notes.
 */
export function renderNotes(source: string): string {
  const lines = source.replace(/\r\n?/g, '\n').split('\n')
  const blocks: string[] = []
  let at = 0
  while (at < lines.length) {
    const line = lines[at] ?? ''
    if (line.trim() === '') at += 1
    else if (fence.test(line)) at = codeBlock(lines, at, blocks)
    else if (listItem.test(line)) at = list(lines, at, blocks)
    else at = paragraph(lines, at, blocks)
  }
  return blocks.join('')
}

function codeBlock(lines: readonly string[], start: number, blocks: string[]): number {
  let end = start + 1
  while (end < lines.length && !fence.test(lines[end] ?? '')) end += 1
  blocks.push(`<pre><code>${escapeHtml(lines.slice(start + 1, end).join('\n'))}</code></pre>`)
  return end + 1
}

function list(lines: readonly string[], start: number, blocks: string[]): number {
  const isOrdered = listItem.exec(lines[start] ?? '')?.[2] !== undefined
  const items: string[] = []
  let at = start
  for (; at < lines.length; at += 1) {
    const item = listItem.exec(lines[at] ?? '')
    if (!item || (item[2] !== undefined) !== isOrdered) break
    items.push(`<li>${renderInline(item[3] ?? '')}</li>`)
  }
  const tag = isOrdered ? 'ol' : 'ul'
  blocks.push(`<${tag}>${items.join('')}</${tag}>`)
  return at
}

function paragraph(lines: readonly string[], start: number, blocks: string[]): number {
  let end = start
  const isText = (line: string) => line.trim() !== '' && !fence.test(line) && !listItem.test(line)
  while (end < lines.length && isText(lines[end] ?? '')) end += 1
  const text = lines.slice(start, end).map((line) => renderInline(line.replace(/^\s{0,3}#{1,6}\s+/, '').trim()))
  blocks.push(`<p>${text.join('<br>')}</p>`)
  return end
}

/** One line of notes: code, emphasis and links; the rest is escaped text. */
function renderInline(source: string, depth = 0): string {
  let html = ''
  let text = ''
  let rest = source
  const put = (length: number, markup: string) => {
    html += escapeHtml(text) + markup
    text = ''
    rest = rest.slice(length)
  }
  while (rest !== '') {
    const found = depth < MAX_NESTING ? markupAt(rest, depth, word.test(text)) : null
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
    const label = renderInline(linked[1] ?? '', MAX_NESTING)
    // A link with a forbidden URL becomes its text.
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

/** The normalized URL; null unless it is http(s) without a username or password. */
function safeAddress(written: string): string | null {
  if (!/^https?:\/\//i.test(written)) return null
  const url = URL.parse(written)
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return null
  return url.href
}

const anchor = (address: string, label: string): string =>
  `<a href="${escapeHtml(address)}" target="_blank" rel="nofollow ugc noopener noreferrer">${label}</a>`
