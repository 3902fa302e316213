import { oneLine } from '../clean-text.ts'
import { preventAutolinks, withoutAddresses } from './prevent-autolinks.ts'

/** The facts of one alert. Every text may come from a school and is not trusted. */
export interface AlertFacts {
  kind: 'opening' | 'reminder'
  code: string
  level: string
  title: string
  section: string
  /** The school's own word for `number`: CRN, Class #, Index, Synonym. */
  label: string
  /** The school's own id of the section: what a student types to register. */
  number: string
  /** Null if the school gives no figure. A negative one (over-enrolled) is shown as 0. */
  seats_available: number | null
  capacity: number | null
  instructors: string[]
  days_times: string[]
  places: string[]
  school: string
  term: string
  /** Where to register, otherwise null. URLs other than http and https are left out. */
  register_url: string | null
  /** When the seats were last read, ms since epoch; null if they never were. */
  observed_at: number | null
  time_zone: string
}

/** Texts are clean, of bounded length and hold nothing that a program would link; missing parts are ''. */
export interface CleanAlert {
  is_reminder: boolean
  /** 'CODE LEVEL' */
  course: string
  /** 'CODE LEVEL-section' */
  name: string
  title: string
  label: string
  number: string
  seats_available: number | null
  capacity: number | null
  when: string
  where: string
  instructors: string
  school: string
  term: string
  register_url: string | null
  /** 'checked 10:42:12 AM EST' */
  checked: string
}

const MAX_LISTED = 6
const MAX_LINK = 400

export function cleanAlert(alert: AlertFacts): CleanAlert {
  const course = withoutAddresses(joined([oneLine(alert.code, 20), oneLine(alert.level, 20)], ' '))
  return {
    is_reminder: alert.kind === 'reminder',
    course,
    name: withoutAddresses(joined([course, oneLine(alert.section, 20)], '-')),
    title: preventAutolinks(oneLine(alert.title, 120)),
    label: withoutAddresses(oneLine(alert.label, 12)) || 'Number',
    number: withoutAddresses(oneLine(alert.number, 24)),
    seats_available: countOf(alert.seats_available),
    capacity: countOf(alert.capacity),
    when: listed(alert.days_times),
    where: listed(alert.places),
    instructors: listed(alert.instructors),
    school: preventAutolinks(oneLine(alert.school, 80)),
    term: preventAutolinks(oneLine(alert.term, 40)),
    register_url: webLink(alert.register_url),
    checked: alert.observed_at === null ? '' : `checked ${clockTime(alert.observed_at, alert.time_zone)}`,
  }
}

/** 'Seat open', or 'Still open' for a reminder. */
export function eventOf({ is_reminder }: Pick<CleanAlert, 'is_reminder'>): string {
  return is_reminder ? 'Still open' : 'Seat open'
}

/** '3 seats open', or '3 seats still open' when all are reminders. */
export function eventOfSeveral(alerts: readonly CleanAlert[]): string {
  return `${alerts.length} seats ${alerts.every(({ is_reminder }) => is_reminder) ? 'still open' : 'open'}`
}

/** 'Seat open: CODE LEVEL-section title'; for several alerts '3 seats open: CODE LEVEL, …'. At most 120 characters. */
export function subjectLine(alerts: readonly CleanAlert[]): string {
  const [only, ...others] = alerts
  if (only !== undefined && others.length === 0) {
    return oneLine(`${eventOf(only)}: ${joined([only.name, only.title], ' ')}`, 120)
  }
  const courses = [...new Set(alerts.map(({ course }) => course))].join(', ')
  return oneLine(`${eventOfSeveral(alerts)}: ${courses}`, 120)
}

/** '3 left of 120'; '' without a figure. */
export function seatsText({ seats_available, capacity }: Pick<CleanAlert, 'seats_available' | 'capacity'>): string {
  if (seats_available === null) return ''
  return capacity === null ? `${seats_available} left` : `${seats_available} left of ${capacity}`
}

/** The link, percent-encoded so that it has no space, quote or angle bracket; null if it is not a link. */
export function webLink(text: string | null): string | null {
  const url = text === null ? null : URL.parse(text)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return null
  if (url.username !== '' || url.password !== '') return null
  const link = url.href.replaceAll('<', '%3C').replaceAll('>', '%3E').replaceAll('"', '%22')
  return link.length <= MAX_LINK && /^[\x21-\x7E]+$/.test(link) ? link : null
}

export function joined(parts: readonly string[], separator: string): string {
  return parts.filter((part) => part !== '').join(separator)
}

function listed(texts: readonly string[]): string {
  const clean = [...new Set(texts.map((text) => preventAutolinks(oneLine(text, 60))).filter((text) => text !== ''))]
  const shown = clean.slice(0, MAX_LISTED)
  if (clean.length > MAX_LISTED) shown.push(`+${clean.length - MAX_LISTED} more`)
  return shown.join('; ')
}

function countOf(figure: number | null): number | null {
  return figure === null || !Number.isFinite(figure) ? null : Math.max(0, Math.trunc(figure))
}

/** Kept because creating a formatter costs more than using it, and schools are in few time zones. */
const formats = new Map<string, Intl.DateTimeFormat>()

function clockTime(at: number, timeZone: string): string {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('en-US', {
      hour: 'numeric',
      minute: '2-digit',
      second: '2-digit',
      timeZone,
      timeZoneName: 'short',
    })
  formats.set(timeZone, format)
  return format.format(at).replace(/\s/gu, ' ')
}
