import { safeNext } from '../accounts/next.ts'
import { queueNames } from '../jobs/job.ts'
import { badRequest } from '../web/refusal.ts'
import type { SiteContext } from '../web/site.ts'
import { registryNames } from './contract.ts'

const queue = `queues/(?:${queueNames.join('|')})`
const pages = new RegExp(
  `^/scheduler/(?:(?:queues|workers|audit)/?|${queue}/(?:workers|settings)/?|${queue}/(?:${registryNames.join('|')})/jobs/?|(?:workers|jobs)/[^/]+/?)?$`,
)

/** The path of a page of the scheduler; null for everything else. */
function pageOf(address: string): string | null {
  const path = safeNext(address)
  return path !== null && pages.test(path.split(/[?#]/, 1)[0] ?? '') ? path : null
}

/** The page after a form: `next_url`, the page it was on, or `otherwise`. @throws badRequest for another `next_url` */
export function followupOf(c: SiteContext, asked: string, otherwise: string): string {
  if (asked !== '') {
    const page = pageOf(asked)
    if (page === null) throw badRequest('Bad followup URL')
    return page
  }
  const referrer = URL.parse(c.req.header('referer') ?? '')
  const isOurs = referrer !== null && referrer.origin === new URL(c.req.url).origin
  return (isOurs && pageOf(referrer.pathname + referrer.search)) || otherwise
}
