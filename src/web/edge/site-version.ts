import { eq } from 'drizzle-orm'
import { createMiddleware } from 'hono/factory'
import { type Database, prepared, query, readFirst, parameter } from '../../db/query.ts'
import { siteVersion } from '../../db/schema/index.ts'
import { beginSession } from '../../db/session.ts'
import { withTimeout } from '../../lib/time.ts'
import { findVersion, storeVersion } from './edge-store.ts'
import type { SiteContext, SiteEnv } from '../site.ts'

/** How long other people may still see the old page after a change reached the nearest database copy, in ms. */
export const KEPT_VERSION_MS = 4000
/** If the database takes longer and an older version is known, the older version is used. */
const MAX_WAIT_MS = 1000
const MAX_KNOWN = 2000

/** A version, and the database bookmark at which it was read: the page must be rendered from a copy at least as new. */
export interface SiteVersion {
  version: string
  bookmark: string | null
  /** If the database did not answer, the last known one: a copy that is read now may be older, so nothing is stored under it. */
  isStale?: true
}

/** `until`: when the database is asked again, ms since epoch. */
type Known = SiteVersion & { until: number }
const known = new Map<number, Known>()

/** The inputs of a school's public pages (0: of all schools) as one text; no row for an unknown school. */
const findSiteVersion = prepared(() =>
  query
    .select({ version: siteVersion.version })
    .from(siteVersion)
    .where(eq(siteVersion.schoolId, parameter('school'))),
)

/** Reads the version from the given database; null for an unknown school. */
export async function readVersion(db: Database, school: number): Promise<string | null> {
  return (await readFirst(db, findSiteVersion({ school })))?.version ?? null
}

/**
 * The version as this location knows it: at most {@link KEPT_VERSION_MS} old, or the last known one if the database
 * does not answer. Null for an unknown school. Within an isolate it goes back only after such an outage.
 * @throws if the database does not answer and no version is known here
 */
export async function versionNearby(c: SiteContext, school: number): Promise<SiteVersion | null> {
  const last = known.get(school)
  if (last && Date.now() < last.until) return last
  const db = beginSession(c.env.DB, last?.bookmark ?? 'first-unconstrained')
  const reading = readVersion(db, school)
  let version: string | null
  try {
    version = await withTimeout(reading, MAX_WAIT_MS)
  } catch (error) {
    const stale = last?.version ?? (await findVersion(c, school))
    // After the database is restored, a bookmark may refer to a lost state, so the next read goes without it.
    if (stale !== null) return keep(school, last, { version: stale, bookmark: null, isStale: true }, error)
    version = await reading
  }
  if (version === null) {
    known.delete(school)
    return null
  }
  if (version !== last?.version) storeVersion(c, school, version)
  return keep(school, last, { version, bookmark: db.getBookmark() })
}

/** The last version known here, however old; null before the first one. */
export const lastVersion = (school: number): string | null => known.get(school)?.version ?? null

/** Makes the rest of the request read the nearest database copy that is as new as the lists shown here. */
export function readNearby(c: SiteContext, bookmark = known.get(0)?.bookmark ?? null): void {
  c.env = { ...c.env, DB: beginSession(c.env.DB, bookmark ?? 'first-unconstrained') }
}

/** For public pages that are not cached: those of a visitor with no message about a recent change of their own. */
export const nearbyForVisitors = createMiddleware<SiteEnv>(async function nearbyForVisitors(c, next) {
  if (c.get('session') === null && c.get('messages').length === 0) readNearby(c)
  await next()
})

/** Where public pages are changed by people, who then look at them. */
const changingPaths = /^\/(?:classcords|admin)\//

/** After a change, the next visitor of this isolate gets the new pages: it need not wait as long as others do. */
export const expireVersions = createMiddleware<SiteEnv>(async function expireVersions(c, next) {
  await next()
  const isRead = c.req.method === 'GET' || c.req.method === 'HEAD'
  if (isRead || !changingPaths.test(c.req.path) || c.res.status >= 400) return
  for (const [school, read] of known) known.set(school, { ...read, until: 0, bookmark: 'first-primary' })
})

/** Forgets what this isolate knows, like a new isolate. For tests. */
export function forgetVersions(): void {
  known.clear()
}

/** @param last what was known when the reading began: if that has changed since, the reading may be older than it */
function keep(school: number, last: Known | undefined, read: SiteVersion, error?: unknown): SiteVersion {
  if (error !== undefined) console.warn({ event: 'stale_version', error: String(error) })
  const newer = known.get(school)
  if (newer !== undefined && newer !== last) return Date.now() < newer.until ? newer : read
  known.delete(school)
  known.set(school, { ...read, until: Date.now() + KEPT_VERSION_MS })
  const [oldest] = known.keys()
  if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest)
  return read
}
