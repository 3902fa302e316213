import type { QueueName } from '../../../src/jobs/job.ts'
import { randomFrom } from '../../world/random.ts'
import type { DayJob } from './jobs.ts'
import { failing, seats, slow } from './seats.ts'

const secondMs = 1000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

const random = () => randomFrom('a day of jobs')

/** Every minute: each watched source is polled in turn. Slow ones take longer. */
function polls(sources: readonly { id: number; name: string }[], now: number): DayJob[] {
  const { between } = random()
  const jobs: DayJob[] = []
  const watched = sources.filter(
    ({ name }) => seats.some(({ school }) => name.startsWith(school)) || name.startsWith('CUNY'),
  )
  for (let at = now - dayMs; at < now - minuteMs; at += minuteMs)
    for (const [place, { id, name }] of watched.entries()) {
      const isDown = name === failing && at > now - 14 * minuteMs
      jobs.push({
        task: 'poll-source',
        input: { source_id: id },
        at: at + place * 6 * secondMs,
        waitMs: between(20, 190),
        runMs: name === slow ? between(4200, 9600) : isDown ? between(80, 140) : between(240, 1300),
        state: 'finished',
        result: { asked: isDown ? 0 : between(1, 4) },
      })
    }
  return jobs
}

/** A message for each watcher of an opening, and a sweep every minute. */
function alerts(now: number): DayJob[] {
  const { between } = random()
  const sweeps = Array.from({ length: dayMs / minuteMs }, (_, minute): DayJob => {
    return {
      task: 'sweep-alerts',
      input: {},
      at: now - dayMs + minute * minuteMs,
      waitMs: between(15, 120),
      runMs: between(18, 70),
      state: 'finished',
      result: { released: 0, queued: 0 },
    }
  })
  const sent = seats.flatMap(({ opened, watchers }) =>
    opened
      .filter((minutes) => minutes * minuteMs < dayMs)
      .flatMap((minutes) =>
        Array.from({ length: watchers.length * 3 }, (_, place): DayJob => {
          return {
            task: 'send-delivery',
            input: { delivery_id: minutes + place },
            at: now - minutes * minuteMs + place * 40,
            waitMs: between(20, 320),
            runMs: between(300, 1900),
            state: 'finished',
            result: { state: 'sent' },
          }
        }),
      ),
  )
  const lost: DayJob = {
    task: 'send-alert-emails',
    input: { poll_id: 'gallery-9' },
    at: now - 5 * minuteMs,
    waitMs: 210,
    runMs: 15_000,
    state: 'failed',
    error: 'The mail provider did not answer within 15 s.',
    tries: 5,
  }
  return [...sweeps, ...sent, lost]
}

/** At night everything; during the day what people requested, one of which failed and one is still running. */
function refreshes(now: number): DayJob[] {
  const { between } = random()
  const input = (subject: number) => ({ school_id: 1 + (subject % 9), term_id: 2, subject_id: subject, by: 'nightly' })
  const nightly = Array.from({ length: 412 }, (_, index): DayJob => {
    return {
      task: index % 41 === 0 ? 'refresh-subjects' : 'refresh-sections',
      input: input(index),
      at: now - 11 * hourMs + index * 7 * secondMs,
      waitMs: between(200, 4000),
      runMs: between(900, 9400),
      state: 'finished',
      result: { courses_count: between(4, 60), failures: [] },
    }
  })
  const asked = Array.from({ length: 26 }, (_, index): DayJob => {
    return {
      task: 'refresh-sections',
      input: { ...input(index), by: 'admin' },
      at: now - 44 * minuteMs + index * 9 * secondMs,
      waitMs: between(60, 900),
      runMs: between(900, 6400),
      state: 'finished',
      result: { courses_count: between(4, 60), failures: [] },
      askedBy: 'admin',
    }
  })
  const failed: DayJob = {
    task: 'refresh-sections',
    input: { school_id: 3, term_id: 2, subject_id: 31, by: 'admin' },
    at: now - 9 * minuteMs,
    waitMs: 140,
    runMs: 2600,
    state: 'failed',
    error: `Nursing at ${failing}: The school returned status 502.`,
    tries: 3,
    askedBy: 'admin',
  }
  const running: DayJob = {
    task: 'refresh-sections',
    input: { school_id: 2, term_id: 2, subject_id: 0, by: 'admin' },
    at: now - 34 * secondMs,
    waitMs: 90,
    runMs: 0,
    state: 'started',
    askedBy: 'admin',
    progress: [12, 31, 'Northfield Technical University, Chemistry'],
  }
  return [...nightly, ...asked, failed, running]
}

/** Invites are checked and old data is deleted; then the queue was paused, and its jobs wait. */
function maintenance(now: number): DayJob[] {
  const { between } = random()
  const done = Array.from({ length: 280 }, (_, index): DayJob => {
    return {
      task: ['check-invites', 'check-invites', 'tidy-directory', 'delete-old-alerts'][index % 4] ?? 'check-invites',
      input: {},
      at: now - dayMs + index * 5 * minuteMs + 11 * secondMs,
      waitMs: between(20, 160),
      runMs: between(60, 1900),
      state: 'finished',
      result: { valid: between(1, 25) },
    }
  })
  const failed: DayJob = {
    task: 'check-invites',
    input: {},
    at: now - 51 * minuteMs,
    waitMs: 60,
    runMs: 8000,
    state: 'failed',
    error: 'Discord answered with status 503: upstream connect error',
    tries: 3,
  }
  const stopped: DayJob = { ...failed, at: now - 5 * hourMs, waitMs: 900, runMs: 0, state: 'canceled' }
  const waiting = [17, 12, 7].map((minutes): DayJob => {
    return { task: 'check-invites', input: {}, at: now - minutes * minuteMs, waitMs: 0, runMs: 0, state: 'queued' }
  })
  const later = [3, 9, 14].map((hours): DayJob => {
    return { task: 'archive-watches', input: {}, at: now + hours * hourMs, waitMs: 0, runMs: 0, state: 'scheduled' }
  })
  return [...done, failed, stopped, ...waiting, ...later]
}

/** What each queue did in the last 24 hours, oldest first. */
export function dayOf(sources: readonly { id: number; name: string }[], now: number): Record<QueueName, DayJob[]> {
  const rising = (jobs: readonly DayJob[]): DayJob[] => jobs.toSorted((one, other) => one.at - other.at)
  return {
    polls: rising(polls(sources, now)),
    alerts: rising(alerts(now)),
    refresh: rising(refreshes(now)),
    maintenance: rising(maintenance(now)),
  }
}
