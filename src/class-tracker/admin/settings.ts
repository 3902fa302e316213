import { MAX_MAILS_PER_CLIENT_HOUR, MAX_MAILS_PER_SITE_HOUR } from '../../accounts/mail-limits.ts'
import { DEFAULT_TIMEOUT_MS } from '../../notify/channel.ts'
import { MAX_PACE, paces } from '../../notify/pacer/paces.ts'
import { shownOnly } from '../../web/admin-text-fields.ts'
import type { AdminChange, AdminPlan, AdminRemoval } from '../../web/admin-change.ts'
import type { TextTable } from '../../web/admin-text-table.ts'
import { KEEP_ALERTS_DAYS, KEEP_SEAT_CHANGES_DAYS, MIN_KEEP_DAYS } from '../retention/keep-days.ts'
import { alertLife } from '../deliveries/claim-delivery.ts'
import { reminderGraceSeconds } from '../alerts/release-alerts.ts'

interface Setting {
  name: string
  meaning: string
  unit: string
  default: number
  minimum: number
  maximum: number
}

/** What an operator can set, as it is read where it is used. */
const settings: readonly Setting[] = [
  {
    name: 'reminder_grace_seconds',
    meaning: 'How long a section may stay open before its watchers are reminded.',
    unit: 'seconds',
    default: reminderGraceSeconds,
    minimum: 60,
    maximum: 30 * 24 * 3600,
  },
  {
    name: 'school_timeout_ms',
    meaning: 'Longest wait for one answer of a school.',
    unit: 'milliseconds',
    default: 10_000,
    minimum: 100,
    maximum: 30_000,
  },
  {
    name: 'provider_timeout_ms',
    meaning: 'Longest wait for an answer of whoever sends SMS, email or Discord messages.',
    unit: 'milliseconds',
    default: DEFAULT_TIMEOUT_MS,
    minimum: 100,
    maximum: DEFAULT_TIMEOUT_MS,
  },
  {
    name: 'database_limit_gb',
    meaning: 'How large the database may become; the dashboard of jobs warns from 70 % on.',
    unit: 'GB',
    default: 10,
    minimum: 1,
    maximum: 1000,
  },
  {
    name: 'keep_alerts_days',
    meaning: 'How long openings, alerts and messages are kept; monthly totals stay.',
    unit: 'days',
    default: KEEP_ALERTS_DAYS,
    minimum: MIN_KEEP_DAYS,
    maximum: 3650,
  },
  {
    name: 'keep_seat_changes_days',
    meaning: 'How long changes of seats are kept; monthly totals stay.',
    unit: 'days',
    default: KEEP_SEAT_CHANGES_DAYS,
    minimum: MIN_KEEP_DAYS,
    maximum: 3650,
  },
  {
    name: 'account_mails_per_client_hour',
    meaning: 'How many account emails (codes, links) one client address may ask for in an hour.',
    unit: 'emails',
    default: MAX_MAILS_PER_CLIENT_HOUR,
    minimum: 1,
    maximum: 100_000,
  },
  {
    name: 'account_mails_per_site_hour',
    meaning: 'How many account emails (codes, links) all visitors together may ask for in an hour.',
    unit: 'emails',
    default: MAX_MAILS_PER_SITE_HOUR,
    minimum: 1,
    maximum: 100_000,
  },
  {
    name: alertLife.setting,
    meaning: 'How long a message that could not be sent is tried again.',
    unit: 'minutes',
    default: alertLife.initial,
    minimum: alertLife.minimum,
    maximum: alertLife.maximum,
  },
  {
    name: paces.sms.setting,
    meaning: 'Segments of SMS sent a second: 1 for a US long code, 3 toll-free, 100 for a short code. 0 sets no pace.',
    unit: 'segments a second',
    default: paces.sms.initial,
    minimum: 0,
    maximum: MAX_PACE,
  },
  {
    name: paces.mail.setting,
    meaning: 'Requests to the mail provider a second; Resend allows 2. 0 sets no pace.',
    unit: 'requests a second',
    default: paces.mail.initial,
    minimum: 0,
    maximum: MAX_PACE,
  },
  {
    name: paces.webhook.setting,
    meaning: 'Messages to one Discord webhook a second. 0 sets no pace.',
    unit: 'messages a second',
    default: paces.webhook.initial,
    minimum: 0,
    maximum: MAX_PACE,
  },
]

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** As JSON, because D1 joins at most five SELECTs. */
const list = settings.map(({ name, meaning, default: initial, minimum, maximum, unit }) => [
  name,
  meaning,
  initial,
  `${minimum} to ${maximum} ${unit}`,
])
const known = `SELECT value ->> 0 AS name, value ->> 1 AS meaning, value ->> 2 AS initial, value ->> 3 AS range
  FROM json_each(${quoted(JSON.stringify(list))})`

