import { CUNY_SOURCE } from '../world/schools/roster.ts'
import { awaitPolls, startCron } from './app/polls.ts'
import { setSections } from './app/seats.ts'
import { addSource, learnSubjects, refreshSections, type BenchSource } from './app/sources.ts'
import { startApp, type BenchApp } from './app/start-app.ts'
import { addWatches, chooseSections, type WatchedRow } from './app/watches.ts'
import { percentile, type Figure, type Part } from './report.ts'

const pollSeconds = 15
const openingsPerRound = 200
const shares = [
  { name: 'Harbor State University', groups: 25, sections: 400 },
  { name: 'Cedar Valley Community College', groups: 25, sections: 200 },
  { name: CUNY_SOURCE, groups: 40, sections: 400 },
]
const giveUpMs = 90_000

interface Delivered {
  section_id: number
  address: string
  seen_open_at: number
  accepted_at: number | null
}

async function deliveriesOf(app: BenchApp, sectionIds: readonly number[], since: number): Promise<Delivered[]> {
  const { results } = await app.db
    .prepare(
      `SELECT o.section_id, d.address, o.seen_open_at, d.accepted_at
       FROM opening o JOIN class_alert a ON a.opening_id = o.id JOIN delivery_alert x ON x.alert_id = a.id
       JOIN delivery d ON d.id = x.delivery_id
       WHERE o.seen_open_at >= ? AND o.section_id IN (SELECT value FROM json_each(?))`,
    )
    .bind(since, JSON.stringify(sectionIds))
    .all<Delivered>()
  return results
}

/** Waits until the round is over: as many deliveries accepted as expected. Missing ones show in the figures. */
async function awaitDeliveries(app: BenchApp, ids: readonly number[], since: number, expected: number) {
  for (;;) {
    const delivered = await deliveriesOf(app, ids, since)
    const accepted = delivered.filter(({ accepted_at }) => accepted_at !== null).length
    if (accepted >= expected || Date.now() > since + giveUpMs) return delivered
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

async function effectiveIntervalMs(app: BenchApp): Promise<number> {
  const seconds = await app.db
    .prepare('SELECT max(max(poll_seconds, 60.0 * requests_a_round / requests_per_minute)) AS seconds FROM source')
    .first<number>('seconds')
  return (seconds ?? NaN) * 1000
}

/** Opens the sections together, right after a poll, and follows every message to its phone. */
async function openAll(
  app: BenchApp,
  rows: readonly WatchedRow[],
  sources: readonly BenchSource[],
  { expected, isBound, label }: { expected: number; isBound: boolean; label: string },
): Promise<Figure[]> {
  await awaitPolls(app)
  await app.counts()
  const sentBefore = app.world.world.messages.length
  const changedAt = Date.now()
  await setSections(app, rows, sources, 'open')
  const ids = rows.map(({ id }) => id)
  const delivered = await awaitDeliveries(app, ids, changedAt, expected)
  // Time for anything that would be sent twice.
  await awaitPolls(app)
  await app.rest()
  const interval = await effectiveIntervalMs(app)
  const seen = delivered.map(({ seen_open_at }) => seen_open_at - changedAt)
  const accepted = delivered.map(({ accepted_at, seen_open_at }) => (accepted_at ?? Infinity) - seen_open_at)
  const messages = app.world.world.messages.slice(sentBefore).filter(({ direction }) => direction === 'outbound-api')
  const phones = new Set(messages.map(({ to }) => to))
  const ofMessages = (await app.counts()).filter(({ sql }) => /\b(?:UPDATE|FROM|INTO) "(?:delivery|contact)"/.test(sql))
  const rowsRead = ofMessages.reduce((sum, { rows_read }) => sum + rows_read, 0)
  const bound = (atMost: number): { atMost?: number } => (isBound ? { atMost } : {})
  return [
    { what: `${label}: change → seen, p50`, value: percentile(seen, 0.5), unit: 'ms' },
    { what: `${label}: change → seen, p99`, value: percentile(seen, 0.99), unit: 'ms', ...bound(interval + 2000) },
    { what: `${label}: seen → accepted, p50`, value: percentile(accepted, 0.5), unit: 'ms', ...bound(2000) },
    { what: `${label}: seen → accepted, p95`, value: percentile(accepted, 0.95), unit: 'ms', ...bound(5000) },
    { what: `${label}: phones that got a message`, value: phones.size, unit: '', exactly: expected },
    { what: `${label}: D1 rows read a message, reports included`, value: rowsRead / messages.length, unit: '' },
    { what: `${label}: messages beyond one a phone`, value: messages.length - phones.size, unit: '', exactly: 0 },
  ]
}

/**
 * 200 simultaneous openings among 1 000 watches, from the schools' change to the phones; then the same with 1 000
 * messages.
 */
export async function measureOpenings(): Promise<Part> {
  const app = await startApp({ size: { subjects: 30, sections: 40 }, smsAnswerMs: 100 })
  let stopCron = () => {}
  try {
    const sources: BenchSource[] = []
    for (const { name } of shares) sources.push(await addSource(app, name, pollSeconds))
    await app.db.prepare('UPDATE source SET requests_per_minute = 6000').run()
    const termId = await learnSubjects(app, sources)
    await refreshSections(app, termId)
    const rows: WatchedRow[] = []
    for (const [index, share] of shares.entries()) {
      rows.push(...(await chooseSections(app, sources[index]?.id ?? 0, termId, share)))
    }
    // Every fifth of them is a round: the same mix of schools and groups in each.
    const round = (number: number): WatchedRow[] => rows.filter((_, index) => index % 5 === number)
    await setSections(app, rows, sources, 'closed')
    await addWatches(
      app,
      rows.length,
      rows.map(({ id }, index) => [index, id] as const),
    )
    await app.db.prepare('UPDATE source SET requests_per_minute = 600').run()
    stopCron = startCron(app)
    await awaitPolls(app)
    const options = { expected: openingsPerRound, isBound: true }
    const first = await openAll(app, round(0), sources, { ...options, label: '200 openings' })
    const second = await openAll(app, round(1), sources, { ...options, label: 'again 200' })
    const more = round(2).flatMap(({ id }, index) => [0, 1, 2, 3].map((other) => [4 * index + other, id] as const))
    await addWatches(app, more.length, more)
    const third = await openAll(app, round(2), sources, { expected: 1000, isBound: false, label: '1 000 messages' })
    return {
      name: '(d) 200 sections open at once among 1 000 watches, SMS provider answering in 100 ms',
      figures: [...first, ...second, ...third],
      notes: [
        'State is kept in memory where the system has /dev/shm. Everything shares the machine: its load counts.',
        'The whole app in miniflare: cron, queues, Durable Objects, D1. Sections change right after a poll: the longest wait.',
        `Effective interval ${(await effectiveIntervalMs(app)) / 1000} s. The third round has five watchers a section.`,
      ],
    }
  } finally {
    stopCron()
    await app.close()
  }
}
