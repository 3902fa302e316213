import type { JobFilter } from '../../jobs/ledger/views.ts'
import { MINUTE_MS } from '../../lib/time.ts'
import type { SiteContext } from '../../web/site.ts'
import type { ListSearch, RegistryName } from '../contract.ts'

const ages: ReadonlyMap<string, number> = new Map([
  ['15m', 15 * MINUTE_MS],
  ['1h', 60 * MINUTE_MS],
  ['24h', 24 * 60 * MINUTE_MS],
  ['7d', 7 * 24 * 60 * MINUTE_MS],
])
const MAX_TEXT_LENGTH = 200

/** The states that share the list of finished jobs and can be searched separately. */
const endedStates = ['finished', 'stopped'] as const

const endedState = (registry: RegistryName, asked: string) =>
  registry === 'finished' ? endedStates.find((state) => state === asked) : undefined

/** The search in the URL; invalid values are ignored. */
export function searchOf(c: SiteContext, registry: RegistryName): ListSearch {
  const text = (name: string) => (c.req.query(name) ?? '').trim().slice(0, MAX_TEXT_LENGTH)
  const age = text('age')
  return {
    q: text('q'),
    task: text('task'),
    status: endedState(registry, text('status')) ?? '',
    age: ages.has(age) ? age : '',
  }
}

export function filterOf(registry: RegistryName, search: ListSearch, now: number): JobFilter {
  const state = endedState(registry, search.status)
  const age = ages.get(search.age)
  return {
    registry,
    ...(search.q !== '' && { q: search.q }),
    ...(search.task !== '' && { task: search.task }),
    ...(state !== undefined && { state }),
    ...(age !== undefined && { since: now - age }),
  }
}
