import { queueNames, type QueueName } from '../jobs/job.ts'
import { queueOfJob } from '../jobs/job-name.ts'
import { notFound } from '../web/refusal.ts'
import type { SiteContext } from '../web/site.ts'
import { registryNames, type RegistryName } from './contract.ts'

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
