import manifest from '../../.build/manifest.json'
import type { SiteContext } from './site.ts'

/** A text that was made once and serves many. */
export interface Stored {
  text: string
  /** The word in it that stands for the visitor's token; '' in a text that has none. */
  slot: string
  /** The header that names the files it loads; '' for none. */
  files: string
}

/** The version ends a text's life; this only lets the edge forget those nobody asks for any more. */
const KEEP_SECONDS = 3600
const MAX_KEY_LENGTH = 1000
/** As many texts are also kept by this isolate, the newest: then the edge is not even asked. */
const MAX_NEAR = 40
const MAX_NEAR_CHARACTERS = 8 * 1024 * 1024
/** Where a stored text says which word in it is for the visitor's token. */
const slotHeader = 'x-token-slot'
/** Its own name: nothing on the way is to act on it. */
const filesHeader = 'x-page-files'

const near = new Map<string, Stored>()
let nearCharacters = 0

/** The address a text is stored under; null when it is too long. @param version what it was made of */
export function storeKey(c: SiteContext, version: string, place: string): string | null {
  const key = `${c.env.APP_URL}/_edge/${manifest.build}/${version}/${place}`
  return key.length > MAX_KEY_LENGTH ? null : key
}

/** The text under a key; null when there is none or the edge cannot be asked. */
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

/** Stores a text for this isolate at once, and for its location after the answer. @param type its content type */
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

/** Keeps a word for this location after the answer, for when nothing else can tell it. */
export function remember(c: SiteContext, name: string, word: string): void {
  const headers = { 'content-type': 'text/plain', 'cache-control': `public, max-age=${KEEP_SECONDS}` }
  c.executionCtx.waitUntil(caches.default.put(wordKey(c, name), new Response(word, { headers })).catch(warn))
}

/** The word that was kept under the name; null when there is none or the edge cannot be asked. */
export async function recall(c: SiteContext, name: string): Promise<string | null> {
  const answer = await caches.default.match(wordKey(c, name)).catch(warn)
  return answer ? answer.text() : null
}

const wordKey = (c: SiteContext, name: string): string => `${c.env.APP_URL}/_edge/words/${name}`

const warn = (error: unknown): void => console.warn({ event: 'edge cache', error: String(error) })

function keepNear(key: string, stored: Stored): void {
  forget(key)
  near.set(key, stored)
  nearCharacters += stored.text.length
  for (const oldest of near.keys()) {
    if (near.size <= MAX_NEAR && nearCharacters <= MAX_NEAR_CHARACTERS) break
    forget(oldest)
  }
}

function forget(key: string): void {
  nearCharacters -= near.get(key)?.text.length ?? 0
  near.delete(key)
}
