import { queueNames, type QueueName, queueOfJob } from '../jobs/job.ts'
import { notFound, badRequest } from '../web/refusal.ts'
import type { SiteContext } from '../web/site.ts'
import { registryNames, type RegistryName } from './contract.ts'
import { safeNext } from '../accounts/next.ts'

export function queueByName(asked: string | undefined): QueueName {
  const queue = queueNames.find((name) => name === asked)
  if (!queue) throw notFound('There is no queue with this name.')
  return queue
}

export const pathQueue = (c: SiteContext): QueueName => queueByName(c.req.param('queue'))

export function pathRegistry(c: SiteContext): RegistryName {
  const asked = c.req.param('registry')
  const registry = registryNames.find((name) => name === asked)
  if (!registry) throw notFound('There is no such list of jobs.')
  return registry
}

/** The job named in the path and the queue in its name; null when no job can have the name. */
export function pathJob(c: SiteContext): { name: string; queue: QueueName | null } {
  const name = c.req.param('job_name') ?? ''
  return { name, queue: queueOfJob(name) }
}

const queue = `queues/(?:${queueNames.join('|')})`
const pages = new RegExp(
  `^/scheduler/(?:(?:queues|workers|audit)/?|${queue}/(?:workers|settings)/?|${queue}/(?:${registryNames.join('|')})/jobs/?|(?:workers|jobs)/[^/]+/?)?$`,
)

/** The path of a page of the scheduler, or also of another area if `isPage` knows them; null for everything else. */
function pageOf(address: string, isPage = (_path: string) => false): string | null {
  const path = safeNext(address)
  const [place = ''] = path?.split(/[?#]/, 1) ?? []
  return pages.test(place) || (!place.startsWith('/scheduler/') && isPage(place)) ? path : null
}

/** The page after a form: `next_url`, the page it was on, or `otherwise`. @throws badRequest for another `next_url` */
export function followupOf(c: SiteContext, asked: string, otherwise: string): string {
  if (asked !== '') {
    const page = pageOf(asked, c.get('isPage'))
    if (page === null) throw badRequest('Bad followup URL')
    return page
  }
  const referrer = URL.parse(c.req.header('referer') ?? '')
  const isOurs = referrer !== null && referrer.origin === new URL(c.req.url).origin
  return (isOurs && pageOf(referrer.pathname + referrer.search)) || otherwise
}
