import { mailsPerClient, mailsPerSite } from '../../accounts/mail-limits.ts'
import type { KnownSetting } from '../../db/read-setting.ts'
import { counted } from '../../lib/text.ts'
import { MAX_PACE, paces } from '../../notify/addresses.ts'
import { isWrittenInGsm } from '../../notify/sms/segments.ts'
import { fairTurns, waveSeconds } from '../alerts/fair-turns.ts'
import { reminderGrace } from '../alerts/release-alerts.ts'
import { productName, providerTimeout } from '../deliveries/claim-delivery.ts'
import { alertLife, maxSmsAfter, smsAfter } from '../recipients/held-until.ts'
import { schoolTimeout } from '../courses/host-share.ts'
import { keepAlerts, keepSeatChanges } from '../retention/deletable.ts'

/** The longest product name, in SMS septets. */
const MAX_PRODUCT_NAME = 25

interface NumberSetting {
  name: string
  meaning: string
  unit: string
  default: number
  minimum: number
  maximum: number
}

/** `range` describes its values; `error` returns a sentence about what is wrong with one, or null. */
interface TextSetting {
  name: string
  meaning: string
  default: string
  range: string
  error: (value: string) => string | null
}

const numberSetting = (
  { setting: name, initial, minimum, maximum }: KnownSetting,
  unit: string,
  meaning: string,
): NumberSetting => ({ name, meaning, unit, default: initial, minimum, maximum })

/** Every setting an operator can change. */
export const settings: readonly (NumberSetting | TextSetting)[] = [
  {
    name: productName.setting,
    meaning: 'The sender’s name; every SMS begins with it.',
    default: productName.initial,
    range: `1 to ${MAX_PRODUCT_NAME} characters that an SMS can hold`,
    error: (value) =>
      value.length <= MAX_PRODUCT_NAME && isWrittenInGsm(value)
        ? null
        : `Use at most ${MAX_PRODUCT_NAME} letters, digits and basic punctuation. Emoji and some accented letters would make every text message longer.`,
  },
  numberSetting(
    smsAfter,
    'seconds',
    'How long a text waits for a notification to be seen before it is sent. 0 means immediately.',
  ),
  {
    name: fairTurns.setting,
    meaning: 'Whether people who wait take turns when there are fewer seats than people, longest wait first.',
    default: fairTurns.initial,
    range: 'on or off',
    error: (value) => (value === 'on' || value === 'off' ? null : 'Choose on or off.'),
  },
  numberSetting(
    waveSeconds,
    'seconds',
    'With fair turns: how long the people who were notified have before the next people in line are notified.',
  ),
  numberSetting(reminderGrace, 'seconds', 'How long a section may stay open before its watchers are reminded.'),
  numberSetting(schoolTimeout, 'milliseconds', 'How long to wait for a response from a school.'),
  numberSetting(
    providerTimeout,
    'milliseconds',
    'How long to wait for a response from the SMS, email or Discord provider.',
  ),
  numberSetting(
    { setting: 'database_limit_gb', initial: 10, minimum: 1, maximum: 1000 },
    'GB',
    'Maximum database size; the scheduler warns above 70%.',
  ),
  numberSetting(keepAlerts, 'days', 'How long openings, alerts and messages are kept; monthly totals stay.'),
  numberSetting(keepSeatChanges, 'days', 'How long seat history is kept; monthly totals stay.'),
  numberSetting(mailsPerClient, 'emails', 'Account emails (codes, links) one IP address may request per hour.'),
  numberSetting(mailsPerSite, 'emails', 'Account emails (codes, links) all visitors combined may request per hour.'),
  numberSetting(alertLife, 'minutes', 'How long to keep retrying a message that could not be sent.'),
  ...paces.map(({ meaning, unit, ...pace }) =>
    numberSetting({ ...pace, minimum: 0, maximum: MAX_PACE }, unit, meaning),
  ),
]

/** Which values a setting may have, in words. */
export const rangeOf = (known: NumberSetting | TextSetting): string =>
  'range' in known ? known.range : `${known.minimum} to ${known.maximum} ${known.unit}`

/** What is wrong with a value, in a sentence; null when it may be stored. */
export function errorOf(known: NumberSetting | TextSetting, value: string): string | null {
  if ('range' in known) return known.error(value)
  const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN
  return number >= known.minimum && number <= known.maximum ? null : `Choose a value from ${rangeOf(known)}.`
}

/** The setting that a number setting must suit; null for most. */
export function partnerOf({ name }: NumberSetting | TextSetting) {
  if (name === smsAfter.setting) return alertLife
  return name === alertLife.setting ? smsAfter : null
}

/** What is wrong with a setting's valid value beside the value of its partner, in a sentence; null if nothing is. */
export function errorBeside({ name }: NumberSetting | TextSetting, value: number, partner: number): string | null {
  const [seconds, minutes] = name === smsAfter.setting ? [value, partner] : [partner, value]
  const most = maxSmsAfter(minutes)
  if (seconds <= most) return null
  return name === smsAfter.setting
    ? `Messages expire after ${counted(minutes, 'minute')} (${alertLife.setting}), and a text may wait at most half of that: choose ${most} seconds or less.`
    : `Texts wait ${counted(seconds, 'second')} for a notification to be seen (${smsAfter.setting}), and may wait at most half of this time: choose ${counted(Math.ceil(seconds / maxSmsAfter(1)), 'minute')} or more.`
}