/** The operator's settings, those that stand at their default among them. */
export const settingsTable: TextTable = {
  name: 'settings',
  label: 'Setting',
  labels: 'Settings',
  area: 'Class tracker',
  about: 'A change counts from the next message, poll or sweep on; a pace within seconds.',
  table: 'setting',
  rows: `SELECT k.name, k.meaning, k.initial, k.range, s.value AS own_value, coalesce(s.value, k.initial) AS value,
           s.value IS NOT NULL AS is_set, s.changed_at
         FROM (${known}) k LEFT JOIN setting s ON s.name = k.name`,
  key: { column: 'name', kind: 'text' },
  title: 't.name',
  order: 'oldest_first',
  columns: [
    { name: 'name', label: 'Name' },
    { name: 'meaning', label: 'Meaning' },
    { name: 'value', label: 'Value', kind: 'number' },
    { name: 'initial', label: 'Default', kind: 'number' },
    { name: 'range', label: 'Range' },
    { name: 'changed_at', label: 'Changed', kind: 'moment' },
  ],
  search: { label: 'Name or meaning', contains: ['t.name', 't.meaning'] },
  filters: [{ name: 'is_set', label: 'Changed from the default', kind: 'boolean' }],
  fields: [
    ...shownOnly([
      { name: 'name', label: 'Name', kind: 'text' },
      { name: 'meaning', label: 'Meaning', kind: 'text' },
    ]),
    { name: 'value', label: 'Value', kind: 'integer', isRequired: true, sql: 'CAST(t.value AS INTEGER)' },
    ...shownOnly([
      { name: 'initial', label: 'Default', kind: 'integer' },
      { name: 'range', label: 'Range', kind: 'text' },
      { name: 'changed_at', label: 'Changed', kind: 'moment' },
    ]),
  ],
  mayAdd: false,
  deleteLabel: 'Back to the default',
  // A shorter retention deletes as many rows as any bulk deletion, and other settings lift limits: both need a recent login.
  guard: { isWhole: true, fields: ['value'] },
  save: saveSetting,
  remove: resetSetting,
}

async function saveSetting(env: Env, { key, before, values, now }: AdminChange): Promise<AdminPlan> {
  const setting = settings.find(({ name }) => name === key)
  const value = Number(values['value'])
  if (!setting) return { faults: [{ message: 'There is no such setting.' }] }
  if (value < setting.minimum || value > setting.maximum) {
    const { minimum, maximum, unit } = setting
    return { faults: [{ field: 'value', message: `Choose a value from ${minimum} to ${maximum} ${unit}.` }] }
  }
  return {
    statements: [
      env.DB.prepare(
        `INSERT INTO setting (name, value, changed_at) VALUES (?, ?, ?)
         ON CONFLICT (name) DO UPDATE SET value = excluded.value, changed_at = excluded.changed_at`,
      ).bind(setting.name, String(value), now),
    ],
    audit: { before: { value: before?.['value'] ?? null }, after: { value } },
  }
}

async function resetSetting(env: Env, { key, before }: AdminRemoval): Promise<AdminPlan> {
  return {
    statements: [env.DB.prepare('DELETE FROM setting WHERE name = ?').bind(key)],
    audit: { before: { value: before['value'] ?? null }, after: { value: before['initial'] ?? null } },
    said: `${key} is at its default again.`,
  }
}
