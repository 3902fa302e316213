import type { SiteContext } from '../../web/site.ts'
import { browserName, countryName } from './browser-name.ts'
import type { Doer } from './mails.ts'

/** Who sends this request, as told in a security notification. @param now ms since epoch */
export function doerOf(c: SiteContext, now: number): Doer {
  const country = c.req.raw.cf?.country
  const address = c.req.header('cf-connecting-ip') ?? 'an unknown address'
  const place = countryName(typeof country === 'string' ? country : null)
  return {
    when: `${new Date(now).toISOString().slice(0, 16).replace('T', ' ')} UTC`,
    where: place === '' ? address : `${address}, ${place}`,
    browser: browserName(c.req.header('user-agent') ?? null),
  }
}
