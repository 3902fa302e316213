import { known, unexpectedAnswer, unknown } from '../answer.ts'
import { NO_FIGURES } from '../judge.ts'
import { readMarkup } from '../markup.ts'
import type { Answer, Figures, Observation } from '../source.ts'
import { tidy } from '../text.ts'

/** The fragment's label before each figure. Some schools have only the first two. */
const LABELS: ReadonlyMap<string, keyof Figures> = new Map([
  ['enrollment actual', 'enrolled'],
  ['enrollment maximum', 'capacity'],
  ['enrollment seats available', 'available'],
  ['waitlist capacity', 'waitlist_capacity'],
  ['waitlist actual', 'waitlist_total'],
  ['waitlist seats available', 'waitlist_available'],
])

const FEWEST = 2

/** Marks in the text where an element was closed. */
const CLOSED = '\u0001'
const LABEL = new RegExp(`\\b(${[...LABELS.keys()].join('|')})[: ${CLOSED}]*`, 'gi')
const FIGURE = new RegExp(`^(-?\\d{1,9}) ?${CLOSED}`)

/**
 * Reads the fragment by its labels, in any order. A blank, anything but a whole number, or a number at which the answer
 * may have broken off raises a doubt.
 */
export function readEnrollmentInfo(html: string, crn: string): Answer<Observation> {
  const text = textOf(html)
  if (text === null) return unknown('incomplete', 'The tags of the enrollment details are nested too deeply.')
  const labels = [...text.matchAll(LABEL)]
  const figures = { ...NO_FIGURES }
  const doubts: string[] = []
  const seen = new Set<string>()
  for (const [index, match] of labels.entries()) {
    const label = (match[1] ?? '').toLowerCase()
    const name = LABELS.get(label)
    if (name === undefined) continue
    if (seen.has(label)) return unknown('not_the_protocol', `The enrollment details give "${match[1]}" twice.`)
    seen.add(label)
    const value = text.slice(match.index + match[0].length, labels[index + 1]?.index ?? text.length)
    const [, figure] = FIGURE.exec(value) ?? []
    if (figure === undefined) doubts.push(`The enrollment details do not say "${match[1]}".`)
    else figures[name] = Number(figure)
  }
  if (!seen.has('enrollment actual') || !seen.has('enrollment maximum')) return unexpectedAnswer('enrollment details')
  if (seen.size !== FEWEST && seen.size !== LABELS.size) doubts.push('The enrollment details are incomplete.')
  return known({ section_key: crn, stated: null, figures, doubts })
}

/** Null if its tags are nested too deeply. */
function textOf(html: string): string | null {
  let text = ''
  const isRead = readMarkup(html, {
    ontext(part) {
      text += part
    },
    onclosetag(_tag, isImplied) {
      if (!isImplied) text += CLOSED
    },
  })
  return isRead ? tidy(text) : null
}
