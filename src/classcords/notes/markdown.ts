import { escapeHtml } from '../../notify/clean-text.ts'
import { renderInline } from './inline.ts'

const listItem = /^\s{0,3}(?:([-*+])|(\d{1,9})[.)])\s+(.*)$/
const fence = /^\s{0,3}(?:```|~~~)/

/**
 * Notes as harmless HTML: paragraphs, line breaks, lists, code, emphasis and links. Everything written is escaped text between
 * tags of ours; nothing of the source ever becomes a tag or an attribute but a checked http(s) address. '' for blank notes.
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
