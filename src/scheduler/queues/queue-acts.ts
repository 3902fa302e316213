import type { QueueName } from '../../jobs/job.ts'
import { refuseSetting } from '../../jobs/ledger/settings.ts'
import type { LedgerSettings } from '../../jobs/ledger/views.ts'
import { actorOf } from '../../web/audit.ts'
import type { SiteContext } from '../../web/site.ts'
import { noteAct } from '../answer-act.ts'
import { askLedger } from '../ask-ledgers.ts'
import type { SettingsProps } from '../contract.ts'

export const settingNames = ['ahead', 'keep_days', 'keep_rows'] as const satisfies readonly (keyof LedgerSettings)[]

const entryOf = (queue: QueueName) => ({ table: 'queue', key: queue, title: queue })

/** Pauses or resumes a queue. An action that changes nothing is not audited. */
export async function setPaused(c: SiteContext, queue: QueueName, isPaused: boolean): Promise<string> {
  const by = actorOf(c).who
  const isChanged = await askLedger(c.env, queue, (ledger) => (isPaused ? ledger.pause(by) : ledger.resume(by)))
  if (isChanged) await noteAct(c, { ...entryOf(queue), act: isPaused ? 'paused' : 'resumed' })
  return isPaused ? `The queue ${queue} is paused: jobs are kept, but none start.` : `The queue ${queue} has resumed.`
}

/** Saves the settings that differ, as they were typed; none of them if any is invalid. @returns what is wrong with them */
export async function changeSettings(
  c: SiteContext,
  queue: QueueName,
  typed: SettingsProps['settings'],
): Promise<SettingsProps['errors']> {
  const errors = settingNames
    .map((field) => ({ field, message: refuseSetting(field, numberOf(typed[field])) }))
    .filter(({ message }) => message !== '')
  if (errors.length > 0) return errors
  const by = actorOf(c).who
  const before = await askLedger(c.env, queue, (ledger) => ledger.settings())
  const after: Partial<LedgerSettings> = {}
  for (const name of settingNames) {
    const value = numberOf(typed[name])
    if (value === before[name]) continue
    await askLedger(c.env, queue, (ledger) => ledger.set(name, value, by))
    after[name] = value
  }
  if (Object.keys(after).length > 0)
    await noteAct(c, { ...entryOf(queue), act: 'changed', before: { ...before }, after })
  return []
}

/** Accepts only digits; the ledger refuses anything else. */
const numberOf = (text: string) => (/^\d{1,9}$/.test(text) ? Number(text) : Number.NaN)
