import { createMiddleware } from 'hono/factory'
import { readFirst, type Template } from '../../db/query.ts'
import { readCookie } from '../security/cookies.ts'
import { findStored, type Stored, store, storeKey } from './edge-store.ts'
import { takeRead } from '../limits/limits.ts'
import { randomToken } from '../security/signing.ts'
import { lastVersion, nearbyForVisitors, readNearby, type SiteVersion, versionNearby } from './site-version.ts'
import type { SiteContext, SiteEnv } from '../site.ts'
import { wantsJson } from '../wants-json.ts'

interface PublicPage {
  /** The part of the query that changes the page, as its handler understands it; the rest changes nothing. */
  query?: (c: SiteContext) => Record<string, string | number | null>
  /** For a list: the requested page, and a query for the last one, which all pages beyond it share. */
  list?: { page: (c: SiteContext) => number; last: (c: SiteContext) => Template<{ last: number }> }
  /** The page's school, or {@link everySchool}; null: unknown, so not cached. Absent: the page reads nothing. */
  school?: (c: SiteContext) => number | null
  /** Whether this request gets a page that is not shared, such as one with a referral. */
  unless?: (c: SiteContext) => boolean
}

/** For a page that a change at any school may change. */
export const everySchool = (): number => 0

/**
 * Caches a page at the edge for visitors who are not logged in. The key is its path, known query, time zone, version
 * and build, so that a hit usually costs no database trip and no rendering. The version is at most a few seconds old,
 * so visitors see a change that much later; logged-in users, who may have made the change, get a page of their own. A
 * page is rendered for no one in particular, with a random placeholder for the token, and only its text and the list of
 * the files it loads are stored, no cookies. A visitor with a waiting message gets a separate page, which is simpler than
 * a second placeholder. If the edge cache fails, pages are rendered. A page that has to be rendered and reads the
 * database counts toward the client's read limit.
 */
export const edgeCached = (page: PublicPage) =>
  createMiddleware<SiteEnv>(async function edgeCached(c, next) {
    const isLimited = page.school !== undefined
    const place = isForAnybody(c) && !page.unless?.(c) ? await findPlace(c, page) : null
    if (place?.stored) {
      c.header('x-edge-cache', 'hit')
      c.header('link', place.stored.files)
      return c.html(place.stored.text.replaceAll(place.stored.slot, c.get('csrfToken')))
    }
    if (isLimited) await takeRead(c)
    if (place !== null) return renderFor(c, place.key, next)
    return isLimited ? nearbyForVisitors(c, next) : next()
  })

/**
 * For an empty form, which reads nothing. A page with a query in its address is not shared, nor is one for a browser
 * with a referral, because the form for Discord login contains it, or with what was typed into an expired form.
 */
export const emptyForm = edgeCached({
  unless: (c) =>
    new URL(c.req.url).search !== '' ||
    readCookie(c, 'referral') !== undefined ||
    readCookie(c, 'kept_form') !== undefined,
})

function isForAnybody(c: SiteContext): boolean {
  return (
    c.req.method === 'GET' &&
    c.get('session') === null &&
    c.get('messages').length === 0 &&
    !wantsJson(c) &&
    // The page contains its own path, so only the canonical spelling of the path is shared.
    /^[\w/-]*$/.test(new URL(c.req.url).pathname)
  )
}

/** A page's cache key and its stored text. */
interface Place {
  key: string
  stored: Stored | null
}

const nothingRead: SiteVersion = { version: 'none', bookmark: null }

/** Null if the page is not cached. Rendering reads a database copy at least as new as its version. */
async function findPlace(c: SiteContext, page: PublicPage): Promise<Place | null> {
  const { school, list } = page
  const asked = list?.page(c) ?? 1
  const schoolId = school?.(c)
  if (schoolId === null) return null
  const last = schoolId === undefined ? null : lastVersion(schoolId)
  // While the version is read, the page of the last known version is looked up, because it is usually still current.
  const [found, early] = await Promise.all([
    schoolId === undefined ? nothingRead : versionNearby(c, schoolId),
    last === null ? null : look(c, page, last, asked),
  ])
  if (found === null) return null
  const place = found.version === last ? early : await look(c, page, found.version, asked)
  if (place?.stored !== null) return place
  if (found.isStale) return null
  if (schoolId !== undefined) readNearby(c, found.bookmark)
  if (list === undefined || asked === 1) return place
  const end = (await readFirst(c.env.DB, list.last(c)))?.last ?? 1
  return asked <= end ? place : look(c, page, found.version, end)
}

/** @param number the page number within its list */
async function look(c: SiteContext, { query }: PublicPage, version: string, number: number): Promise<Place | null> {
  const asked: Record<string, string | number | null> = { ...query?.(c), page: number }
  const known = Object.entries(asked).flatMap(([name, value]) =>
    value === null || value === '' ? [] : [[name, String(value)]],
  )
  const zone = encodeURIComponent(c.get('timeZone'))
  const { pathname } = new URL(c.req.url)
  const key = storeKey(c, version, `${zone}${pathname}?${new URLSearchParams(known.toSorted())}`)
  return key === null ? null : { key, stored: await findStored(key) }
}

/** Renders the page for no one in particular, stores it if it is no error, and returns it with the visitor's token. */
async function renderFor(c: SiteContext, key: string, next: () => Promise<void>): Promise<void> {
  const token = c.get('csrfToken')
  const slot = randomToken()
  c.set('csrfToken', slot)
  await next()
  c.set('csrfToken', token)
  if (!c.res.headers.get('content-type')?.startsWith('text/html')) return
  const html = await c.res.text()
  const isKept = c.res.status === 200 && c.get('messages').length === 0
  if (isKept) store(c, key, { text: html, slot, files: c.res.headers.get('link') ?? '' }, 'text/html; charset=utf-8')
  const page = new Response(html.replaceAll(slot, token), c.res)
  if (isKept) page.headers.set('x-edge-cache', 'miss')
  // Hono copies a response that replaces another, which makes its body a stream.
  c.res = undefined
  c.res = page
}
