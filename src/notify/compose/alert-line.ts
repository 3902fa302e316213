import { oneLine } from '../clean-text.ts'

/** One alert as the tracker knows it. Every text may come from a school and is treated as such. */
export interface AlertLine {
  kind: 'opening' | 'reminder'
  code: string
  level: string
  topic: string
  instructors: string[]
  days_times: string[]
  /** Null: the school gives no figure. Negative (over-enrolled) is shown as 0. */
  seats_available: number | null
  /** The section at the school, else its registration page. Anything but http and https is left out. */
  link: string | null
  school: string
  /** The section code. */
  section: string
  /** The school's own id of the section (CRN, class number). */
  number: string
}

/** An alert with every text clean and of bounded length; parts that are empty are ''. */
export interface CleanAlert {
  is_reminder: boolean
  /** 'CODE LEVEL' */
  course: string
  /** 'CODE LEVEL - topic' */
  name: string
  /** 'CODE LEVEL - topic (instructors), days and times, n seats', with 'Still open: ' before a reminder. */
  sentence: string
  /** 'School, section 02, number 12345' */
  place: string
  link: string | null
}

const MOST_LISTED = 4
const MAX_LINK = 400

export function cleanAlert(alert: AlertLine): CleanAlert {
  const course = joined([oneLine(alert.code, 20), oneLine(alert.level, 20)], ' ')
  const name = joined([course, oneLine(alert.topic, 120)], ' - ')
  const instructors = listed(alert.instructors, 60)
  const facts = [listed(alert.days_times, 60), seatCount(alert.seats_available)]
  const titled = instructors === '' ? name : `${name} (${instructors})`
  const sentence = joined([titled, ...facts], ', ')
  const section = oneLine(alert.section, 20)
  const number = oneLine(alert.number, 20)
  const place = [oneLine(alert.school, 80), section && `section ${section}`, number && `number ${number}`]
  const isReminder = alert.kind === 'reminder'
  return {
    is_reminder: isReminder,
    course,
    name,
    sentence: isReminder ? `Still open: ${sentence}` : sentence,
    place: joined(place, ', '),
    link: webLink(alert.link),
  }
}

/** The link with everything odd in it percent-encoded, so that it has no space, quote or angle bracket; else null. */
export function webLink(text: string | null): string | null {
  const url = text === null ? null : URL.parse(text)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return null
  if (url.username !== '' || url.password !== '') return null
  const link = url.href.replaceAll('<', '%3C').replaceAll('>', '%3E').replaceAll('"', '%22')
  return link.length <= MAX_LINK && /^[\x21-\x7E]+$/.test(link) ? link : null
}

function listed(texts: string[], longest: number): string {
  const clean = texts.map((text) => oneLine(text, longest)).filter((text) => text !== '')
  const shown = clean.slice(0, MOST_LISTED)
  if (clean.length > MOST_LISTED) shown.push(`+${clean.length - MOST_LISTED}`)
  return shown.join(', ')
}

function seatCount(seats: number | null): string {
  if (seats === null || !Number.isFinite(seats)) return ''
  const count = Math.max(0, Math.trunc(seats))
  return count === 1 ? '1 seat' : `${count} seats`
}

function joined(parts: string[], separator: string): string {
  return parts.filter((part) => part !== '').join(separator)
}
