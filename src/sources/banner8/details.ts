import { answeredWith, known, unexpectedAnswer, unknown } from '../answer.ts'
import type { Page } from '../http.ts'
import { figureOf } from '../json-page.ts'
import { NO_FIGURES } from '../judge.ts'
import type { Answer, Figures, Observation } from '../source.ts'
import { type InnerTable, readClassPage, type ShownClass } from './class-page.ts'
import { type Asked, factsOf, isOnCampus, lineEnding } from './listing.ts'
import { queryOf, readTitle } from './title.ts'

/** The rows of the table of seats, by their labels, because their order differs between schools. */
const ROWS: Readonly<Record<string, readonly [all: keyof Figures, taken: keyof Figures, left: keyof Figures]>> = {
  seats: ['capacity', 'enrolled', 'available'],
  'waitlist seats': ['waitlist_capacity', 'waitlist_total', 'waitlist_available'],
  'cross list seats': ['shared_capacity', 'shared_total', 'shared_available'],
}
const COLUMNS = ['capacity', 'actual', 'remaining'] as const

/**
 * The seats of one section, from its own page. It must be the page of this section, and complete. A page without a
 * table of seats belongs to a deleted section or a broken site, and says nothing.
 */
export function readDetails(reply: Page, asked: Asked, sectionKey: string): Answer<Observation> {
  const page = readClassPage(reply)
  const [shown] = page.classes
  const nothing = page.nothing()
  if (nothing !== '') return unknown('incomplete', `The school says: ${nothing}`)
  if (shown === undefined) return unexpectedAnswer('the page of a class')
  if (!page.isWhole || shown.seats?.isWhole === false) return unknown('incomplete', 'The class page is cut off.')
  const mismatch = findMismatch(shown, asked, sectionKey)
  if (mismatch !== null) return unknown('wrong_scope', mismatch)
  if (shown.seats === null) return unknown('incomplete', `The page of section ${sectionKey} has no table of seats.`)
  const doubts: string[] = []
  const figures = readSeats(shown.seats, asked, doubts)
  const isShared = shown.lines.some((line) => /^cross list courses/i.test(line))
  if (isShared && figures.shared_available === null) {
    doubts.push('The school says that the section is cross-listed, but not how many seats the cross-list has.')
  }
  const flags = figures.shared_capacity === null ? [] : (['combined'] as const)
  return known({ section_key: sectionKey, flags, stated: null, figures, doubts })
}

function findMismatch({ heading, lines, links }: ShownClass, asked: Asked, sectionKey: string): string | null {
  const title = readTitle(heading)
  if (title?.number !== sectionKey || title.subject !== asked.subject) {
    return `We asked for section ${sectionKey} of ${asked.subject}, and the school answered with "${heading.slice(0, 80)}".`
  }
  const terms = links.map((link) => queryOf(link)?.get('term_in') ?? null).filter((term) => term !== null)
  const other = terms.find((term) => term !== asked.term)
  if (other !== undefined) return answeredWith('term', asked.term, other)
  const campus = lineEnding(factsOf(lines), 'Campus')
  return isOnCampus(campus, asked.campus) ? null : `The class is on campus "${campus}", not on "${asked.campus}".`
}

/**
 * The figures by the labels of rows and columns. Schools print the seats and the waitlist, and the cross-list seats
 * if there are any. If a row is missing, duplicated or has another name, the others may mean something else.
 */
function readSeats({ rows }: InnerTable, { keepsNoList }: Asked, doubts: string[]): Figures {
  const figures = { ...NO_FIGURES }
  const headsAt = rows.findIndex((row) => COLUMNS.every((name) => row.some((cell) => cell.toLowerCase() === name)))
  const heads = rows[headsAt]?.map((cell) => cell.toLowerCase()) ?? []
  const found = new Set<string>()
  for (const row of rows.slice(headsAt + 1)) {
    if (row.length === 0) continue
    const label = (row[0] ?? '').replace(/\s*:$/, '')
    const names = ROWS[label.toLowerCase()]
    if (names === undefined || found.has(label) || row.length !== heads.length) {
      doubts.push(`The table of seats has a row that is not understood: "${row.join(' ').slice(0, 60)}".`)
      continue
    }
    found.add(label)
    for (const [index, column] of COLUMNS.entries()) {
      const name = names[index]
      if (name !== undefined)
        figures[name] = figureOf(row[heads.indexOf(column)] ?? '', `of ${label}, ${column}`, doubts)
    }
  }
  if (figures.available === null) doubts.push('The school does not report how many seats are free.')
  if (figures.waitlist_total === null && !keepsNoList)
    doubts.push('The school does not report how many people are waiting.')
  return figures
}
