import { crossListAvailable, seatsAvailable, statusOf } from '../schools/seats.ts'
import type { Instructor, Meeting, Section, Term } from '../schools/types.ts'

/** How one class search differs from the next. */
export interface FoseStyle {
  /** The name of the school whose classes it shows. */
  school: string
  /** How terms are named on the public page. */
  termList: 'script' | 'choice'
  /** How details show seats: words before the figures, or elements with classes. */
  seats: 'words' | 'elements'
  /** Rows have a second letter for the status. */
  hasEnrollmentLetter: boolean
  /** Answers programs that do not look like a browser with an empty 202. */
  wantsBrowser: boolean
}

const DAYS = 'MTWRFSU'
const SHORT_DAYS: Readonly<Record<string, string>> = { R: 'Th', U: 'Su' }
const LETTERS = { open: 'A', waitlisted: 'W', closed: 'F' } as const
const ENROLLMENT_LETTERS = { open: 'O', waitlisted: 'W', closed: 'C' } as const
const WORDS = { open: 'Open', waitlisted: 'Wait List', closed: 'Closed' } as const
const SEASON_DIGITS = { Spring: '1', Summer: '6', Fall: '9' } as const

/** "5269": a 5, the year's last two digits, the season. */
export function termCode({ year, season }: Term): string {
  return `5${year % 100}${SEASON_DIGITS[season]}`
}

export function codeOf({ course }: Section): string {
  return `${course.subject.code} ${course.level}`
}

function nameOf({ first, last }: Instructor): string {
  return `${first.slice(0, 1)}. ${last}`
}

/** "0830" → "830" */
function time(hhmm: string | null): string {
  return String(Number(hhmm ?? '0'))
}

/** "1005" → "10:05a", "1300" → "1p" */
function clock(hhmm: string | null): string {
  const [hour, minutes] = [Number(hhmm?.slice(0, 2) ?? 0), hhmm?.slice(2) ?? '00']
  return `${hour % 12 === 0 ? 12 : hour % 12}${minutes === '00' ? '' : `:${minutes}`}${hour < 12 ? 'a' : 'p'}`
}

const timed = ({ meetings }: Section): Meeting[] => meetings.filter(({ begins }) => begins !== null)

function meets(section: Section): string {
  const patterns = timed(section).map(({ days, begins, ends }) => {
    const names = [...days].map((day) => SHORT_DAYS[day] ?? day).join('')
    return `${names} ${clock(begins)}-${clock(ends)}`
  })
  return patterns.join('; ') || 'Does Not Meet'
}

/** JSON inside a text, as at the real one. */
function meetingTimes(section: Section): string {
  return JSON.stringify(
    timed(section).flatMap(({ days, begins, ends }) =>
      [...days].map((day) => ({
        meet_day: String(DAYS.indexOf(day)),
        start_time: time(begins),
        end_time: time(ends),
      })),
    ),
  )
}

/**
 * One row of a list. `key` is its position in this answer and has no meaning; `total` counts sections of the course.
 */
export function rowOf(section: Section, key: number, total: number, style: FoseStyle): Record<string, unknown> {
  const { course, term, number, code, component, instructors, topic } = section
  const status = statusOf(section)
  return {
    key: String(key),
    code: codeOf(section),
    title: topic === null ? course.title : `${course.title}: ${topic}`,
    crn: number,
    no: code,
    total: String(total),
    schd: component,
    stat: LETTERS[status],
    ...(style.hasEnrollmentLetter
      ? { enrl_stat: ENROLLMENT_LETTERS[status] }
      : { hide: '', permreq: 'N', changehash: 'x' }),
    isCancelled: '',
    meets: meets(section),
    mpkey: '1',
    meetingTimes: meetingTimes(section),
    instr: instructors.map(nameOf).join('/') || 'TBD',
    start_date: term.starts,
    end_date: term.ends,
    srcdb: termCode(term),
  }
}

/** What is left for this section; never below 0, and without a mention of waitlists if there is none. */
function seatsOf(section: Section, { seats: form }: FoseStyle): string {
  const { seats } = section
  const own = seatsAvailable(section)
  const free = Math.max(0, Math.min(own, crossListAvailable(section) ?? own))
  const list = seats.waitCapacity > 0 || seats.waitCount > 0
  if (form === 'elements') {
    const waiting = list ? ` <b>Waitlist Total:</b> <span class="waitlist_total">${seats.waitCount}</span>` : ''
    return (
      `<b>Maximum Enrollment:</b> <span class="seats_max">${seats.capacity}</span> / ` +
      `<b>Seats Avail:</b> <span class="seats_avail">${free}</span>${waiting}`
    )
  }
  const waiting = list ? `<br/><strong>Waitlist Total</strong>: ${seats.waitCount}, Auto-Enroll` : ''
  return `<strong>Maximum Enrollment</strong>: ${seats.capacity} / <strong>Seats Avail</strong>: ${free}${waiting}`
}

/** The details of one section, with the rows of all sections of its course. */
export function detailsOf(section: Section, siblings: readonly Section[], style: FoseStyle): object {
  const { instructors, term, mode, code } = section
  const { no: _no, meets: text, isCancelled: _mark, enrl_stat: _letter, ...row } = rowOf(section, 1, 1, style)
  return {
    ...row,
    section: code,
    enrl_stat_html: WORDS[statusOf(section)],
    seats: seatsOf(section, style),
    dates_html: `${term.starts} through ${term.ends}`,
    inst_method_code: mode,
    meeting_html: `<div class="meet">${String(text)}</div>`,
    instructordetail_html: instructors.map((one) => `<div class="instructor-name">${nameOf(one)}</div>`).join('\n'),
    description: 'For students of this program &amp; others.',
    allInGroup: siblings.map((sibling, index) => rowOf(sibling, index, siblings.length, style)),
  }
}
