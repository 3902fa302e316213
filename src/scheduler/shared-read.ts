import { withTimeout } from '../lib/time.ts'
import type { SiteContext } from '../web/site.ts'
import { wantsJson } from '../web/wants-json.ts'

/** The same page is read again after this time at the earliest, in ms. */
const MIN_INTERVAL_MS = 250
/** How long a request waits for another's reading, in ms. */
const MAX_WAIT_MS = 2000

/** Readings of pages that have not begun yet, by URL; and when the latest of each began, ms since epoch. */
const coming = new Map<string, Promise<unknown>>()
const begunAt = new Map<string, number>()

/**
 * Reads a page's props once for all viewers whose pages ask for them at the same time, as they do after a notification.
 * No one gets a reading that began before they asked, so it includes everything that they were notified of. Only for
 * pages that look the same to every viewer. A newly opened page is read immediately.
 */
export async function sharedRead<Props>(c: SiteContext, read: () => Promise<Props>): Promise<Props> {
  if (!wantsJson(c)) return read()
  const { pathname, search } = new URL(c.req.url)
  const address = pathname + search
  const joined = coming.get(address)
  if (joined !== undefined) {
    try {
      return (await withTimeout(joined, MAX_WAIT_MS)) as Props
    } catch {
      // The request that should have read the page was canceled or failed, and must not delay the next ones as well.
      if (coming.get(address) === joined) coming.delete(address)
      return read()
    }
  }
  const rest = (begunAt.get(address) ?? 0) + MIN_INTERVAL_MS - Date.now()
  if (rest <= 0) return begin(address, read)
  const reading = scheduler.wait(rest).then(() => begin(address, read))
  coming.set(address, reading)
  // The reading continues for the others if its own page is left.
  c.executionCtx.waitUntil(reading.catch(() => undefined))
  return reading
}

function begin<Props>(address: string, read: () => Promise<Props>): Promise<Props> {
  coming.delete(address)
  const now = Date.now()
  for (const [past, at] of begunAt) if (at + MIN_INTERVAL_MS < now) begunAt.delete(past)
  begunAt.set(address, now)
  return read()
}
