import type { BenchSource } from './sources.ts'
import type { BenchApp } from './start-app.ts'
import type { WatchedRow } from './watches.ts'

/** Sets sections at the simulated schools, effective immediately. */
export async function setSections(
  app: BenchApp,
  rows: readonly WatchedRow[],
  sources: readonly BenchSource[],
  status: 'open' | 'closed',
): Promise<void> {
  const term = app.world.world.catalog.terms[1]?.name
  const byId = new Map(sources.map((source) => [source.id, source]))
  const sections = rows.map(({ source_id, school, section_key }) => ({
    source: byId.get(source_id)?.name,
    school,
    term,
    section: section_key,
    status,
  }))
  const headers = { 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: JSON.stringify({ sections }) }
  const response = await fetch(`${app.world.url}/_world/sections`, init)
  if (!response.ok) throw new Error(await response.text())
}
