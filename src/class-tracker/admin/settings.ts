import { eq, sql } from 'drizzle-orm'
import { query } from '../../db/query.ts'
import { setting } from '../../db/schema/index.ts'
import { MAX_MAILS_PER_CLIENT_HOUR, MAX_MAILS_PER_SITE_HOUR } from '../../accounts/mail-limits.ts'
import { DEFAULT_TIMEOUT_MS } from '../../notify/channel.ts'
import { MAX_PACE, paces } from '../../notify/pacer/paces.ts'
import type { AdminChange, AdminPlan, AdminRemoval } from '../../web/admin-change.ts'
import { shownOnly } from '../../web/admin-fields.ts'
import type { AdminTable } from '../../web/admin-table.ts'
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
    meaning: 'How long to wait for a response from a school.',
    unit: 'milliseconds',
    default: 10_000,
    minimum: 100,
    maximum: 30_000,
  },
  {
    name: 'provider_timeout_ms',
    meaning: 'How long to wait for a response from the SMS, email or Discord provider.',
    unit: 'milliseconds',
    default: DEFAULT_TIMEOUT_MS,
    minimum: 100,
    maximum: DEFAULT_TIMEOUT_MS,
  },
  {
    name: 'database_limit_gb',
    meaning: 'Maximum database size; the scheduler warns above 70%.',
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
    meaning: 'How long seat history is kept; monthly totals stay.',
    unit: 'days',
    default: KEEP_SEAT_CHANGES_DAYS,
    minimum: MIN_KEEP_DAYS,
    maximum: 3650,
  },
  {
    name: 'account_mails_per_client_hour',
    meaning: 'Account emails (codes, links) one IP address may request per hour.',
    unit: 'emails',
    default: MAX_MAILS_PER_CLIENT_HOUR,
    minimum: 1,
    maximum: 100_000,
  },
  {
    name: 'account_mails_per_site_hour',
    meaning: 'Account emails (codes, links) all visitors combined may request per hour.',
    unit: 'emails',
    default: MAX_MAILS_PER_SITE_HOUR,
    minimum: 1,
    maximum: 100_000,
  },
  {
    name: alertLife.setting,
    meaning: 'How long to keep retrying a message that could not be sent.',
    unit: 'minutes',
    default: alertLife.initial,
    minimum: alertLife.minimum,
    maximum: alertLife.maximum,
  },
  {
    name: paces.sms.setting,
    meaning: 'SMS segments sent per second: 1 for a US long code, 3 toll-free, 100 for a short code. 0 means no limit.',
    unit: 'segments per second',
    default: paces.sms.initial,
    minimum: 0,
    maximum: MAX_PACE,
  },
  {
    name: paces.mail.setting,
    meaning: 'Requests to the email provider per second; Resend allows 2. 0 means no limit.',
    unit: 'requests per second',
    default: paces.mail.initial,
    minimum: 0,
    maximum: MAX_PACE,
  },
  {
    name: paces.webhook.setting,
    meaning: 'Messages to one Discord webhook per second. 0 means no limit.',
    unit: 'messages per second',
    default: paces.webhook.initial,
    minimum: 0,
    maximum: MAX_PACE,
  },
  {
    name: paces.push.setting,
    meaning: 'Notifications to one push service (Google, Mozilla, Apple, Microsoft) per second. 0 means no limit.',
    unit: 'notifications per second',
    default: paces.push.initial,
    minimum: 0,
    maximum: MAX_PACE,
  },
]

/** As JSON, because D1 joins at most five SELECTs. */
const list = settings.map(({ name, meaning, default: initial, minimum, maximum, unit }) => [
  name,
  meaning,
  initial,
  `${minimum} to ${maximum} ${unit}`,
])
const defaults = sql`SELECT value ->> 0 AS name, value ->> 1 AS meaning, value ->> 2 AS initial, value ->> 3 AS range
  FROM json_each(${JSON.stringify(list)})`

/** The operator's settings, those that stand at their default among them. */
export const settingsTable: AdminTable<typeof setting> = {
  name: 'settings',
  label: 'Setting',
  labels: 'Settings',
  area: 'Class tracker',
  about: 'Changes apply from the next message, poll or cleanup; sending rates apply within seconds.',
  table: setting,
  rows: sql`SELECT k.name, k.meaning, k.initial, k.range, coalesce(${setting.value}, k.initial) AS value,
      ${setting.value} IS NOT NULL AS is_set, ${setting.changedAt} AS changed_at
    FROM (${defaults}) k LEFT JOIN ${setting} ON ${setting.name} = k.name`.inlineParams(),
  title: setting.name,
  order: 'oldest_first',
  columns: [
    { column: setting.name, label: 'Name' },
    { name: 'meaning', label: 'Meaning' },
    { column: setting.value, label: 'Value', kind: 'number' },
    { name: 'initial', label: 'Default', kind: 'number' },
    { name: 'range', label: 'Range' },
    { column: setting.changedAt, label: 'Changed' },
  ],
  search: { label: 'Name or meaning', contains: [setting.name, sql`meaning`] },
  filters: [{ name: 'is_set', label: 'Changed from the default', kind: 'boolean' }],
  fields: [
    ...shownOnly([
      { column: setting.name, label: 'Name' },
      { name: 'meaning', label: 'Meaning' },
    ]),
    { column: setting.value, label: 'Value', kind: 'integer', sql: sql`CAST(${setting.value} AS INTEGER)` },
    ...shownOnly([
      { name: 'initial', label: 'Default', kind: 'integer' },
      { name: 'range', label: 'Range' },
      { column: setting.changedAt, label: 'Changed' },
    ]),
  ],
  mayAdd: false,
  deleteLabel: 'Reset to default',
  // A shorter retention deletes as many rows as any bulk deletion, and other settings lift limits: both need a recent login.
  guard: { isWhole: true, fields: ['value'] },
  save: saveSetting,
  remove: resetSetting,
}

async function saveSetting(_env: Env, { key, before, values, now }: AdminChange): Promise<AdminPlan> {
  const known = settings.find(({ name }) => name === key)
  const value = Number(values['value'])
  if (!known) return { faults: [{ message: 'There is no such setting.' }] }
  const { name, minimum, maximum, unit } = known
  if (value < minimum || value > maximum) {
    return { faults: [{ field: 'value', message: `Choose a value from ${minimum} to ${maximum} ${unit}.` }] }
  }
  return {
    statements: [
      query
        .insert(setting)
        .values({ name, value: String(value), changedAt: now })
        .onConflictDoUpdate({ target: setting.name, set: { value: String(value), changedAt: now } }),
    ],
    audit: { before: { value: before?.['value'] ?? null }, after: { value } },
  }
}

async function resetSetting(_env: Env, { key, before }: AdminRemoval): Promise<AdminPlan> {
  return {
    statements: [query.delete(setting).where(eq(setting.name, String(key)))],
    audit: { before: { value: before['value'] ?? null }, after: { value: before['initial'] ?? null } },
    said: `${key} was reset to its default.`,
  }
}
