import { isNarrowed } from '../../../client/islands/scheduler/texts.ts'
import { isEnded, type JobRecord, type QueueName } from '../../jobs/job.ts'
import { paginate } from '../../web/pagination.ts'
import { askLedger, MAX_LEDGER_WAIT_MS } from '../ask-ledgers.ts'
import type { ChartSpan, JobListProps, ListSearch, RegistryName } from '../contract.ts'
import { readChart } from '../queues/read-queues.ts'
import { jobRow } from '../shown-jobs.ts'
import { queueRow } from '../shown-queues.ts'
import { filterOf } from './list-search.ts'
import { bulkAct } from '../../jobs/bulk.ts'
import { ledgerOf } from '../../jobs/ledgers.ts'
import { pausedQueues } from '../../jobs/paused-queues.ts'
import { orWarn } from '../../lib/fallbacks.ts'
import { DAY_MS, withTimeout } from '../../lib/time.ts'

const PAGE_SIZE = 20

interface ListPlace {
  queue: QueueName
  registry: RegistryName
  search: ListSearch
  page: number
  cursor: number | null
  span: ChartSpan
}

/** By page if its total is known, otherwise as far as the search got. @throws upstreamError without an answer */
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
    // The form must show the filter even if no job of this kind is known.
    tasks: search.task === '' ? tasks : [...new Set([...tasks, search.task])],
    jobs: list.jobs.map(jobRow),
    matches,
    pagination: total === null ? null : paginate({ page: list.page, size: PAGE_SIZE, total }),
    cursor: total === null ? cursor : null,
    next_cursor: total === null ? list.cursor : null,
    is_partial: total === null && list.cursor !== null && list.jobs.length < PAGE_SIZE,
    chart,
    chart_span: span,
    running,
  }
}

const MAX_ACTS = 20

/** The newest action on this list that is still running in the background; null also if its ledger does not answer. */
async function findRunningAct(
  env: Env,
  queue: QueueName,
  registry: RegistryName,
  now: number,
): Promise<JobListProps['running']> {
  const acts = await newestActs(env, now)
  const act = acts.find((job) => !isEnded(job.state) && isOn(job, queue, registry))
  if (!act) return null
  const paused = await pausedQueues(env, [bulkAct.queue])
  return { job: act.id, ...act.progress, is_paused: paused.length > 0 }
}

async function newestActs(env: Env, now: number): Promise<JobRecord[]> {
  const { name, queue } = bulkAct
  const asked = { task: name, since: now - DAY_MS, size: MAX_ACTS }
  // The list belongs to another queue and is worth showing without this.
  const listed = withTimeout(ledgerOf(env, queue).list(asked), MAX_LEDGER_WAIT_MS)
  return (await orWarn(listed, { event: 'ledger_silent', queue }, null))?.jobs ?? []
}

function isOn({ input }: JobRecord, queue: QueueName, registry: RegistryName): boolean {
  const asked = bulkAct.input.safeParse(input)
  return asked.success && asked.data.queue === queue && asked.data.filter.registry === registry
}
