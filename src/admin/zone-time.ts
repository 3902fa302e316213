import { textField } from '../web/parse.ts'
import type { SiteContext } from '../web/site.ts'
import { isTimeZone } from '../lib/time.ts'

/** The hidden field with the time zone in which a form shows its times. */
export const zoneField = 'clock'

/** Reads a form in the time zone it was shown in: its sender may have traveled since, which must not change a time. */
export function keepZone(c: SiteContext, form: FormData): void {
  const zone = textField(form, zoneField)
  if (zone !== '' && isTimeZone(zone)) c.set('timeZone', zone)
}
