import { datesOf, isoDay } from '../class-dates.ts'
import { placeOf, placesOf } from '../places.ts'
import { isRecord } from '../record.ts'
import { remembered } from '../remembered.ts'
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

/**
 * Reads one row; null if it does not identify its section. Searches take `Id`; `Number` is unique only within a course.
 */
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
      ...readPlaceAndDates(row),
    },
  }
}

function readMode(row: Record<string, unknown>): string {
  const shown = row['InstructionalMethodsDisplay']
  const meetings = row['FormattedMeetingTimes']
  const ofMeetings = Array.isArray(meetings)
    ? meetings.filter(isRecord).map((meeting) => meeting['InstructionalMethodDisplay'])
    : []
  const modes = (Array.isArray(shown) ? shown : ofMeetings).map(tidy).filter((mode) => mode !== '')
  return [...new Set(modes)].join(', ')
}

function readCredits(row: Record<string, unknown>): string {
  const shown = tidy(row['CreditsDisplay'])
  const least = row['MinimumCredits']
  return shown !== '' || typeof least !== 'number' ? shown : String(least)
}

/** The rooms of its meetings, and its own first and last day. */
function readPlaceAndDates(row: Record<string, unknown>): { place: string; starts_on: string; ends_on: string } {
  const given = row['FormattedMeetingTimes']
  const meetings = Array.isArray(given) ? given.filter(isRecord) : []
  const places = meetings.map((meeting) =>
    meeting['IsOnline'] === true ? 'Online' : placeOf(meeting['BuildingDisplay'], meeting['RoomDisplay']),
  )
  return { place: placesOf(places), ...datesOf([{ from: dayOf(row['StartDate']), to: dayOf(row['EndDate']) }]) }
}

function dayOf(value: unknown): string {
  return typeof value === 'string' ? dayIn(value) : ''
}

/** The older generation writes the time of its local midnight, which in the Americas is on the same day in UTC. */
const dayIn = remembered((text) => {
  const ms = Number(/^\/Date\((\d{1,14})\)\/$/.exec(text)?.[1] ?? Number.NaN)
  return isoDay(Number.isNaN(ms) ? text : new Date(ms).toISOString())
})

/** Some schools leave placeholders as a term's days, on which nothing begins or ends. */
function termEndOf(term: Record<string, unknown>): string {
  const [from, to] = [dayOf(term['StartDate']), dayOf(term['EndDate'])]
  return from !== '' && from < to ? to : ''
}
