import { isoDay } from '../class-dates.ts'
import { few, joined } from '../entries.ts'
import { isRecord } from '../json-page.ts'
import { placeOf } from '../places.ts'
import { memoized } from '../memoized.ts'
import type { SourceSection } from '../source.ts'
import { tidy } from '../text.ts'
import { readFigures, readStatus } from './figures.ts'
import { readInstruction } from './meetings.ts'

/** A row of a list of sections, with the fields that show whether it answers the question. */
export interface ColleagueRow {
  term: string
  /** The location's code; '' if the section has none. */
  location: string
  /** The last day of its term; '' if the row does not say. */
  term_ends_on: string
  section: SourceSection
}

/** Null if it does not identify its section: searches take `Id`; `Number` is unique only within a course. */
export function readRow(row: unknown): ColleagueRow | null {
  if (!isRecord(row)) return null
  const key = tidy(row['Id'])
  if (key === '') return null
  const course = isRecord(row['Course']) ? row['Course'] : {}
  const term = isRecord(row['Term']) ? row['Term'] : {}
  const doubts: string[] = []
  const stated = readStatus(row)
  const figures = readFigures(row, stated, doubts)
  const subject = tidy(course['SubjectCode'])
  const topic = tidy(row['Title'])
  return {
    term: tidy(row['TermId']) || tidy(term['Code']),
    location: tidy(row['LocationCode']),
    term_ends_on: termEndOf(term),
    section: {
      section_key: key,
      stated,
      figures,
      doubts,
      subject,
      code: subject,
      level: tidy(course['Number']),
      title: tidy(course['Title']) || topic,
      number: tidy(row['Synonym']) || key,
      section: tidy(row['Number']),
      topic,
      instruction_list: readInstruction(row['FacultyDisplay'], row['FormattedMeetingTimes']),
      instruction_mode: readMode(row),
      campus: tidy(row['LocationDisplay']),
      credits: readCredits(row),
      place: joined(row['FormattedMeetingTimes'], placeIn),
      starts_on: dayOf(row['StartDate']),
      ends_on: dayOf(row['EndDate']),
    },
  }
}

function readMode(row: Record<string, unknown>): string {
  const shown = row['InstructionalMethodsDisplay']
  if (!Array.isArray(shown)) {
    return joined(row['FormattedMeetingTimes'], (meeting) => tidy(meeting['InstructionalMethodDisplay']))
  }
  const [only] = shown
  if (shown.length === 1) return tidy(only)
  return [...new Set(few(shown).map(tidy))].filter((mode) => mode !== '').join(', ')
}

function readCredits(row: Record<string, unknown>): string {
  const shown = tidy(row['CreditsDisplay'])
  const least = row['MinimumCredits']
  return shown !== '' || typeof least !== 'number' ? shown : String(least)
}

function placeIn(meeting: Record<string, unknown>): string {
  return meeting['IsOnline'] === true ? 'Online' : placeOf(meeting['BuildingDisplay'], meeting['RoomDisplay'])
}

function dayOf(value: unknown): string {
  return typeof value === 'string' ? dayIn(value) : ''
}

/** The older generation writes the time of its local midnight, which in the Americas is on the same day in UTC. */
const dayIn = memoized((text) => {
  const ms = Number(/^\/Date\((\d{1,14})\)\/$/.exec(text)?.[1] ?? Number.NaN)
  return isoDay(Number.isNaN(ms) ? text : new Date(ms).toISOString())
})

/** Some schools leave placeholders as a term's days, on which nothing begins or ends. */
function termEndOf(term: Record<string, unknown>): string {
  const [from, to] = [dayOf(term['StartDate']), dayOf(term['EndDate'])]
  return from !== '' && from < to ? to : ''
}
