import { awaitPolls, startCron } from './app/polls.ts'
import { setSections } from './app/seats.ts'
import { addDescribed, type BenchSource, KINDS, learnSubjects, refreshSections } from './app/sources.ts'
import { startApp, type BenchApp } from './app/start-app.ts'
import { addWatches, chooseSections, type WatchedRow } from './app/watches.ts'
import { percentile, type Figure, type Part } from './report.ts'

const pollSeconds = 15
const watches = 2000
const groupsPerSource = 4
const sectionsPerSource = 40
/** Enough for all but the source that is requested section by section, whose budget is too small. */
const requestsPerMinute = 120
const failing = 'colleague'
const slow = 'hcx'
/** What the slow school adds to each answer. */
const slowMs = 3000
/** Seats open in sequence, evenly over this time. */
const openingMs = 120_000
const giveUpMs = 120_000
const minuteMs = 60_000

interface Accepted {
  section_id: number
  accepted_at: number
}

async function setFault(app: BenchApp, service: string, mode: string): Promise<void> {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ service, mode }),
  }
  const response = await fetch(`${app.world.url}/_world/faults`, init)
  if (!response.ok) throw new Error(await response.text())
}

/** Opens each section at its time; returns when, by its id (ms since epoch). */
async function openInTurn(
  app: BenchApp,
  rows: readonly WatchedRow[],
  sources: readonly BenchSource[],
): Promise<Map<number, number>> {
  const began = Date.now()
  const openedAt = new Map<number, number>()
  for (const [index, row] of rows.entries()) {
    const at = began + (index * openingMs) / rows.length
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, at - Date.now())))
    openedAt.set(row.id, Date.now())
    await setSections(app, [row], sources, 'open')
  }
  return openedAt
}

/** What providers accepted, once it is as much as expected or time is up. */
async function awaitAccepted(app: BenchApp, expected: number): Promise<Accepted[]> {
  const giveUpAt = Date.now() + giveUpMs
  for (;;) {
    const { results } = await app.db
      .prepare(
        `SELECT o.section_id, d.accepted_at
         FROM opening o JOIN class_alert a ON a.opening_id = o.id JOIN delivery_alert x ON x.alert_id = a.id
         JOIN delivery d ON d.id = x.delivery_id WHERE d.accepted_at IS NOT NULL`,
      )
      .all<Accepted>()
    if (results.length >= expected || Date.now() > giveUpAt) return results
    await new Promise((resolve) => setTimeout(resolve, 1000))
  }
}

/** The most requests a service got in any minute. */
function mostInAMinute(app: BenchApp, name: string): number {
  const times = app.world.world.requests.filter(({ service }) => service === name).map(({ at }) => at)
  let first = 0
  let most = 0
  for (const [last, at] of times.entries()) {
    while ((times[first] ?? at) <= at - minuteMs) first += 1
    most = Math.max(most, last - first + 1)
  }
  return most
}

async function intervalMs(app: BenchApp, { id }: BenchSource): Promise<number> {
  const seconds = await app.db
    .prepare(
      'SELECT max(poll_seconds, 60.0 * requests_a_round / requests_per_minute) AS seconds FROM source WHERE id = ?',
    )
    .bind(id)
    .first<number>('seconds')
  return (seconds ?? Number.NaN) * 1000
}

/** The time from a seat's opening to the provider's acceptance, for all watchers at one source. */
async function figuresOf(
  app: BenchApp,
  source: BenchSource,
  waits: readonly number[],
  expected: number,
): Promise<Figure[]> {
  const { kind, name } = source
  const isSlow = kind === slow
  const label = `${kind}${isSlow ? ' (slow)' : ''}:`
  const interval = await intervalMs(app, source)
  const note = `effective interval ${(interval / 1000).toFixed(1)} s`
  // One round, then writing and sending. Slow answers are added to that.
  const bound = isSlow ? {} : { atMost: interval + 7000 }
  return [
    { what: `${label} seat → phone, p50`, value: percentile(waits, 0.5), unit: 'ms' },
    { what: `${label} seat → phone, p95`, value: percentile(waits, 0.95), unit: 'ms' },
    { what: `${label} seat → phone, p99`, value: percentile(waits, 0.99), unit: 'ms', note, ...bound },
    { what: `${label} messages`, value: waits.length, unit: '', exactly: expected },
    mostFigure(app, kind, name),
  ]
}

