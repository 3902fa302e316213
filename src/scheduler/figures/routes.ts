import { Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import { notFound } from '../../web/refusal.ts'
import { hashOf, isSameText } from '../../web/security/signing.ts'
import type { SiteContext, SiteEnv } from '../../web/site.ts'
import { readMetrics } from './metrics.ts'
import { prometheusText, prometheusType } from './prometheus.ts'
import type { QueueStats } from '../../jobs/ledger/views.ts'
import { countsOf } from '../shown-queues.ts'
import { withTimeout, isoOrNull } from '../../lib/time.ts'
import { askLedgers } from '../ask-ledgers.ts'
import { readSources } from '../queues/health.ts'

/** Only for superusers, and for the secret STATS_TOKEN as a bearer token (RFC 6750 §2.1); everyone else gets 404. */
const mayReadFigures = createMiddleware<SiteEnv>(async function mayReadFigures(c, next) {
  if (!c.get('user')?.is_superuser && !(await hasToken(c))) throw notFound()
  await next()
})

async function hasToken(c: SiteContext): Promise<boolean> {
  const secret = c.env.STATS_TOKEN ?? ''
  const token = /^Bearer +(\S+) *$/i.exec(c.req.header('authorization') ?? '')?.[1]
  if (secret === '' || token === undefined) return false
  // Digests have equal lengths, so that the comparison does not reveal the secret's length.
  return isSameText(await hashOf(token), await hashOf(secret))
}

export const figureRoutes = new Hono<SiteEnv>()

figureRoutes.get('/queues/stats.json', mayReadFigures, async (c) => c.json(await readStats(c.env, Date.now())))

figureRoutes.get('/metrics', mayReadFigures, async (c) =>
  c.body(prometheusText(await readMetrics(c.env, Date.now())), 200, { 'content-type': prometheusType }),
)

/** The content of stats.json; `messages` and `month` are null if the database did not answer. */
async function readStats(env: Env, now: number) {
  const [answers, read] = await Promise.all([
    askLedgers(env, (ledger) => ledger.stats()),
    withTimeout(readSources(env.DB, now)).catch(() => null),
  ])
  const queues = answers.map(({ queue, answer }) => figuresOf(queue, answer))
  return { queues, messages: read?.sent_times ?? null, month: read?.month ?? null }
}

/** A queue's figures are null when its ledger did not answer: a monitor must not read that as zero. */
function figuresOf(name: string, stats: QueueStats | null) {
  const counts = stats && countsOf(stats)
  return {
    name,
    queued_jobs: counts?.queued ?? null,
    oldest_job_timestamp: isoOrNull(stats?.oldest_queued_at ?? null),
    /** Always null: there are no processes. */
    scheduler_pid: null,
    workers: stats?.workers ?? null,
    finished_jobs: counts?.finished ?? null,
    started_jobs: counts?.active ?? null,
    failed_jobs: counts?.failed ?? null,
    scheduled_jobs: counts?.scheduled ?? null,
    canceled_jobs: counts?.canceled ?? null,
    paused: stats?.paused ?? null,
    paused_timestamp: isoOrNull(stats?.paused_at ?? null),
    last_tick_timestamp: isoOrNull(stats?.last_tick_at ?? null),
    is_reachable: stats !== null,
  }
}
