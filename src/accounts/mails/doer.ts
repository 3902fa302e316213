import { placeOf } from '../../web/client-address.ts'
import type { SiteContext } from '../../web/site.ts'
import { browserName, countryName } from './browser-name.ts'
import type { Doer } from './mails.ts'

/** Who sends this request, as told in a security notification. @param now ms since epoch */
export function doerOf(c: SiteContext, now: number): Doer {
  const { ipAddress, country } = placeOf(c)
  const address = ipAddress ?? 'an unknown address'
  const place = countryName(country)
  return {
    when: `${new Date(now).toISOString().slice(0, 16).replace('T', ' ')} UTC`,
    where: place === '' ? address : `${address}, ${place}`,
    browser: browserName(c.req.header('user-agent') ?? null),
  }
}
