import type { ChartSpan, JobPage, ListSearch, RegistryName } from '../../../src/scheduler/contract.ts'

export const queuesAddress = '/scheduler/queues/'
export const workersAddress = '/scheduler/workers/'

const queueAddress = (queue: string) => `${queuesAddress}${encodeURIComponent(queue)}/`

/** A page or action of a whole queue, such as `pause` or `settings`. */
export const ofQueue = (queue: string, what: string): string => `${queueAddress(queue)}${what}/`

export const jobAddress = (name: string): string => `/scheduler/jobs/${encodeURIComponent(name)}/`

export const jobActionAddress = (name: string, action: JobPage['actions'][number]): string =>
  `${jobAddress(name)}${action}/`

export const workerAddress = (name: string): string => `${workersAddress}${encodeURIComponent(name)}/`

/** The query part of an address for a search; '' if there is none. */
export function searchText(
  search: ListSearch,
  place: { page?: number; cursor?: number; chart?: ChartSpan } = {},
): string {
  const parameters = new URLSearchParams()
  for (const name of ['q', 'task', 'status', 'age'] as const) {
    const value = search[name].trim()
    if (value !== '') parameters.set(name, value)
  }
  if (place.page !== undefined && place.page > 1) parameters.set('page', String(place.page))
  if (place.cursor !== undefined) parameters.set('cursor', String(place.cursor))
  if (place.chart === 'day') parameters.set('chart', place.chart)
  const text = parameters.toString()
  return text === '' ? '' : `?${text}`
}

/** A list of jobs, narrowed by `search`. */
export const listAddress = (queue: string, registry: RegistryName, search = ''): string =>
  `${queueAddress(queue)}${registry}/jobs${search}`

/** An action on everything that a list's search matches; it asks for confirmation first. */
export const bulkAddress = (queue: string, registry: RegistryName, action: string, search = ''): string =>
  `${queueAddress(queue)}${registry}/${action}/${search}`

/** The socket that announces changes of a queue, or of one of its jobs. */
export const livePath = (queue: string, job?: string): string =>
  `/scheduler/live/?queue=${queue}${job === undefined ? '' : `&job=${job}`}`
