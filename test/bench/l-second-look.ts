import { CUNY_SOURCE } from '../world/schools/roster.ts'
import { setSections } from './app/seats.ts'
import { addSource, learnSubjects, refreshSections, type BenchSource } from './app/sources.ts'
import { startApp, type BenchApp } from './app/start-app.ts'
import { addWatches, chooseSections, type WatchedRow } from './app/watches.ts'
import { percentile, type Figure, type Part } from './report.ts'

/** How long a distant school takes for one answer, in ms. */
const DEFAULT_ANSWER_MS = 150
const rounds = 20
const openingsPerRound = 5
const watched = 100

interface PollReport {
  openings: number
  looks_ms?: number[]
  withheld?: number
}

/** Makes the school fail in this way; null: no longer. */
async function setFault(app: BenchApp, source: BenchSource, mode: 'slow' | 'stale_list' | null): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ service: source.name, mode })
  const init = mode === null ? { method: 'DELETE' } : { method: 'POST', headers, body }
  const response = await fetch(`${app.world.url}/_world/faults`, init)
  if (!response.ok) throw new Error(`The fault was not set: ${response.status} ${await response.text()}`)
}

async function poll(app: BenchApp, source: BenchSource): Promise<PollReport> {
  await app.db.prepare('UPDATE section_group SET asked_at = 0').run()
  const { result } = await app.run('poll-source', { source_id: source.id, requests: 0, may_walk_term: true })
  return result as PollReport
}

/** Openings that the school's details confirm: how much later the messages are. */
async function measureLatency(app: BenchApp, source: BenchSource, sections: readonly WatchedRow[]): Promise<Figure[]> {
  await setFault(app, source, 'slow')
  const times: number[] = []
  let openings = 0
  for (let round = 0; round < rounds; round += 1) {
    const chosen = sections.slice(round * openingsPerRound, (round + 1) * openingsPerRound)
    await setSections(app, chosen, [source], 'open')
    const report = await poll(app, source)
    times.push(...(report.looks_ms ?? []))
    openings += report.openings
  }
  await setFault(app, source, null)
  const label = `${source.kind}:`
  return [
    { what: `${label} openings confirmed`, value: openings, unit: '', exactly: rounds * openingsPerRound },
    { what: `${label} one second look, half of them within`, value: percentile(times, 0.5), unit: 'ms' },
    { what: `${label} one second look, 95 % within`, value: percentile(times, 0.95), unit: 'ms', atMost: 2000 },
  ]
}

/** Sections that the list calls open and the details do not. */
async function measureLies(app: BenchApp, source: BenchSource, sections: readonly WatchedRow[]): Promise<Figure[]> {
  await setSections(app, sections, [source], 'closed')
  await poll(app, source)
  let withheld = 0
  let openings = 0
  for (let round = 0; round < rounds; round += 1) {
    const chosen = sections.slice(round * openingsPerRound, (round + 1) * openingsPerRound)
    await setSections(app, chosen, [source], 'open')
    await setFault(app, source, 'stale_list')
    await setSections(app, chosen, [source], 'closed')
    const report = await poll(app, source)
    withheld += report.withheld ?? 0
    openings += report.openings
    await setFault(app, source, null)
    await poll(app, source)
  }
  const label = `${source.kind}:`
  const lies = rounds * openingsPerRound
  return [
    {
      what: `${label} openings of a stale list that were caught`,
      value: withheld,
      unit: `of ${lies}`,
      exactly: lies,
    },
    { what: `${label} openings sent all the same`, value: openings, unit: '', exactly: 0 },
  ]
}

/** What the second look before the first message costs in time, and what it catches. */
export async function measureSecondLook(): Promise<Part> {
  const app = await startApp({ size: { subjects: 12, sections: 26 }, slowMs: DEFAULT_ANSWER_MS })
  try {
    const figures: Figure[] = []
    for (const name of ['Harbor State University', CUNY_SOURCE]) {
      const source = await addSource(app, name, 15)
      await app.db.prepare('UPDATE source SET requests_per_minute = 6000').run()
      const termId = await learnSubjects(app, [source])
      await refreshSections(app, termId)
      const sections = await chooseSections(app, source.id, termId, { groups: 10, sections: watched })
      await setSections(app, sections, [source], 'closed')
      await addWatches(
        app,
        watched,
        sections.map(({ id }, index) => [index, id] as const),
      )
      await poll(app, source)
      figures.push(...(await measureLatency(app, source, sections)))
      figures.push(...(await measureLies(app, source, sections)))
      await app.rest()
    }
    return {
      name: '(l) The second look before the first message',
      figures,
      notes: [
        `Every answer of the school takes ${DEFAULT_ANSWER_MS} ms more than the simulated one; ${openingsPerRound} sections open in a round.`,
      ],
    }
  } finally {
    await app.close()
  }
}
