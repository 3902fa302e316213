import manifest from '../../../.build/manifest.json'
import type { SiteContext } from '../site.ts'

/** A text that is made once and served many times. */
export interface Stored {
  text: string
  /** The placeholder in it for the visitor's token; '' if it has none. */
  slot: string
  /** The header that lists the files it loads; '' for none. */
  files: string
}

/** A new version replaces a text; this lifetime only lets the edge drop texts that are no longer requested. */
const KEEP_SECONDS = 3600
const MAX_KEY_LENGTH = 1000
/** This many of the newest texts are also kept in the isolate, which saves asking the edge. */
const MAX_NEAR = 40
const MAX_NEAR_CHARACTERS = 8 * 1024 * 1024
/** The header in which a stored text names its placeholder for the visitor's token. */
const slotHeader = 'x-token-slot'
/** A header name of our own, so that nothing on the way interprets it. */
const filesHeader = 'x-page-files'

const near = new Map<string, Stored>()
let nearCharacters = 0

/** The address that a text is stored under; null if it would be too long. @param version what the text was made from */
export function storeKey(c: SiteContext, version: string, place: string): string | null {
  const key = `${c.env.APP_URL}/_edge/${manifest.build}/${version}/${place}`
  return key.length > MAX_KEY_LENGTH ? null : key
}

/** Returns the text under a key; null if there is none or the edge cache does not answer. */
export async function findStored(key: string): Promise<Stored | null> {
  const known = near.get(key)
  if (known) return known
  try {
    const answer = await caches.default.match(key)
    const slot = answer?.headers.get(slotHeader)
    if (!answer || slot === null || slot === undefined) return null
    const stored = { text: await answer.text(), slot, files: answer.headers.get(filesHeader) ?? '' }
    keepNear(key, stored)
    return stored
  } catch (error) {
    warn(error)
    return null
  }
}

/** Stores a text in this isolate now, and at this location after the response. @param type its content type */
export function store(c: SiteContext, key: string, stored: Stored, type: string): void {
  keepNear(key, stored)
  const headers = {
    'content-type': type,
    'cache-control': `public, max-age=${KEEP_SECONDS}`,
    [slotHeader]: stored.slot,
    [filesHeader]: stored.files,
  }
  c.executionCtx.waitUntil(caches.default.put(key, new Response(stored.text, { headers })).catch(warn))
}

/** Keeps a version at this location after the response, as a fallback for when the database does not answer. */
export function storeVersion(c: SiteContext, school: number, version: string): void {
  const headers = { 'content-type': 'text/plain', 'cache-control': `public, max-age=${KEEP_SECONDS}` }
  c.executionCtx.waitUntil(caches.default.put(versionKey(c, school), new Response(version, { headers })).catch(warn))
}

/** Returns the version that {@link storeVersion} kept; null if there is none or the edge cache does not answer. */
export async function findVersion(c: SiteContext, school: number): Promise<string | null> {
  try {
    const answer = await caches.default.match(versionKey(c, school))
    return answer ? await answer.text() : null
  } catch (error) {
    warn(error)
    return null
  }
}

const versionKey = (c: SiteContext, school: number): string => `${c.env.APP_URL}/_edge/versions/${school}`

const warn = (error: unknown): void => console.warn({ event: 'edge_cache_failed', error: String(error) })

function keepNear(key: string, stored: Stored): void {
  remove(key)
  near.set(key, stored)
  nearCharacters += stored.text.length
  for (const oldest of near.keys()) {
    if (near.size <= MAX_NEAR && nearCharacters <= MAX_NEAR_CHARACTERS) break
    remove(oldest)
  }
}

function remove(key: string): void {
  nearCharacters -= near.get(key)?.text.length ?? 0
  near.delete(key)
}