function mostFigure(app: BenchApp, kind: string, name: string): Figure {
  const value = mostInAMinute(app, name)
  return { what: `${kind}: most requests in any minute`, value, unit: '', atMost: requestsPerMinute }
}

/** From the opening of a seat to the phone, by kind of source, while one source fails and one is slow. */
export async function measureSeatToPhone(): Promise<Part> {
  const app = await startApp({ size: { subjects: 6, sections: 26 }, smsAnswerMs: 100, slowMs })
  let stopCron = () => {}
  try {
    const sources: BenchSource[] = []
    for (const one of KINDS) sources.push(await addDescribed(app, one, pollSeconds))
    await app.db.prepare('UPDATE source SET requests_per_minute = 6000').run()
    const termId = await learnSubjects(app, sources)
    await refreshSections(app, termId)
    const size = { groups: groupsPerSource, sections: sectionsPerSource }
    const chosen = await Promise.all(sources.map(({ id }) => chooseSections(app, id, termId, size)))
    const rows = Array.from({ length: sectionsPerSource }, (_, place) => chosen.flatMap((of) => of[place] ?? [])).flat()
    await setSections(app, rows, sources, 'closed')
    const pairs = Array.from({ length: watches }, (_, index) => [index, rows[index % rows.length]?.id ?? 0] as const)
    await addWatches(app, watches, pairs)
    stopCron = startCron(app)
    await awaitPolls(app)
    await app.db.prepare('UPDATE source SET requests_per_minute = ?').bind(requestsPerMinute).run()
    // The first rounds' requests, with a larger budget, are more than a minute ago.
    await new Promise((resolve) => setTimeout(resolve, minuteMs))
    app.world.world.requests.length = 0
    for (const { kind, name } of sources) {
      if (kind === failing) await setFault(app, name, 'http_500')
      if (kind === slow) await setFault(app, name, 'slow')
    }
    const watchers = Map.groupBy(pairs, ([, section]) => section)
    const sourceOf = new Map(rows.map(({ id, source_id }) => [id, source_id]))
    const expectedAt = ({ id }: BenchSource): number =>
      pairs.filter(([, section]) => sourceOf.get(section) === id).length
    const healthy = sources.filter(({ kind }) => kind !== failing)
    const openedAt = await openInTurn(app, rows, sources)
    const accepted = await awaitAccepted(
      app,
      healthy.reduce((sum, source) => sum + expectedAt(source), 0),
    )
    const waitsAt = ({ id }: BenchSource): number[] =>
      accepted.flatMap(({ section_id, accepted_at }) =>
        sourceOf.get(section_id) === id ? [accepted_at - (openedAt.get(section_id) ?? 0)] : [],
      )
    const figures: Figure[] = []
    for (const source of healthy) figures.push(...(await figuresOf(app, source, waitsAt(source), expectedAt(source))))
    for (const source of sources.filter(({ kind }) => kind === failing)) {
      figures.push({ what: `${failing} (failing): messages`, value: waitsAt(source).length, unit: '', exactly: 0 })
      figures.push(mostFigure(app, failing, source.name))
    }
    return {
      name: `(y) Seat to phone at ${pollSeconds} s, ${watches.toLocaleString('en-US')} watches of ${rows.length} sections, one source failing and one slow`,
      figures,
      notes: [
        `Every section opens once within ${openingMs / 1000} s, watched by ${Math.min(...[...watchers.values()].map((of) => of.length))} people or more.`,
        `Each source may be asked ${requestsPerMinute} times a minute; banner8 is asked section by section, more than that allows: its requests are spread over the minute.`,
        `The slow school takes ${slowMs / 1000} s longer for each answer; the failing one answers with errors.`,
      ],
    }
  } finally {
    stopCron()
    await app.close()
  }
}
