import { write } from '../../db/query.ts'
import type { QueueName } from '../../jobs/job.ts'
import type { LedgerSettings } from '../../jobs/ledger/views.ts'
import { actorOf, auditEntry } from '../../web/audit.ts'
import type { SiteContext } from '../../web/site.ts'
import { askLedger } from '../ask-ledgers.ts'
import type { SettingsProps } from '../contract.ts'

const settingNames = ['ahead', 'keep_days', 'keep_rows'] as const satisfies readonly (keyof LedgerSettings)[]

/** Pauses or resumes a queue. An action that changes nothing is not audited. */
export async function setPaused(c: SiteContext, queue: QueueName, isPaused: boolean): Promise<string> {
  const actor = actorOf(c)
  const isChanged = await askLedger(c.env, queue, (ledger) =>
    isPaused ? ledger.pause(actor.who) : ledger.resume(actor.who),
  )
  if (isChanged) await note(c, queue, isPaused ? 'paused' : 'resumed')
  return isPaused ? `The queue ${queue} is paused: jobs are kept, but none start.` : `The queue ${queue} has resumed.`
}

/** Saves the settings that differ, one by one, as they were typed. @returns why any were refused */
export async function changeSettings(
  c: SiteContext,
  queue: QueueName,
  typed: SettingsProps['settings'],
): Promise<string[]> {
  const actor = actorOf(c)
  const before = await askLedger(c.env, queue, (ledger) => ledger.settings())
  const refusals: string[] = []
  const after: Partial<LedgerSettings> = {}
  for (const name of settingNames) {
    const value = numberOf(typed[name])
    if (value === before[name]) continue
    const act = await askLedger(c.env, queue, (ledger) => ledger.set(name, value, actor.who))
    if (act.done) after[name] = value
    else refusals.push(act.why)
  }
  if (Object.keys(after).length > 0) await note(c, queue, 'changed', { before: { ...before }, after })
  return refusals
}

/** Accepts only digits; the ledger refuses anything else. */
const numberOf = (text: string) => (/^\d{1,9}$/.test(text) ? Number(text) : Number.NaN)

async function note(
  c: SiteContext,
  queue: QueueName,
  act: string,
  states: { before?: Record<string, unknown>; after?: Record<string, unknown> } = {},
): Promise<void> {
  const entry = { act, area: 'scheduler', table: 'queue', key: queue, title: queue, ...states }
  await write(c.env.DB, auditEntry(actorOf(c), entry, Date.now()))
}
