import { readFirst } from '../db/query.ts'
import { findStored, store, storeKey } from './edge-store.ts'
import { takeRead } from './read-limit.ts'
import { findSiteVersion } from './site-version.ts'
import type { SiteContext } from './site.ts'

/**
 * Answers JSON that says nothing of who asks, and is made once for each version of all schools: for everybody whose request has this
 * `name`. A hit costs one row; making it is taken out of the client's reads.
 */
export async function edgeJson(c: SiteContext, name: string, make: () => Promise<object>): Promise<Response> {
  const row = await readFirst(c.env.DB, findSiteVersion({ school: 0 }))
  const key = row === null ? null : storeKey(c, row.version, `json/${name}`)
  const stored = key === null ? null : await findStored(key)
  if (stored !== null) return answer(c, stored.text, 'hit')
  await takeRead(c)
  const text = JSON.stringify(await make())
  if (key !== null) store(c, key, { text, slot: '' }, 'application/json')
  return answer(c, text, 'miss')
}

const answer = (c: SiteContext, text: string, from: 'hit' | 'miss') =>
  c.body(text, 200, { 'content-type': 'application/json', 'x-edge-cache': from })
