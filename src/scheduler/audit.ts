import { Hono } from 'hono'
import { queueNames } from '../jobs/job.ts'
import type { AuditRecord } from '../jobs/ledger/views.ts'
import { iso } from '../lib/time.ts'
import { askLedgers, unreachableAmong } from './ask-ledgers.ts'
import { showIsland } from '../web/page/island.tsx'
import type { SiteEnv } from '../web/site.ts'
import type { AuditProps, AuditRow } from './contract.ts'

export const auditRoutes = new Hono<SiteEnv>()

auditRoutes.get('/audit/', async (c) => {
  const props = await readAudit(c.env, placeOf(c.req.query('before')))
  return showIsland(c, 'scheduler/audit', { page: 'Audit', title: 'Audit log', props })
})

const PAGE_SIZE = 50

/**
 * A page of the audit log of all queues, newest first. Each ledger numbers its own entries, so a position in the merged
 * list is one number per queue, in their order: "120.4.0.17". Null starts with the newest.
 */
async function readAudit(env: Env, before: readonly number[] | null): Promise<AuditProps> {
  const from = new Map(queueNames.map((queue, index) => [queue, before?.[index] ?? null]))
  // Reads one more entry of each than can be shown, so that there is no empty page after the last one.
  const answers = await askLedgers(env, (ledger, queue) => ledger.audit(from.get(queue) ?? null, PAGE_SIZE + 1))
  const records = answers
    .flatMap(({ queue, answer }) => (answer ?? []).map((record) => ({ queue, record })))
    .toSorted((one, other) => other.record.at - one.record.at || other.record.number - one.record.number)
  const shown = records.slice(0, PAGE_SIZE)
  for (const { queue, record } of shown) from.set(queue, record.number)
  const next = queueNames.map((queue) => from.get(queue) ?? Number.MAX_SAFE_INTEGER).join('.')
  return {
    entries: shown.map(({ queue, record }) => auditRow(queue, record)),
    next_before: records.length > PAGE_SIZE ? next : null,
    unreachable: unreachableAmong(answers),
  }
}

/** The position in a URL; null if it is not one. */
function placeOf(text: string | undefined): number[] | null {
  if (text === undefined || !/^\d{1,16}(?:\.\d{1,16})*$/.test(text)) return null
  const numbers = text.split('.').map(Number)
  return numbers.length === queueNames.length && numbers.every(Number.isSafeInteger) ? numbers : null
}

function auditRow(queue: string, { at, who, act, job, jobs, detail }: AuditRecord): AuditRow {
  return { queue, at: iso(at), who: who ?? 'the system', act, job, jobs, detail }
}
