import { findStored, store, storeKey } from './edge-store.ts'
import { takeRead } from '../limits/limits.ts'
import { readNearby, readVersion, type SiteVersion, versionNearby } from './site-version.ts'
import type { SiteContext } from '../site.ts'

/**
 * Answers with JSON that is the same for everyone, made once per version of all schools and shared by every request
 * with this `name`. A visitor's hit usually costs no database trip. A logged-in user's hit costs one row, because they
 * may just have changed what it lists. A miss counts toward the client's read limit.
 */
export function edgeJson(c: SiteContext, name: string, make: () => Promise<object>): Promise<Response> {
  return edgeText(c, `json/${name}`, 'application/json', async () => JSON.stringify(await make()))
}

/** Like {@link edgeJson}, for text of any `type`. */
export async function edgeText(
  c: SiteContext,
  name: string,
  type: string,
  make: () => Promise<string>,
): Promise<Response> {
  const found = await currentVersion(c)
  const key = found === null ? null : storeKey(c, found.version, name)
  const stored = key === null ? null : await findStored(key)
  if (stored !== null) return c.body(stored.text, 200, { 'content-type': type, 'x-edge-cache': 'hit' })
  await takeRead(c)
  const text = await make()
  if (key !== null && !found?.isStale) store(c, key, { text, slot: '', files: '' }, type)
  return c.body(text, 200, { 'content-type': type, 'x-edge-cache': 'miss' })
}

async function currentVersion(c: SiteContext): Promise<SiteVersion | null> {
  if (c.get('session') === null) {
    const nearby = await versionNearby(c, 0)
    readNearby(c, nearby?.bookmark)
    return nearby
  }
  const version = await readVersion(c.env.DB, 0)
  return version === null ? null : { version, bookmark: null }
}
