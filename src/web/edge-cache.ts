import { createMiddleware } from 'hono/factory'
import { readFirst, type Template } from '../db/query.ts'
import { readCookie } from './cookies.ts'
import { findStored, type Stored, store, storeKey } from './edge-store.ts'
import { takeRead } from './read-limit.ts'
import { randomToken } from './signing.ts'
import { lastVersion, nearbyForVisitors, readNearby, type SiteVersion, versionNearby } from './site-version.ts'
import type { SiteContext, SiteEnv } from './site.ts'
import { wantsJson } from './wants-json.ts'

interface PublicPage {
  /** What of the query changes the page, as its handler understands it. Whatever else an address has after its `?` changes nothing. */
  query?: (c: SiteContext) => Record<string, string | number | null>
  /** Of a list: the page asked for, and a query whose `last` no page is beyond. All pages from there on are kept as that one. */
  list?: { page: (c: SiteContext) => number; last: (c: SiteContext) => Template<{ last: number }> }
  /** The school it is about, 0 for all of them, null when it is about none and is not kept. Absent: the page reads nothing. */
  school?: (c: SiteContext) => number | null
  /** Whether this request gets a page that is not shared, such as one that brings a referral. */
  unless?: (c: SiteContext) => boolean
}

/**
 * Keeps a page for visitors who are not signed in at the edge, under its path, known query, time zone, version and build: a hit
 * mostly costs no trip and no rendering. The version is a few seconds old at most, so that is how late a visitor sees a change; who
 * is logged in, and may have made it, gets a page of their own. A page is rendered for nobody, with a random word where the token
 * goes, and only its text is kept: no header, no cookie. Who has a message waiting gets a page of their own, which is simpler than a
 * second slot. When the edge fails, pages are rendered. A page that has to be rendered and reads something is taken out of the
 * client's reads.
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
 * An empty form, which reads nothing. An address with a query gets a page that is not shared, and so does a browser that
 * was sent a referral: the form of Discord's sign-in holds it.
 */
export const emptyForm = edgeCached({
  unless: (c) => new URL(c.req.url).search !== '' || readCookie(c, 'referral') !== undefined,
})

function isForAnybody(c: SiteContext): boolean {
  return (
    c.req.method === 'GET' &&
    c.get('session') === null &&
    c.get('messages').length === 0 &&
    !wantsJson(c) &&
    // The page tells its own path; one that is written in another way is nobody else's.
    /^[\w/-]*$/.test(new URL(c.req.url).pathname)
  )
}

/** Where a page is kept, and what is kept there. */
interface Place {
  key: string
  stored: Stored | null
}

const nothingRead: SiteVersion = { version: 'none', bookmark: null }

/** Null when the page is not kept. A page that has to be made is made of a database at least as new as its version. */
async function findPlace(c: SiteContext, page: PublicPage): Promise<Place | null> {
  const { school, list } = page
  const asked = list?.page(c) ?? 1
  const schoolId = school?.(c)
  if (schoolId === null) return null
  const last = schoolId === undefined ? null : lastVersion(schoolId)
  // While the version is read, the page is looked for as it was last: mostly it still is that one.
  const [found, early] = await Promise.all([
    schoolId === undefined ? nothingRead : versionNearby(c, schoolId),
    last === null ? null : look(c, page, last, asked),
  ])
  if (found === null) return null
  const place = found.version === last ? early : await look(c, page, found.version, asked)
  if (place?.stored !== null) return place
  if (schoolId !== undefined) readNearby(c, found.bookmark)
  if (list === undefined || asked === 1) return place
  const end = (await readFirst(c.env.DB, list.last(c)))?.last ?? 1
  return asked <= end ? place : look(c, page, found.version, end)
}

/** @param number which page of its list */
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

/** Renders for nobody, keeps it when it is the page itself, and answers it with the visitor's token. */
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
  c.res = new Response(html.replaceAll(slot, token), c.res)
  if (isKept) c.header('x-edge-cache', 'miss')
}
