import { listAddress, searchText } from '../../../client/islands/scheduler/addresses.ts'
import { isNarrowed } from '../../../client/islands/scheduler/texts.ts'
import { counted } from '../../lib/text.ts'
import { type BulkStart, startBulk } from '../../jobs/bulk.ts'
import type { QueueName } from '../../jobs/job.ts'
import { pausedQueues } from '../../jobs/paused-queues.ts'
import type { BulkAct, BulkResult } from '../../jobs/ledger/calls.ts'
import { actorOf } from '../../web/audit.ts'
import type { Message } from '../../lib/contract.ts'
import { upstreamError } from '../../web/refusal.ts'
import type { SiteContext } from '../../web/site.ts'
import { noteAct, type ActAnswer } from '../answer-act.ts'
import { askLedger } from '../ask-ledgers.ts'
import type { ListSearch, RegistryName } from '../contract.ts'
import { pastOf } from '../jobs/job-acts.ts'
import { bulkMessages } from './selection.ts'
import { filterOf } from './list-search.ts'

type RegistryAction = BulkAct | 'empty'

/** What can be done with all jobs of a list. A running job cannot be deleted. */
const listActions: Readonly<Record<RegistryName, readonly RegistryAction[]>> = {
  queued: ['empty', 'delete', 'cancel'],
  scheduled: ['empty', 'delete', 'cancel'],
  active: ['cancel', 'stop'],
  finished: ['empty', 'delete'],
  failed: ['empty', 'delete', 'requeue'],
  canceled: ['empty', 'delete'],
}

/** More jobs than this are handled by a background job, whose progress the list shows. */
const MAX_AT_ONCE = 500

/** What an action does to each job: emptying a list deletes its jobs. */
export const actOf = (action: RegistryAction): BulkAct => (action === 'empty' ? 'delete' : action)

/** The action in a path; null if the list has none with this name. */
export function registryAction(registry: RegistryName, asked: string | undefined): RegistryAction | null {
  return listActions[registry].find((name) => name === asked) ?? null
}

export interface JobSet {
  queue: QueueName
  registry: RegistryName
  search: ListSearch
}

/**
 * What is asked before an action: how many jobs it would change, as far as this is known without a long search, and the
 * first of them.
 */
export async function previewAct(
  c: SiteContext,
  { queue, registry, search }: JobSet,
  action: RegistryAction,
  now: number,
): Promise<{ question: string; names: string[]; note: string }> {
  const filter = filterOf(registry, search, now)
  const [list, matches] = await askLedger(c.env, queue, (ledger) =>
    Promise.all([ledger.list(filter), isNarrowed(search) ? ledger.count(filter) : null]),
  )
  const { jobs, is_more } = matches ?? { jobs: list.total ?? 0, is_more: false }
  const isLarge = is_more || jobs > MAX_AT_ONCE
  const note = isLarge && (await isMaintenancePaused(c.env)) ? `A large change ${waitsForMaintenance}.` : ''
  const sure = `Are you sure you want to ${actOf(action)}`
  const set = `${registry} jobs of ${queue}`
  const all = isNarrowed(search) ? `all that match the search among the ${set}` : `all ${set}`
  const question =
    jobs === 0 && is_more
      ? `None of the newest ${set} match the search. ${sure} all older ones that do?`
      : `${sure} ${is_more ? 'at least ' : ''}${counted(jobs, 'job')}: ${all}?`
  return { question, names: list.jobs.map(({ id }) => id), note }
}

const waitsForMaintenance = 'is finished only after the queue maintenance is resumed, which is paused now'

const isMaintenancePaused = async (env: Env): Promise<boolean> => (await pausedQueues(env, ['maintenance'])).length > 0

/**
 * Acts on all jobs of a list or search: at once if one turn is enough, otherwise in the background.
 * @param askedAt when the person was asked: "the last hour" is the hour before that, and later jobs are left alone
 */
export async function actOnSet(
  c: SiteContext,
  set: JobSet,
  action: RegistryAction,
  askedAt: number,
): Promise<ActAnswer> {
  const { queue, registry, search } = set
  const act = actOf(action)
  const filter = filterOf(registry, search, askedAt)
  const request = { act, filter, by: actorOf(c).who, began_at: askedAt }
  const begun = await actAtOnce(c.env, queue, request)
  const outcome =
    begun?.cursor === null ? outcomeOf(set, action, begun) : await handToJob(c.env, { ...request, queue, from: begun })
  await noteAct(c, {
    act: pastOf[act],
    table: 'queue',
    key: queue,
    title: `${registry} jobs of ${queue}`,
    after: { ...filter, jobs: outcome.jobs },
  })
  return { messages: outcome.messages, url: listAddress(queue, registry, searchText(search)) }
}

interface SetOutcome {
  messages: Message[]
  /** How many jobs were changed, or the background job that changes them. */
  jobs: number | string
}

/** The result of one turn; with a cursor there is more to do. Null if one turn is not enough: nothing was started. */
async function actAtOnce(
  env: Env,
  queue: QueueName,
  request: Omit<BulkStart, 'queue' | 'from'>,
): Promise<BulkResult | null> {
  return askLedger(env, queue, async (ledger) => {
    const { total } = await ledger.list({ ...request.filter, size: 1 })
    return (total ?? 0) > MAX_AT_ONCE ? null : ledger.bulk(request)
  })
}

function outcomeOf({ queue, registry, search }: JobSet, action: RegistryAction, result: BulkResult): SetOutcome {
  if (action !== 'empty' || isNarrowed(search))
    return { messages: bulkMessages(actOf(action), result), jobs: result.done }
  const message = `You have successfully cleared the queue ${queue}: ${counted(result.done, 'job')} deleted from ${registry}.`
  return { messages: [{ level_tag: 'success', message }], jobs: result.done }
}

async function handToJob(env: Env, request: BulkStart): Promise<SetOutcome> {
  try {
    const job = await startBulk(env, request)
    const isPaused = await isMaintenancePaused(env)
    const when = isPaused ? waitsForMaintenance : 'continues in the background'
    const message = `This is a large change, so it ${when}. Progress is shown here.`
    return { messages: [{ level_tag: isPaused ? 'warning' : 'info', message }], jobs: job.id }
  } catch {
    throw upstreamError(504, 'The queue maintenance did not respond in time. Please try again.')
  }
}
