import { percentile, type Figure } from '../bench/report.ts'
import type { World } from '../world/world.ts'
import { confirmations, type ActiveUsers } from './active-users.ts'
import type { Lateness } from './lateness.ts'
import { growth, type Sample } from './memory.ts'
import type { Tally } from './visitors.ts'
import { early, lostOf, messagesOf, opened, twice, type Watched } from './watched.ts'

/** @param repeated deliveries that the app marked as repeated */
export function messageFigures(watched: readonly Watched[], world: World, repeated: number): Figure[] {
  const delays = [...messagesOf(world, opened(watched))].flatMap(([{ openedAt }, [first]]) =>
    openedAt === null || first === undefined ? [] : [(first - openedAt) / 1000],
  )
  return [
    { what: 'openings at the world of a watched section', value: opened(watched).length, unit: '', atLeast: 1 },
    { what: 'of them no one was notified of', value: lostOf(watched, world).length, unit: '', exactly: 0 },
    { what: 'messages sent twice', value: twice(watched, world), unit: '', exactly: 0 },
    { what: 'messages about sections that never opened', value: early(watched, world), unit: '', exactly: 0 },
    { what: 'deliveries the app repeated', value: repeated, unit: '', note: 'allowed once where no one can be asked' },
    {
      what: 'from opening to message, median',
      value: percentile(delays, 0.5),
      unit: 's',
      note: `95 % within ${Math.round(percentile(delays, 0.95))} s`,
    },
  ]
}

export function latenessFigures({ waits, disturbedWaits, late }: Lateness): Figure[] {
  return [
    {
      what: 'alerts later than the pacer and faults explain',
      value: late.length,
      unit: '',
      exactly: 0,
      note: `of ${waits.length + disturbedWaits.length}`,
    },
    {
      what: 'from alert to acceptance with nothing in its way, longest',
      value: Math.max(0, ...waits),
      unit: 's',
      note: `median ${percentile(waits, 0.5).toFixed(1)} s; where something was, ${Math.round(Math.max(0, ...disturbedWaits))} s`,
    },
  ]
}

export function visitorFigures(tally: Tally, minutes: number): Figure[] {
  const statuses = [...tally.byStatus].toSorted(([one], [other]) => one - other)
  return [
    {
      what: 'honest requests refused or failed',
      value: tally.failed,
      unit: '',
      exactly: 0,
      note: statuses.map(([status, times]) => `${status}: ${times}`).join(', '),
    },
    { what: 'visitors who gave up after 20 s', value: tally.timedOut, unit: '', exactly: 0 },
    { what: 'requests', value: tally.asked, unit: '', note: `${tally.logins} of them logged in` },
    {
      what: 'requests a second',
      value: tally.asked / (minutes * 60),
      unit: '',
      note: `${tally.shed} more were not made`,
    },
    { what: 'connections refused or cut while it restarted', value: tally.refusedConnections, unit: '' },
    {
      what: 'to the whole answer, median',
      value: percentile(tally.times, 0.5),
      unit: 'ms',
      note: `99 % within ${Math.round(percentile(tally.times, 0.99))} ms`,
    },
  ]
}

export function guestFigures(guests: ActiveUsers, world: World): Figure[] {
  const all = confirmations(world, guests)
  const came = all.filter((seconds) => seconds !== null)
  return [
    { what: 'people who joined a server', value: guests.joined(), unit: '' },
    {
      what: 'people who signed up and got no mail',
      value: all.length - came.length,
      unit: '',
      exactly: 0,
      note: `${all.length} signed up; mails took ${percentile(came, 0.5).toFixed(1)} s, the slowest ${Math.round(Math.max(0, ...came))} s`,
    },
  ]
}

/** With less, the noise outweighs growth: samples of a level life differ by up to 8 MB. */
const MIN_MEASURED_MINUTES = 3

/** @param startedAt ms since epoch @param from minutes after it that are left out */
export function memoryFigure(samples: readonly Sample[], startedAt: number, from: number): Figure {
  const { slope, count, minutes } = growth(samples, startedAt + from * 60_000)
  const isLongEnough = minutes >= MIN_MEASURED_MINUTES
  return {
    what: 'memory of the runtime, growth',
    value: slope,
    unit: 'MB/min',
    ...(isLongEnough && { atMost: 1 }),
    note: `${count} samples of ${minutes.toFixed(1)} minutes from minute ${from.toFixed(0)}, ${Math.round(samples.at(-1)?.mb ?? NaN)} MB at the end${isLongEnough ? '' : '; too short to tell growth from a start'}`,
  }
}
