import { textField } from '../web/parse.ts'
import type { SiteContext } from '../web/site.ts'
import { isTimeZone } from '../lib/time-zone.ts'

/** The hidden field that says on which clock the moments of a form are shown. */
export const zoneField = 'clock'

/** Reads a form on the clock it was made with: whoever sends it may be elsewhere by then, and no moment may move for that. */
export function keepZone(c: SiteContext, form: FormData): void {
  const zone = textField(form, zoneField)
  if (zone !== '' && isTimeZone(zone)) c.set('timeZone', zone)
}
