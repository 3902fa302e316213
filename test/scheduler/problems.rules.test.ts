import { expect, test } from 'vitest'
import { problemsOf } from '../../src/scheduler/queues/problems.ts'
import { jobRow, queueRow } from '../client/scheduler-samples.ts'

/** What keeps the scheduler's first page from saying that all is well. */

const now = Date.parse('2026-11-03T20:00:00Z')
const ago = (minutes: number) => new Date(now - minutes * 60_000).toISOString()
const calm = { queues: [queueRow(), queueRow({ name: 'refresh' })], failures: [], schedules: [] }
const schedule = {
  name: 'sweep-alerts',
  every: 'every minute',
  is_known: true,
  is_enabled: true,
  last_run_at: ago(1),
  next_run_at: null,
}

test('there is none if every queue answers, nothing failed lately and nothing waits', () => {
  const queues = [queueRow({ oldest_queued_at: ago(4) }), queueRow({ name: 'refresh', oldest_queued_at: ago(50) })]
  const failures = [jobRow({ ended_at: ago(25 * 60) })]
  const schedules = [
    { ...schedule, last_error: '' },
    { ...schedule, last_error: null },
  ]
  expect(problemsOf({ queues, failures, schedules }, now)).toEqual([])
})

test('there is one for a queue that does not answer', () => {
  const queues = [queueRow(), queueRow({ name: 'alerts', is_reachable: false })]
  expect(problemsOf({ ...calm, queues }, now)).toEqual(['The queue alerts does not answer.'])
})

test('there is one for jobs that failed in the last 24 hours', () => {
  const failures = [
    jobRow({ ended_at: ago(60) }),
    jobRow({ ended_at: ago(90) }),
    jobRow({ queue: 'alerts', ended_at: ago(1) }),
  ]
  expect(problemsOf({ ...calm, failures }, now)).toEqual([
    'Jobs of polls failed in the last 24 hours.',
    'Jobs of alerts failed in the last 24 hours.',
  ])
})

test('there is one for jobs that wait, unless their queue is paused', () => {
  const queues = [
    queueRow({ oldest_queued_at: ago(6) }),
    queueRow({ name: 'refresh', oldest_queued_at: ago(61) }),
    queueRow({ name: 'alerts', oldest_queued_at: ago(600), paused: true }),
  ]
  expect(problemsOf({ ...calm, queues }, now)).toEqual([
    'A job of polls has been waiting for 6 minutes.',
    'A job of refresh has been waiting for 61 minutes.',
  ])
})

test('there is one for a schedule whose last run failed', () => {
  const schedules = [{ ...schedule, last_error: 'Error: No answer.' }]
  expect(problemsOf({ ...calm, schedules }, now)).toEqual(['The schedule sweep-alerts failed.'])
})
