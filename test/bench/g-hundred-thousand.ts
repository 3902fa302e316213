import type { JobListRequest } from '../../src/jobs/ledger/views.ts'
import { readStats } from '../../src/jobs/ledger/counters.ts'
import { listJobs } from '../../src/jobs/ledger/search.ts'
import { readMinutes } from '../../src/jobs/ledger/tally.ts'
import { nodeSql } from '../jobs/node-sql.ts'
import { startApp, type BenchApp } from './app/start-app.ts'
import { fillLedger } from './filled-ledger.ts'
import { percentile, type Figure, type Part } from './report.ts'

const jobs = 100_000
const rounds = 9
const callsPerRound = 10
const minute = 60_000
const queue = 'refresh'
/** What a person perceives as immediate, also on a busy machine, in ms. */
const atMost = 500

interface Question {
  what: string
  call: 'list' | 'stats' | 'minutes'
  values: unknown[]
}

function questionsOf(now: number): Question[] {
  const list = (what: string, request: JobListRequest): Question => {
    return { what, call: 'list', values: [request] }
  }
  const chart = (what: string, span: number, step: number): Question => {
    return { what, call: 'minutes', values: [now - span, now, step] }
  }
  return [
    list('first page of a list', { registry: 'finished', page: 1 }),
    list('its last page', { registry: 'finished', page: 99_999 }),
    list('a page of one kind', { registry: 'failed', task: 'task-3' }),
    list('search: a frequent text', { registry: 'failed', q: 'not read' }),
    list('search: one turn that finds nothing', { q: 'no such text anywhere' }),
    chart('chart of an hour, by minute', 60 * minute, 1),
    chart('chart of a day, by quarter', 24 * 60 * minute, 15),
    { what: 'figures of the queue', call: 'stats', values: [] },
  ]
}

/** The same query to the app: a call from a Worker to the ledger; ms. */
async function askApp(app: BenchApp, { call, values }: Question): Promise<number> {
  const { ms } = await app.ask<{ ms: number }>('/_ledger/repeat', { queue, call, values, count: callsPerRound })
  return ms / callsPerRound
}

/** The same SQL in Node's own SQLite, in memory; ms. */
function askPlain(plain: ReturnType<typeof nodeSql>, { call, values }: Question, now: number): number {
  const reader = { sql: plain, queue, now } as const
  const [since, until, step] = values as number[]
  const began = performance.now()
  for (let calls = 0; calls < callsPerRound; calls += 1) {
    if (call === 'list') listJobs(reader, values[0] as JobListRequest)
    else if (call === 'stats') readStats(reader)
    else readMinutes(reader, since ?? 0, until ?? 0, step ?? 1)
  }
  return (performance.now() - began) / callsPerRound
}

async function compare(app: BenchApp, plain: ReturnType<typeof nodeSql>, question: Question, now: number) {
  const pairs: { ours: number; plain: number }[] = []
  for (let round = 0; round <= rounds; round += 1) {
    const pair = { ours: await askApp(app, question), plain: askPlain(plain, question, now) }
    if (round > 0) pairs.push(pair)
  }
  const median = (of: (pair: { ours: number; plain: number }) => number) => percentile(pairs.map(of), 0.5)
  const figure: Figure = {
    what: question.what,
    value: median(({ ours }) => ours),
    unit: 'ms',
    atMost,
    note: `${median(({ ours, plain: bare }) => ours / bare).toFixed(2)} × the same SQL in plain SQLite (${median(({ plain: bare }) => bare).toFixed(2)} ms)`,
  }
  return figure
}

/** Every turn of a search that finds nothing, to the end of the queue. */
async function searchAll(app: BenchApp): Promise<Figure> {
  let cursor: number | null = null
  let turns = 0
  const began = performance.now()
  do {
    const request: JobListRequest = { q: 'no such text anywhere', ...(cursor !== null && { cursor }) }
    const asked = { queue, call: 'list', values: [request], count: 0 }
    const { answer } = await app.ask<{ answer: { cursor: number | null } }>('/_ledger/repeat', asked)
    cursor = answer.cursor
    turns += 1
  } while (cursor !== null)
  const value = performance.now() - began
  return { what: 'search of the whole queue', value, unit: 'ms', note: `${turns} turns, the ledger free in between` }
}

/**
 * Lists, searches and charts of a queue of 100 000 jobs, as a Worker gets them, beside the same SQL in plain SQLite.
 */
export async function measureHundredThousand(): Promise<Part> {
  const app = await startApp({}, 'ledger-worker')
  const plain = nodeSql()
  try {
    const now = Date.now()
    await app.ask('/_ledger/fill', { queue, count: jobs })
    fillLedger(plain, jobs, now)
    const figures: Figure[] = []
    for (const question of questionsOf(now)) figures.push(await compare(app, plain, question, now))
    figures.push(await searchAll(app))
    return {
      name: `(g) A queue of ${jobs.toLocaleString('en-US')} jobs`,
      figures,
      notes: [
        `Medians of ${rounds} pairs of ${callsPerRound} calls, ours and plain in turn. Ours is a call from a Worker to the ledger and back; plain is SQLite inside of Node, without either.`,
      ],
    }
  } finally {
    plain.close()
    await app.close()
  }
}
