import { OTHER_SYSTEMS } from '../../world/control/other-systems.ts'
import { CUNY_SOURCE, SCHOOLS } from '../../world/schools/roster.ts'
import type { BenchApp } from './start-app.ts'

export interface BenchSource {
  id: number
  /** Its name, both here and in the world. */
  name: string
  kind: string
}

/** How a simulated system is registered in the app. */
interface Described {
  kind: string
  /** Its name in the world. */
  name: string
  /** Its path below the world's address. */
  path: string
  settings: Readonly<Record<string, string>>
}

/** A system of each kind that the world speaks, each at a separate school, which can fail or slow down separately. */
export const KINDS: readonly Described[] = [
  {
    kind: 'banner9',
    name: 'Northfield Technical University',
    path: '/schools/northfield/StudentRegistrationSsb/ssb',
    settings: {},
  },
  { kind: 'cuny', name: CUNY_SOURCE, path: '/cuny/CFGlobalSearchTool', settings: {} },
  { kind: 'fose', name: 'Maple Ridge University', path: '/schools/maple-ridge/classes/api', settings: {} },
  {
    kind: 'hcx',
    name: 'Granite Bay State University',
    path: '/schools/granite-bay/hcx/psc/csprd/EMPLOYEE/SA/s',
    settings: { institution: 'GRBAY' },
  },
  { kind: 'banner8', name: 'Old Mill College', path: '/schools/old-mill/PROD', settings: {} },
  ...OTHER_SYSTEMS.map(({ kind, source: name, path }) => ({ kind, name, path, settings: {} })),
]

/** Registers one of the world's sources in the app: a Banner school by its name, or CUNY. */
export function addSource(app: BenchApp, name: string, pollSeconds: number): Promise<BenchSource> {
  const style = SCHOOLS.find((school) => school.source === name)?.banner ?? null
  const kind = name === CUNY_SOURCE ? 'cuny' : 'banner9'
  const path = style === null ? '/cuny/CFGlobalSearchTool' : `/schools/${style.slug}/StudentRegistrationSsb/ssb`
  const settings = typeof style?.mepCode === 'string' ? { mepCode: style.mepCode } : {}
  return addDescribed(app, { kind, name, path, settings }, pollSeconds)
}

export async function addDescribed(
  app: BenchApp,
  { kind, name, path, settings }: Described,
  pollSeconds: number,
): Promise<BenchSource> {
  const id = await app.db
    .prepare(
      `INSERT INTO source (kind, name, url, time_zone, poll_seconds, requests_per_minute, settings, created_at)
       VALUES (?, ?, ?, 'America/New_York', ?, 600, ?, 0) RETURNING id`,
    )
    .bind(kind, name, app.world.url + path, pollSeconds, JSON.stringify(settings))
    .first<number>('id')
  if (id === null) throw new Error('The source was not added.')
  return { id, name, kind }
}

/** Reads terms, schools and subjects of the sources through the app's own jobs. @returns the id of the current term */
export async function learnSubjects(app: BenchApp, sources: readonly BenchSource[]): Promise<number> {
  const base = { by: 'bench', done: [], failures: [] }
  const source_ids = sources.map(({ id }) => id)
  await app.run('refresh-terms', { ...base, source_ids, then_all: false, new_terms_count: 0 })
  // The world's Rutgers has courses at one campus.
  await app.db
    .prepare(
      "UPDATE school_term SET is_available = 0 WHERE school_id IN (SELECT id FROM school WHERE code IN ('NK', 'CM'))",
    )
    .run()
  const current = app.world.world.catalog.terms[1]?.name ?? ''
  const term_id = await app.db.prepare('SELECT id FROM term WHERE full_term_name = ?').bind(current).first<number>('id')
  if (term_id === null) throw new Error(`No school offers ${current}.`)
  await app.run('refresh-subjects', { ...base, school_id: 0, term_id, then_sections: false })
  return term_id
}

/** Reads every section of a term through the app's own job, and fails unless every group was believed. */
export async function refreshSections(app: BenchApp, termId: number): Promise<void> {
  const { result } = await app.run('refresh-sections', { school_id: 0, term_id: termId, subject_id: 0, by: 'bench' })
  const { failures } = result as { failures: string[] }
  if (failures.length > 0) throw new Error(`Not believed: ${failures.join(' · ')}`)
}
