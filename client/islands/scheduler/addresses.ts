import type { ChartSpan, JobAction, ListSearch, RegistryName } from '../../../src/scheduler/contract.ts'
import { addressQuery } from '../../address-query.ts'

export const queuesAddress = '/scheduler/queues/'
export const toQueues = { label: 'Queues', href: queuesAddress }
export const workersAddress = '/scheduler/workers/'

const queueAddress = (queue: string) => `${queuesAddress}${encodeURIComponent(queue)}/`

/** A page or action of a whole queue, such as `pause` or `settings`. */
export const ofQueue = (queue: string, what: string): string => `${queueAddress(queue)}${what}/`

export const jobAddress = (name: string): string => `/scheduler/jobs/${encodeURIComponent(name)}/`

export const jobActionAddress = (name: string, action: JobAction): string => `${jobAddress(name)}${action}/`

export const workerAddress = (name: string): string => `${workersAddress}${encodeURIComponent(name)}/`

/** The query part of an address for a search; '' if there is none. */
export const searchText = (
  { q, task, status, age }: ListSearch,
  { page, cursor, chart }: { page?: number; cursor?: number | null; chart?: ChartSpan } = {},
): string => addressQuery({ q, task, status, age, page, cursor, chart: chart === 'day' ? chart : null })

/** A list of jobs, narrowed by `search`. */
export const listAddress = (queue: string, registry: RegistryName, search = ''): string =>
  `${queueAddress(queue)}${registry}/jobs${search}`

/** An action on everything that a list's search matches; it asks for confirmation first. */
export const bulkAddress = (queue: string, registry: RegistryName, action: string, search: string): string =>
  `${queueAddress(queue)}${registry}/${action}/${search}`

/** The socket that announces changes of a queue, or of one of its jobs. */
export const livePath = (queue: string, job?: string): string =>
  `/scheduler/live/?queue=${queue}${job === undefined ? '' : `&job=${job}`}`
