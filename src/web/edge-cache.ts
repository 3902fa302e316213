import { createMiddleware } from 'hono/factory'
import manifest from '../../.build/manifest.json'
import { randomToken } from './signing.ts'
import type { SiteContext, SiteEnv } from './site.ts'
import { wantsJson } from './wants-json.ts'

interface PublicPage {
  /** What of the query changes the page, as its handler understands it. Whatever else an address has after its `?` changes nothing. */
  query?: (c: SiteContext) => Record<string, string | number | null>
  /** The school it is about, 0 for all of them, null when it is about none and is not kept. Absent: the page reads nothing. */
  school?: (c: SiteContext) => number | null
  /** Whether this request gets a page of its own: who brings a referral, say. */
  unless?: (c: SiteContext) => boolean
}

/** The version ends a page's life; this only lets the edge forget those nobody asks for any more. */
const keptSeconds = 3600
const longestKey = 1000
/** As many pages are also kept by this isolate, the newest: then the edge is not even asked. */
const mostNear = 40
/** Where a stored page says which word in it is for the visitor's token. */
const slotHeader = 'x-token-slot'

interface Stored {
  html: string
  /** The word in it that stands for the visitor's token. */
  slot: string
}

const near = new Map<string, Stored>()

/**
 * Keeps a page for visitors who are not signed in at the edge, under its path, known query, time zone, version and build: a hit
 * costs one row (the version) and no rendering, and a change shows at once. A page is rendered for nobody, with a random word where
 * the token goes, and only its text is kept: no header, no cookie. Who has a message waiting gets a page of their own, which is
 * simpler than a second slot. When the edge fails, pages are rendered.
 */
export const edgeCached = (page: PublicPage) =>
  createMiddleware<SiteEnv>(async function edgeCached(c, next) {
    const key = isForAnybody(c) && !page.unless?.(c) ? await keyOf(c, page) : null
    if (key === null) return next()
    const stored = await find(key)
    if (stored !== null) {
      c.header('x-edge-cache', 'hit')
      return c.html(stored.html.replaceAll(stored.slot, c.get('csrfToken')))
    }
    await renderFor(c, key, next)
  })

/** A form as nobody has filled it yet: it reads nothing, and an address that says more gets a page of its own. */
export const emptyForm = edgeCached({ unless: (c) => new URL(c.req.url).search !== '' })

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

async function keyOf(c: SiteContext, { school, query }: PublicPage): Promise<string | null> {
  const version = school === undefined ? 'none' : await versionOf(c.env.DB, school(c))
  if (version === null) return null
  const known = Object.entries(query?.(c) ?? {}).flatMap(([name, value]) =>
    value === null || value === '' ? [] : [[name, String(value)]],
  )
  const zone = encodeURIComponent(c.get('timeZone'))
  const place = `/_edge/${manifest.build}/${version}/${zone}${new URL(c.req.url).pathname}`
  const key = `${c.env.APP_URL}${place}?${new URLSearchParams(known.toSorted())}`
  return key.length > longestKey ? null : key
}

/** Null without such a school. */
async function versionOf(db: D1Database, schoolId: number | null): Promise<string | null> {
  if (schoolId === null) return null
  return db.prepare('SELECT version FROM site_version WHERE school_id = ?').bind(schoolId).first<string>('version')
}

async function find(key: string): Promise<Stored | null> {
  const known = near.get(key)
  if (known) return known
  try {
    const answer = await caches.default.match(key)
    const slot = answer?.headers.get(slotHeader)
    if (!answer || !slot) return null
    const stored = { html: await answer.text(), slot }
    keepNear(key, stored)
    return stored
  } catch (error) {
    console.warn({ event: 'edge cache', error: String(error) })
    return null
  }
}

function keepNear(key: string, stored: Stored): void {
  near.set(key, stored)
  const [oldest] = near.keys()
  if (near.size > mostNear && oldest !== undefined) near.delete(oldest)
}

async function store(key: string, { html, slot }: Stored): Promise<void> {
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': `public, max-age=${keptSeconds}`,
    [slotHeader]: slot,
  }
  await caches.default
    .put(key, new Response(html, { headers }))
    .catch((error: unknown) => console.warn({ event: 'edge cache', error: String(error) }))
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
  if (isKept) {
    keepNear(key, { html, slot })
    c.executionCtx.waitUntil(store(key, { html, slot }))
  }
  c.res = new Response(html.replaceAll(slot, token), c.res)
  if (isKept) c.header('x-edge-cache', 'miss')
}
