import { flash } from '../../web/flash.ts'
import type { SiteContext } from '../../web/site.ts'

/** Goes back to the page an act was asked from, which then says what came of it. */
export function sendBack(
  c: SiteContext,
  back: string,
  level: 'success' | 'error',
  messages: readonly string[],
): Response {
  for (const message of messages) flash(c, level, message)
  return c.redirect(back, 303)
}
