import { eq, sql } from 'drizzle-orm'
import { createMiddleware } from 'hono/factory'
import { type Database, kept, query, readFirst } from '../db/query.ts'
import { siteVersion } from '../db/schema/index.ts'
import { beginSession } from '../db/session.ts'
import { inTime } from '../lib/in-time.ts'
import { recall, remember } from './edge-store.ts'
import type { SiteContext, SiteEnv } from './site.ts'

/** How long after the nearest database copy has a change other people may still see the old page, ms. */
export const KEPT_VERSION_MS = 4000
/** A database that answers no sooner is taken for silent when there is an older version to show. */
const MAX_WAIT_MS = 1000
const MAX_KNOWN = 2000

/** A version, and the moment of the database at which it was read: the page must be rendered from at least that. */
export interface SiteVersion {
  version: string
  bookmark: string | null
}

interface Known extends SiteVersion {
  /** Until when it is taken without asking, ms since epoch. */
  until: number
}

const known = new Map<number, Known>()

/**
 * What public answers about a `school` (0: all of them) are made of, as one word; no row for a school that is not there.
 */
const findSiteVersion = kept(() =>
  query
    .select({ version: siteVersion.version })
    .from(siteVersion)
    .where(eq(siteVersion.schoolId, sql.placeholder('school'))),
)

/** The version at this moment of the given database; null for a school that is not there. */
export async function readVersion(db: Database, school: number): Promise<string | null> {
  return (await readFirst(db, findSiteVersion({ school })))?.version ?? null
}

/**
 * The version as this location knows it: at most {@link KEPT_VERSION_MS} old, or the last one that was seen here while
 * the database does not answer. Null for a school that is not there. Within an isolate it goes back only after such a
 * silence.
 * @throws when the database does not answer and nothing was seen here
 */
export async function versionNearby(c: SiteContext, school: number): Promise<SiteVersion | null> {
  const last = known.get(school)
  if (last && Date.now() < last.until) return last
  const db = beginSession(c.env.DB, last?.bookmark ?? 'first-unconstrained')
  const reading = readVersion(db, school)
  let version: string | null
  try {
    version = await inTime(reading, MAX_WAIT_MS)
  } catch (error) {
    const stale = last?.version ?? (await recall(c, nameOf(school)))
    // After a restore of the database, a bookmark may be of a moment that never came: the next reading goes without.
    if (stale !== null) return keep(school, { version: stale, bookmark: null }, error)
    version = await reading
  }
  if (version === null) {
    known.delete(school)
    return null
  }
  if (version !== last?.version) remember(c, nameOf(school), version)
  return keep(school, { version, bookmark: db.getBookmark() })
}

/** The version that was seen here last, however long ago; null before the first. */
export const lastVersion = (school: number): string | null => known.get(school)?.version ?? null

/**
 * Reads the rest of the request from the nearest copy of the database that is as new as the lists that were shown here.
 */
export function readNearby(c: SiteContext, bookmark = known.get(0)?.bookmark ?? null): void {
  c.env = { ...c.env, DB: beginSession(c.env.DB, bookmark ?? 'first-unconstrained') }
}

/** For public pages that are not kept: those of a visitor whom no message tells of something they just did. */
export const nearbyForVisitors = createMiddleware<SiteEnv>(async function nearbyForVisitors(c, next) {
  if (c.get('session') === null && c.get('messages').length === 0) readNearby(c)
  await next()
})

/** Forgets what this isolate knows, as a new one begins. */
export function forgetVersions(): void {
  known.clear()
}

const nameOf = (school: number): string => `version/${school}`

function keep(school: number, read: SiteVersion, error?: unknown): SiteVersion {
  if (error !== undefined) console.warn({ event: 'stale version', error: String(error) })
  known.delete(school)
  known.set(school, { ...read, until: Date.now() + KEPT_VERSION_MS })
  const [oldest] = known.keys()
  if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest)
  return read
}
