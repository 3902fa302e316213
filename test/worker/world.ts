import { env } from 'cloudflare:workers'
import { expect } from 'vitest'
import { runCron } from '../../src/background-jobs.ts'
import { enqueue } from '../../src/jobs/enqueue.ts'
import type { JobKind, JobRecord } from '../../src/jobs/job.ts'
import { waitForJob } from '../../src/jobs/ledgers.ts'
import { inserted } from './rows.ts'

/** What the world would say about a section now. */
export interface WorldSection {
  source: string
  school: string
  term: string
  subject: string
  section: string
  status: string
  available: number
  capacity: number
  waitlist: number
}

/** What people have on their phones, in their mailboxes and channels. */
export interface Outbox {
  sms: { to: string; body: string; at: string }[]
  email: { to: string; subject: string; text: string; html: string; at: string }[]
  discord: { url: string; body: { content: string }; at: string }[]
  push: { device: string; title: string; body: string; url: string; at: string; shown_at: string | null }[]
}

async function ask<Answer>(path: string, init?: RequestInit): Promise<Answer> {
  const answer = await fetch(`${env.WORLD_URL}/_world/${path}`, init)
  expect(answer.status, path).toBeLessThan(300)
  return answer.json<Answer>()
}

const post = <Answer>(path: string, body: unknown) =>
  ask<Answer>(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })

export const world = {
  sections: (filter: Partial<WorldSection>) =>
    ask<WorldSection[]>(`sections?${new URLSearchParams(filter as Record<string, string>)}`),
  set: (section: WorldSection, change: { status?: string; available?: number; waitlist?: number }) =>
    post<WorldSection>('sections', {
      source: section.source,
      school: section.school,
      term: section.term,
      section: section.section,
      ...change,
    }),
  fault: (service: string, mode: string, times?: number, perSecond?: number) =>
    post('faults', { service, mode, ...(times && { times }), ...(perSecond && { per_second: perSecond }) }),
  /** Revokes an invite at Discord, or restores it. */
  revoke: (code: string, revoked = true) => post('invites', { code, revoked }),
  clearFaults: () => ask('faults', { method: 'DELETE' }),
  outbox: () => ask<Outbox>('outbox'),
  emptyOutbox: () => ask('outbox', { method: 'DELETE' }),
  requests: () => ask<{ service: string; method: string; path: string; at: number }[]>('requests'),
}

/** The world's sources as rows of ours. */
export const worldSources = {
  harbor: { kind: 'banner9', name: 'Harbor State University', path: '/schools/harbor/StudentRegistrationSsb/ssb' },
  northfield: {
    kind: 'banner9',
    name: 'Northfield Technical University',
    path: '/schools/northfield/StudentRegistrationSsb/ssb',
  },
  /** A system that lists courses, whose sections are requested one by one. */
  northfieldCourses: {
    kind: 'colleague',
    name: 'Northfield by course',
    path: '/schools/northfield/Student',
  },
  /** Harbor on the older Banner, whose lists have no seats. */
  harborPages: { kind: 'banner8', name: 'Harbor State University', path: '/schools/harbor/pls/PROD' },
  cuny: { kind: 'cuny', name: 'CUNY Global Search', path: '/cuny/CFGlobalSearchTool' },
  fose: { kind: 'fose', name: 'Cedar Valley Community College', path: '/schools/cedar-valley/classes/api' },
  rutgers: { kind: 'rutgers', name: 'Rutgers Schedule of Classes', path: '/schools/harbor/soc/api' },
} as const

export async function addSource(which: keyof typeof worldSources): Promise<number> {
  const { kind, name, path } = worldSources[which]
  return inserted(
    `INSERT INTO source (kind, name, url, time_zone, poll_seconds, requests_per_minute, created_at)
     VALUES (?, ?, ?, 'America/New_York', 15, 6000, 0) RETURNING id`,
    kind,
    name,
    env.WORLD_URL + path,
  )
}

/** Runs a job through its ledger, the real queue and the consumer, to its end. */
export async function runJob<Given>(job: JobKind<Given>, input: NoInfer<Given>): Promise<JobRecord> {
  const asked = await enqueue(env, job, input)
  for (;;) {
    const record = await waitForJob(env, asked.id, 60_000)
    if (!record) throw new Error(`${asked.id} is gone`)
    if (['finished', 'failed', 'stopped', 'canceled'].includes(record.state)) return record
  }
}

/** Waits until `look` passes, for what happens in the background. */
export async function until<Value>(
  look: () => Promise<Value>,
  passes: (value: Value) => boolean,
  what: string,
): Promise<Value> {
  const giveUpAt = Date.now() + 60_000
  for (;;) {
    const value = await look()
    if (passes(value)) return value
    if (Date.now() > giveUpAt) throw new Error(`${what} did not happen: ${JSON.stringify(value).slice(0, 500)}`)
    await scheduler.wait(50)
  }
}

/**
 * Fires the minute cron, never in a minute shared with the quarter-hourly jobs: a test must not depend on the clock.
 */
export function tick(): Promise<void> {
  const minute = Math.floor(Date.now() / 60_000)
  return runCron(env, (minute % 15 === 0 ? minute - 1 : minute) * 60_000)
}
