import { createMiddleware } from 'hono/factory'
import { readFirst, readTogether, type Template } from '../db/query.ts'
import { readCookie } from './cookies.ts'
import { findStored, store, storeKey } from './edge-store.ts'
import { takeRead } from './read-limit.ts'
import { randomToken } from './signing.ts'
import { findSiteVersion } from './site-version.ts'
import type { SiteContext, SiteEnv } from './site.ts'
import { wantsJson } from './wants-json.ts'

interface PublicPage {
  /** What of the query changes the page, as its handler understands it. Whatever else an address has after its `?` changes nothing. */
  query?: (c: SiteContext) => Record<string, string | number | null>
  /** Of a list: the page asked for, and a query whose `last` no page is beyond. All pages from there on are kept as that one. */
  list?: { page: (c: SiteContext) => number; last: (c: SiteContext) => Template<{ last: number }> }
  /** The school it is about, 0 for all of them, null when it is about none and is not kept. Absent: the page reads nothing. */
  school?: (c: SiteContext) => number | null
  /** Whether this request gets a page of its own: who brings a referral, say. */
  unless?: (c: SiteContext) => boolean
}

/**
 * Keeps a page for visitors who are not signed in at the edge, under its path, known query, time zone, version and build: a hit
 * costs one row (the version) and no rendering, and a change shows at once. A page is rendered for nobody, with a random word where
 * the token goes, and only its text is kept: no header, no cookie. Who has a message waiting gets a page of their own, which is
 * simpler than a second slot. When the edge fails, pages are rendered. A page that has to be rendered and reads something is taken
 * out of the client's reads.
 */
export const edgeCached = (page: PublicPage) =>
  createMiddleware<SiteEnv>(async function edgeCached(c, next) {
    const isLimited = page.school !== undefined
    const key = isForAnybody(c) && !page.unless?.(c) ? await keyOf(c, page) : null
    const stored = key === null ? null : await findStored(key)
    if (stored !== null) {
      c.header('x-edge-cache', 'hit')
      return c.html(stored.text.replaceAll(stored.slot, c.get('csrfToken')))
    }
    if (isLimited) await takeRead(c)
    return key === null ? next() : renderFor(c, key, next)
  })

/**
 * A form as nobody has filled it yet: it reads nothing. An address that says more gets a page of its own, and so does a browser that
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

async function keyOf(c: SiteContext, { school, query, list }: PublicPage): Promise<string | null> {
  const found = school === undefined ? { version: 'none', page: 1 } : await versionAndPage(c, school(c), list)
  if (found === null) return null
  const asked: Record<string, string | number | null> = { ...query?.(c), page: found.page }
  const known = Object.entries(asked).flatMap(([name, value]) =>
    value === null || value === '' ? [] : [[name, String(value)]],
  )
  const zone = encodeURIComponent(c.get('timeZone'))
  const { pathname } = new URL(c.req.url)
  return storeKey(c, found.version, `${zone}${pathname}?${new URLSearchParams(known.toSorted())}`)
}

/** The version of what a page is made of, and which page of its list is meant. One round trip. Null without such a school. */
async function versionAndPage(
  c: SiteContext,
  schoolId: number | null,
  list: PublicPage['list'],
): Promise<{ version: string; page: number } | null> {
  if (schoolId === null) return null
  const page = list?.page(c) ?? 1
  const version = findSiteVersion({ school: schoolId })
  if (list === undefined || page === 1) {
    const row = await readFirst(c.env.DB, version)
    return row && { version: row.version, page: 1 }
  }
  const [versions, lasts] = await readTogether(c.env.DB, version, list.last(c))
  const [row] = versions
  return row ? { version: row.version, page: Math.min(page, lasts[0]?.last ?? 1) } : null
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
  if (isKept) store(c, key, { text: html, slot }, 'text/html; charset=utf-8')
  c.res = new Response(html.replaceAll(slot, token), c.res)
  if (isKept) c.header('x-edge-cache', 'miss')
}
