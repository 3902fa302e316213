import type { QueueName } from '../../jobs/job.ts'
import { countText } from '../../../client/components/count-text.ts'
import { refuseSetting, settingNames } from '../../jobs/ledger/settings.ts'
import type { LedgerSettings } from '../../jobs/ledger/views.ts'
import { counted } from '../../lib/text.ts'
import { actorOf } from '../../web/audit.ts'
import { currentValue, keepYours } from '../../web/current-value.ts'
import type { SiteContext } from '../../web/site.ts'
import { noteAct } from '../answer-act.ts'
import { askLedger } from '../ask-ledgers.ts'
import type { SettingsProps } from '../contract.ts'

const entryOf = (queue: QueueName) => ({ table: 'queue', key: queue, title: queue })

/** Pauses or resumes a queue. An action that changes nothing is not audited. */
export async function setPaused(c: SiteContext, queue: QueueName, isPaused: boolean): Promise<string> {
  const by = actorOf(c).who
  const isChanged = await askLedger(c.env, queue, (ledger) => (isPaused ? ledger.pause(by) : ledger.resume(by)))
  if (isChanged) await noteAct(c, { ...entryOf(queue), act: isPaused ? 'paused' : 'resumed' })
  return isPaused ? `The queue ${queue} is paused: jobs are kept, but none start.` : `The queue ${queue} has resumed.`
}

/** A settings form as it was sent. */
interface SentSettings {
  typed: SettingsProps['settings']
  /** {@link shownSettings} of the form; '' if it has none: then it is neither out of date nor asked about. */
  was: string
  isConfirmed: boolean
}

/** `question`: what must be confirmed first. Otherwise nothing is saved if there are errors. */
interface SavedSettings extends Pick<SettingsProps, 'errors' | 'was'> {
  status: 200 | 409 | 422
  question: string
}

/** @param read the value for the setting of that name */
export const settingsOf = <Value>(
  read: (name: keyof LedgerSettings) => Value,
): Record<keyof LedgerSettings, Value> => ({
  ahead: read('ahead'),
  keep_days: read('keep_days'),
  keep_rows: read('keep_rows'),
})

/** For the form: the settings that it shows. */
export const shownSettings = (settings: LedgerSettings): string => settingNames.map((name) => settings[name]).join(' ')

/** Saves the settings that differ, as they were typed; none of them if any is invalid or was changed meanwhile. */
export async function changeSettings(
  c: SiteContext,
  queue: QueueName,
  { typed, was, isConfirmed }: SentSettings,
): Promise<SavedSettings> {
  const errors = settingNames
    .map((field) => ({ field, message: refuseSetting(field, numberOf(typed[field])) }))
    .filter(({ message }) => message !== '')
  if (errors.length > 0) return { status: 422, errors, was, question: '' }
  const settings = settingsOf((name) => numberOf(typed[name]))
  const stored = await askLedger(c.env, queue, (ledger) => ledger.settings())
  if (was !== '' && was !== shownSettings(stored)) return overtaken(settings, stored)
  const question = was === '' || isConfirmed ? '' : deletionAsked(settings, stored)
  if (question !== '') return { status: 200, errors: [], was, question }
  const shown = was === '' ? null : stored
  const before = await askLedger(c.env, queue, (ledger) => ledger.set(settings, shown, actorOf(c).who))
  if (shown !== null && shownSettings(before) !== was) return overtaken(settings, before)
  const after = Object.fromEntries(
    settingNames.filter((name) => settings[name] !== before[name]).map((name) => [name, settings[name]]),
  )
  if (Object.keys(after).length > 0)
    await noteAct(c, { ...entryOf(queue), act: 'changed', before: { ...before }, after })
  return { status: 200, errors: [], was: shownSettings(settings), question: '' }
}

/** For the second of two people who change the settings of one queue. A form that is sent twice changes nothing. */
function overtaken(typed: LedgerSettings, stored: LedgerSettings): SavedSettings {
  const differing = settingNames.filter((name) => typed[name] !== stored[name])
  if (differing.length === 0) return { status: 200, errors: [], was: shownSettings(stored), question: '' }
  const errors = [
    { message: `Someone else changed these settings after you opened them. ${keepYours}` },
    ...differing.map((field) => ({ field, message: currentValue(String(stored[field])) })),
  ]
  return { status: 409, errors, was: shownSettings(stored), question: '' }
}

/** What is asked before jobs are kept for a shorter time, or fewer of them. */
function deletionAsked(typed: LedgerSettings, stored: LedgerSettings): string {
  const shorter =
    typed.keep_days < stored.keep_days
      ? [`to keep ended jobs for ${counted(typed.keep_days, 'day')} instead of ${stored.keep_days}`]
      : []
  const fewer =
    typed.keep_rows < stored.keep_rows
      ? [`to keep at most ${counted(typed.keep_rows, 'job')} instead of ${countText(stored.keep_rows)}`]
      : []
  const changes = [...shorter, ...fewer]
  return changes.length === 0 ? '' : `Are you sure you want ${changes.join(' and ')}?`
}

/** Accepts only digits; the ledger refuses anything else. */
const numberOf = (text: string) => (/^\d{1,9}$/.test(text) ? Number(text) : Number.NaN)
