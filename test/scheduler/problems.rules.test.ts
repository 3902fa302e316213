import { expect, test } from 'vitest'
import { problemsOf } from '../../src/scheduler/queues/problems.ts'
import type { QueueRow } from '../../src/scheduler/contract.ts'
import { jobRow, queueRow } from '../client/scheduler-samples.ts'

/** What keeps the scheduler's first page from saying that all is well. */

const now = Date.parse('2026-11-03T20:00:00Z')
const ago = (minutes: number) => new Date(now - minutes * 60_000).toISOString()
const row = (change: Partial<QueueRow> = {}) => queueRow({ last_tick_at: ago(1), ...change })
const calm = { queues: [row(), row({ name: 'refresh' })], failures: [], schedules: [] }
const schedule = {
  name: 'sweep-alerts',
  every: 'every minute',
  is_known: true,
  is_enabled: true,
  last_run_at: ago(1),
  next_run_at: null,
}

test('there is none if every queue answers, nothing failed lately and nothing waits', () => {
  const queues = [row({ oldest_queued_at: ago(4) }), row({ name: 'refresh', oldest_queued_at: ago(50) })]
  const failures = [jobRow({ ended_at: ago(25 * 60) })]
  const schedules = [
    { ...schedule, last_error: '' },
    { ...schedule, last_error: null },
  ]
  expect(problemsOf({ queues, failures, schedules }, now)).toEqual([])
})

test('there is one for a queue that does not answer', () => {
  const queues = [row(), row({ name: 'alerts', is_reachable: false })]
  expect(problemsOf({ ...calm, queues }, now)).toEqual(['The alerts queue does not answer.'])
})

test('there is one for jobs that failed in the last 24 hours', () => {
  const failures = [
    jobRow({ ended_at: ago(60) }),
    jobRow({ ended_at: ago(90) }),
    jobRow({ queue: 'alerts', ended_at: ago(1) }),
  ]
  expect(problemsOf({ ...calm, failures }, now)).toEqual([
    'Jobs in the polls queue failed in the last 24 hours.',
    'Jobs in the alerts queue failed in the last 24 hours.',
  ])
})

test('there is one for jobs that wait, unless their queue is paused', () => {
  const queues = [
    row({ oldest_queued_at: ago(6) }),
    row({ name: 'refresh', oldest_queued_at: ago(61) }),
    row({ name: 'alerts', oldest_queued_at: ago(600), paused: true }),
  ]
  expect(problemsOf({ ...calm, queues }, now)).toEqual([
    'A job in the polls queue has been waiting for 6 minutes.',
    'A job in the refresh queue has been waiting for 61 minutes.',
  ])
})

test('there is one for a schedule that is off', () => {
  const schedules = [{ ...schedule, is_enabled: false, last_error: '' }]
  expect(problemsOf({ ...calm, schedules }, now)).toEqual(['The schedule sweep-alerts is off.'])
})

test('there is one for a schedule whose last run failed', () => {
  const schedules = [{ ...schedule, last_error: 'Error: No answer.' }]
  expect(problemsOf({ ...calm, schedules }, now)).toEqual(['The schedule sweep-alerts failed.'])
})

test('there is one if the minute cron stopped, but not where it never ran', () => {
  const ticked = (...minutes: (number | null)[]) =>
    minutes.map((age) => row({ last_tick_at: age === null ? null : ago(age) }))
  const problems = (queues: QueueRow[]) => problemsOf({ ...calm, queues }, now)
  expect(problems(ticked(4, 5))).toEqual(['The last tick was 4 minutes ago: recurring jobs do not start.'])
  expect(problems(ticked(600, 3))).toEqual([])
  expect(problems(ticked(null, null))).toEqual([])
})
