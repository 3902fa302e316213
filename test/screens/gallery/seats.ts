import type { App, Statement } from '../../browser/app.ts'
import { randomFrom } from '../../world/random.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

export interface WatchedSeat {
  school: string
  title: string
  status: 'open' | 'waitlisted' | 'closed'
  free: number
  capacity: number
  /** Free places on the waitlist; null if the school has none. */
  waitlist: number | null
  /** The ids of the people who wait for it. */
  watchers: readonly number[]
  /**
   * When it opened, minutes ago, newest first. It closed again a while after each, except after the newest of an open
   * one.
   */
  opened: readonly number[]
}

const harbor = 'Harbor State University'
const northfield = 'Northfield Technical University'
const cedar = 'Cedar Valley Community College'
const maple = 'Maple Ridge University'
const oldMill = 'Old Mill College'

/** The school that does not answer, and the one that needs a request per section. */
export const failing = cedar
export const slow = oldMill

const seat = (
  school: string,
  title: string,
  [status, free, capacity, waitlist]: readonly [WatchedSeat['status'], number, number, (number | null)?],
  watchers: readonly number[],
  opened: readonly number[] = [],
): WatchedSeat => ({ school, title, status, free, capacity, waitlist: waitlist ?? null, watchers, opened })

/** Watched sections at several schools: open, waitlisted and closed, some with many watchers. */
export const seats: readonly WatchedSeat[] = [
  seat(harbor, 'Data Structures & Algorithms', ['open', 1, 35, 0], [1, 10, 13, 14], [4, 1610]),
  seat('Queens College', 'Linear Algebra', ['open', 3, 28], [12, 19], [26]),
  seat(northfield, 'Organic Chemistry I', ['open', 14, 120, 0], [1, 10, 19], [71, 2900]),
  seat(harbor, 'Financial Accounting', ['open', 2, 60, 0], [11, 15], [158]),
  seat(maple, 'Principles of Biology', ['open', 6, 48], [18, 20], [236]),
  seat('Baruch College', 'Corporate Finance', ['closed', 0, 110], [12, 16], [322]),
  seat(harbor, 'General Physics I', ['closed', 0, 96, 0], [10, 14], [409]),
  seat('Queens College', 'Introduction to Psychology', ['closed', 0, 45], [15], [503, 1490]),
  seat(northfield, 'Microeconomics', ['waitlisted', 0, 60, 4], [11, 16], [640]),
  seat('Hunter College', 'Genetics', ['waitlisted', 0, 24], [1, 19], [1530]),
  seat(harbor, 'Organic Chemistry II', ['waitlisted', 0, 80, 2], [10], [1745]),
  seat(cedar, 'Fundamentals of Nursing', ['closed', 0, 32, 0], [18, 20], [1420]),
  seat(cedar, 'Human Anatomy & Physiology', ['closed', 0, 40, 5], [18]),
  seat(cedar, 'College Writing', ['waitlisted', 0, 25, 3], [16, 17]),
  seat(harbor, 'Operating Systems', ['closed', 0, 42, 0], [1, 13, 14], [2810]),
  seat('Baruch College', 'Auditing', ['closed', 0, 35], [12]),
  seat('Baruch College', 'Econometrics', ['closed', 0, 30], [11]),
  seat('Hunter College', 'Abnormal Psychology', ['closed', 0, 38], [17, 15]),
  seat(northfield, 'Quantum Mechanics', ['closed', 0, 18, 0], [14], [4300]),
  seat(northfield, 'Machine Learning', ['closed', 0, 64, 0], [1, 13, 14]),
  seat(maple, 'Statistics for the Behavioral Sciences', ['closed', 0, 54], [20]),
  seat(maple, 'Calculus II', ['closed', 0, 36], [12, 19]),
  seat(oldMill, 'College Writing', ['closed', 0, 22], [16]),
  seat(oldMill, 'Elementary Spanish', ['closed', 0, 26], [15]),
  seat('Queens College', 'Ethics', ['closed', 0, 40], [11]),
]

interface Offered {
  id: number
  school: string
  course: number
  title: string
}

/**
 * The section of each of {@link seats}: one with that title if the school has it, otherwise of another course, without
 * duplicates.
 */
export async function sectionsOf(app: App): Promise<Map<WatchedSeat, number>> {
  const offered = await app.sql<Offered>(
    `SELECT s.id, h.name AS school, c.id AS course, c.title FROM section s JOIN course c ON c.id = s.course_id
     JOIN school_term st ON st.id = s.school_term_id JOIN school h ON h.id = st.school_id JOIN term t ON t.id = st.term_id
     WHERE t.id = (SELECT id FROM term ORDER BY year DESC, season = 'fall' DESC, season = 'summer' DESC LIMIT 1)
     ORDER BY h.id, c.id, s.section_key`,
  )
  const taken = new Set<number>()
  return new Map(
    seats.map((one) => {
      const here = offered.filter(({ school, course }) => school === one.school && !taken.has(course))
      const found = here.find(({ title }) => title === one.title) ?? here[Math.floor(here.length / 2)]
      if (!found) throw new Error(`${one.school} has too few courses.`)
      taken.add(found.course)
      return [one, found.id]
    }),
  )
}

/** The last known seats, who waits for them, and a week of history. */
export function seatsSql(sections: ReadonlyMap<WatchedSeat, number>, now: number): Statement[] {
  return [...sections].flatMap(([one, id]): Statement[] => [
    {
      text: `UPDATE section SET status = ?, seats_available = ?, capacity = ?, waitlist_available = ?,
          missing_since = NULL, unknown_since = NULL WHERE id = ?`,
      values: [one.status, one.free, one.capacity, one.waitlist, id],
    },
    {
      text: `INSERT INTO watch (recipient_id, section_id, created_at, is_new)
        SELECT value, ?1, ?2 - key * 26000000, 0 FROM json_each(?3)`,
      values: [id, now - 30 * hourMs, JSON.stringify(one.watchers)],
    },
    {
      text: `INSERT INTO seat_change (section_id, at, status, seats_available, capacity, waitlist_available)
        SELECT ?1, value ->> 0, value ->> 1, value ->> 2, ?2, ?3 FROM json_each(?4)`,
      values: [id, one.capacity, one.waitlist, JSON.stringify(weekOf(one, now))],
    },
  ])
}

/** When it opened and closed, and how many seats were free, oldest first. */
function weekOf(one: WatchedSeat, now: number): [at: number, status: WatchedSeat['status'], free: number][] {
  const random = randomFrom(one.title + one.school)
  const full = one.status === 'waitlisted' ? 'waitlisted' : 'closed'
  const earlier = Array.from({ length: random.between(0, 2) }, (_, index) => 5200 + index * random.between(900, 1900))
  const opened = [...one.opened, ...earlier].toReversed()
  const changes: [number, WatchedSeat['status'], number][] = [[now - 168 * hourMs, full, 0]]
  for (const [index, minutes] of opened.entries()) {
    const at = now - minutes * minuteMs
    const isNow = one.status === 'open' && index === opened.length - 1
    const next = now - (opened[index + 1] ?? 0) * minuteMs
    const free = isNow ? one.free : random.between(1, 5)
    const until = isNow ? next : at + Math.min((next - at) * 0.6, random.between(60, 1500) * minuteMs)
    changes.push([at, 'open', isNow ? free + 1 : free])
    if (free > 1 || isNow) changes.push([at + (until - at) * 0.4, 'open', isNow ? free : free - 1])
    if (!isNow) changes.push([until, full, 0])
  }
  return changes.map(([at, status, free]) => [Math.round(at), status, free])
}
