import { isNarrowed } from '../../../client/islands/scheduler/texts.ts'
import type { QueueName } from '../../jobs/job.ts'
import { paginate } from '../../web/pagination.ts'
import { askLedger } from '../ask-ledgers.ts'
import type { ChartSpan, JobListProps, ListSearch, RegistryName } from '../contract.ts'
import { readChart } from '../queues/read-queues.ts'
import { jobRow } from '../shown-jobs.ts'
import { queueRow } from '../shown-queues.ts'
import { filterOf } from './list-search.ts'
import { findRunningAct } from './running-act.ts'

const PAGE_SIZE = 20

interface ListPlace {
  queue: QueueName
  registry: RegistryName
  search: ListSearch
  page: number
  cursor: number | null
  span: ChartSpan
}

/**
 * A list of jobs by page if its total is known, otherwise as far as the search got.
 * @throws outside when the ledger does not answer
 */
export async function readList(env: Env, place: ListPlace, now: number): Promise<JobListProps> {
  const { queue, registry, search, page, cursor, span } = place
  const filter = filterOf(registry, search, now)
  const [[stats, tasks, chart, list, matches], running] = await Promise.all([
    askLedger(env, queue, (ledger) =>
      Promise.all([
        ledger.stats(),
        ledger.tasks(),
        readChart(ledger, span, now),
        ledger.list({ ...filter, page, size: PAGE_SIZE, ...(cursor !== null && { cursor }) }),
        isNarrowed(search) ? ledger.count(filter) : null,
      ]),
    ),
    findRunningAct(env, queue, registry, now),
  ])
  const { total } = list
  return {
    queue: queueRow(queue, stats),
    registry,
    search,
    tasks,
    jobs: list.jobs.map(jobRow),
    total,
    matches,
    pagination: total === null ? null : paginate({ page: list.page, size: PAGE_SIZE, total }).pagination,
    next_cursor: total === null ? list.cursor : null,
    is_partial: total === null && list.cursor !== null && list.jobs.length < PAGE_SIZE,
    chart,
    chart_span: span,
    running,
  }
}
