import { known, unknown } from '../answer.ts'
import { NO_FIGURES } from '../judge.ts'
import { readMarkup } from '../markup.ts'
import type { Answer, Figures, Observation } from '../source.ts'
import { tidy } from '../text.ts'
import { readStatus } from './status.ts'

/** The class that the page must be about, in the labels that the site repeats on it. */
interface AskedSection {
  section_key: string
  school: string
  term: string
}

/** The labels of the figures under "Class Availability", and the ids that pages from before 2022 give them. */
const FIGURES: readonly { label: string; id: string; name: keyof Figures }[] = [
  { label: 'Class Capacity', id: 'ENRL_CAP', name: 'capacity' },
  { label: 'Wait List Capacity', id: 'WAIT_CAP', name: 'waitlist_capacity' },
  { label: 'Enrollment Total', id: 'ENRL_TOT', name: 'enrolled' },
  { label: 'Wait List Total', id: 'WAIT_TOT', name: 'waitlist_total' },
  { label: 'Available Seats', id: 'AVAILABLE_SEATS', name: 'available' },
]

/**
 * Reads the page of one class strictly: it must be about this class, and have its status and all five figures. A class
 * that cannot be found has a page without data.
 */
export function readDetailPage(html: string, asked: AskedSection): Answer<Observation> {
  const page = readTokens(html)
  const number = cellAfter(page, 'Class Number')?.text ?? ''
  if (number === '') return unknown('incomplete', `The page of class ${asked.section_key} has no data.`)
  const scope = `${asked.school} | ${asked.term}`
  const [, place = ''] = page.headings
  if (number !== asked.section_key || (place !== scope && !place.startsWith(`${scope} |`))) {
    return unknown(
      'wrong_scope',
      `We asked for class ${asked.section_key} of "${scope}", and the school answered with ${number} of "${place}".`,
    )
  }
  if (!page.isWhole || page.spans.length !== FIGURES.length) {
    return unknown('incomplete', `The page of class ${asked.section_key} is cut off before its figures end.`)
  }
  const doubts: string[] = []
  const stated = readStatusCell(cellAfter(page, 'Status'))
  if (stated === null) doubts.push('The status on the page of the class is not understood.')
  const figures = { ...NO_FIGURES }
  for (const { label, id, name } of FIGURES) {
    const value = page.spans.find((span) => span.id.endsWith(`_${id}`)) ?? page.spans[page.labels.indexOf(label)]
    const text = value?.text ?? ''
    if (/^-?\d{1,9}$/.test(text)) figures[name] = Number(text)
    else doubts.push(`The page of the class gives "${text.slice(0, 40)}" as "${label}".`)
  }
  return known({ section_key: asked.section_key, stated, figures, doubts })
}

/** The picture and the word beside it must agree; older pages have the word alone. */
function readStatusCell(cell: Cell | undefined): Observation['stated'] {
  if (cell === undefined) return null
  const byWord = readStatus(cell.text, '')
  if (!cell.hasPicture) return byWord
  const byPicture = readStatus(cell.pictureTitle, cell.pictureFile)
  return cell.text === '' || byWord === byPicture ? byPicture : null
}

interface Cell {
  text: string
  hasPicture: boolean
  pictureTitle: string
  pictureFile: string
}

interface DetailTokens {
  /** "MTH 3020 - KTRA Calculus III", "Baruch College | 2026 Fall Term | Lecture" */
  headings: string[]
  /** Cells in the order in which they end; labels and values alternate. */
  cells: Cell[]
  /** Labels and figures under "Class Availability". */
  labels: string[]
  spans: { id: string; text: string }[]
  /** Whether the end of the table of figures was reached. */
  isWhole: boolean
}

function cellAfter({ cells }: DetailTokens, label: string): Cell | undefined {
  const at = cells.findIndex(({ text }) => text === label)
  return at < 0 ? undefined : cells[at + 1]
}

function readTokens(html: string): DetailTokens {
  const tokens: DetailTokens = { headings: [], cells: [], labels: [], spans: [], isWhole: false }
  const open: Cell[] = []
  /** Text is collected for this as well as for its cell. */
  let part: { tag: 'p' | 'b' | 'label' | 'span'; id: string; text: string } | null = null
  let isInHeading = false
  let isInFigures = false
  readMarkup(html, {
    onopentag(tag, attributes) {
      if (tag === 'div') isInHeading = attributes.class === 'shadowbox'
      else if (tag === 'td') open.push({ text: '', hasPicture: false, pictureTitle: '', pictureFile: '' })
      else if (tag === 'img') {
        const picture = { hasPicture: true, pictureTitle: attributes.title ?? '', pictureFile: attributes.src ?? '' }
        Object.assign(open.at(-1) ?? {}, picture)
      } else if (tag === 'b' || (tag === 'p' && isInHeading) || ((tag === 'label' || tag === 'span') && isInFigures)) {
        part = { tag, id: attributes.id ?? '', text: '' }
      }
    },
    ontext(text) {
      if (part !== null) part.text += text
      const cell = open.at(-1)
      if (cell) cell.text += text
    },
    onclosetag(tag, isImplied) {
      if (tag === 'td') {
        const cell = open.pop()
        if (cell) tokens.cells.push({ ...cell, text: tidy(cell.text) })
      } else if (tag === 'table' && isInFigures) {
        tokens.isWhole = !isImplied
        isInFigures = false
      } else if (part?.tag === tag) {
        const text = tidy(part.text)
        if (tag === 'p') tokens.headings.push(text)
        else if (tag === 'label') tokens.labels.push(text)
        else if (tag === 'span') tokens.spans.push({ id: part.id, text })
        else isInFigures = text === 'Class Availability'
        part = null
      }
    },
  })
  return tokens
}
