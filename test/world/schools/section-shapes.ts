import type { Random } from '../random.ts'
import type { Instructor, Meeting, Seats, School } from './types.ts'
import { BUILDINGS, FIRST_NAMES, LAST_NAMES } from './words.ts'

const DAY_PATTERNS = ['MW', 'TR', 'MWF', 'M', 'T', 'W', 'R', 'F', 'S', 'MTWR'] as const

function clock(minutes: number): string {
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}${String(minutes % 60).padStart(2, '0')}`
}

function classMeeting(random: Random, kind: Meeting['kind']): Meeting {
  const begins = random.between(16, 40) * 30 + random.pick([0, 5, 15])
  const length = kind === 'laboratory' ? 170 : random.pick([50, 75, 80, 165])
  return {
    days: random.pick(DAY_PATTERNS),
    begins: clock(begins),
    ends: clock(Math.min(begins + length, 23 * 60)),
    building: random.pick(BUILDINGS),
    room: String(random.between(100, 499)),
    kind,
  }
}

const ONLINE_MEETING: Meeting = { days: '', begins: null, ends: null, building: null, room: null, kind: 'online' }

/** Usually one pattern; also several, one partly online, none, and fully online ones. */
export function makeMeetings(random: Random): { meetings: Meeting[]; mode: string } {
  const shape = random.weighted([
    [64, 'one'],
    [14, 'two'],
    [3, 'three'],
    [6, 'hybrid'],
    [8, 'online'],
    [5, 'none'],
  ] as const)
  const lecture = (): Meeting => classMeeting(random, 'lecture')
  if (shape === 'online') return { meetings: [ONLINE_MEETING], mode: 'Online Asynchronous' }
  if (shape === 'none') return { meetings: [], mode: 'In Person' }
  if (shape === 'hybrid') return { meetings: [lecture(), ONLINE_MEETING], mode: 'Hybrid Asynchronous' }
  if (shape === 'two') return { meetings: [lecture(), classMeeting(random, 'laboratory')], mode: 'In Person' }
  if (shape === 'three')
    return { meetings: [lecture(), lecture(), classMeeting(random, 'laboratory')], mode: 'In Person' }
  return { meetings: [lecture()], mode: 'In Person' }
}

/** None yet, one, or two people. */
export function makeInstructors(random: Random): Instructor[] {
  const count = random.weighted([
    [8, 0],
    [80, 1],
    [12, 2],
  ] as const)
  return Array.from({ length: count }, () => ({ first: random.pick(FIRST_NAMES), last: random.pick(LAST_NAMES) }))
}

/**
 * Free seats, a last seat, full with and without a waitlist, over-enrolled, free but owed to the waitlist, reserved.
 */
export function makeSeats(random: Random, school: School): Seats {
  const capacity = random.pick([8, 15, 20, 24, 25, 28, 30, 35, 40, 60, 120, 240])
  const waitCapacity = random.pick([0, 0, 5, 10, 20, 999])
  const list = Math.min(Math.max(waitCapacity, 5), 20)
  const seats = (enrolled: number, waitCount = 0, cap = waitCapacity, held = 0): Seats => ({
    capacity,
    enrolled,
    waitCapacity: cap,
    waitCount,
    held,
  })
  const shape = random.weighted([
    [46, 'room'],
    [9, 'last'],
    [15, 'full'],
    [12, 'list'],
    [3, 'full_list'],
    [4, 'over'],
    [3, 'owed'],
    [2, 'held'],
    [1, 'empty'],
  ] as const)
  if (shape === 'last') return seats(capacity - random.between(1, 2))
  if (shape === 'full') return seats(capacity, 0, random.chance(0.7) ? 0 : list)
  if (shape === 'list') return seats(capacity, random.between(1, list - 1), list)
  if (shape === 'full_list') return seats(capacity, list, list)
  if (shape === 'over') return seats(capacity + random.between(1, 9), 0, random.chance(0.5) ? 0 : list)
  if (shape === 'owed') return seats(capacity - 2, random.between(2, 4), list)
  if (shape === 'held' && school.institution !== null) return seats(capacity - 1, 0, 0, 1)
  if (shape === 'empty') return seats(0)
  return seats(random.between(Math.floor(capacity * 0.3), capacity - 3))
}
