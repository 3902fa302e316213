import { eq, sql } from 'drizzle-orm'
import { query } from '../../db/query.ts'
import { readSetting } from '../../db/read-setting.ts'
import { setting } from '../../db/schema/index.ts'
import type { AdminChange, AdminPlan, AdminRemoval, AdminValue } from '../../web/admin-change.ts'
import { shownOnly } from '../../web/admin-fields.ts'
import type { AdminTable } from '../../web/admin-table.ts'
import { addressWarning } from '../alerts/read-overview.ts'
import { productName } from '../deliveries/claim-delivery.ts'
import { errorBeside, errorOf, partnerOf, rangeOf, settings } from './known-settings.ts'

/** Passed as JSON, because D1 allows at most five terms in a compound SELECT. */
const list = settings.map((known) => [known.name, known.meaning, String(known.default), rangeOf(known)])
const defaults = sql`SELECT value ->> 0 AS name, value ->> 1 AS meaning, value ->> 2 AS initial, value ->> 3 AS range
  FROM json_each(${JSON.stringify(list)})`

/** The operator's settings, including those at their default. */
export const settingsTable: AdminTable<typeof setting> = {
  name: 'settings',
  label: 'Setting',
  about: 'Changes apply from the next message, poll or cleanup; sending rates apply within seconds.',
  table: setting,
  rows: sql`SELECT k.name, k.meaning, k.initial, k.range, coalesce(${setting.value}, k.initial) AS value,
      ${setting.value} IS NOT NULL AS is_set, ${setting.changedAt} AS changed_at
    FROM (${defaults}) k LEFT JOIN ${setting} ON ${setting.name} = k.name`.inlineParams(),
  title: setting.name,
  order: 'oldest_first',
  columns: [
    { column: setting.name, isSortable: true },
    { name: 'meaning' },
    setting.value,
    { name: 'initial' },
    { name: 'range' },
    setting.changedAt,
  ],
  search: { label: 'Name or meaning', contains: [setting.name, sql`meaning`] },
  filters: [{ name: 'is_set', label: 'Changed from the default', kind: 'boolean' }],
  fields: [
    ...shownOnly([setting.name, { name: 'meaning' }]),
    setting.value,
    ...shownOnly([{ name: 'initial', label: 'Default' }, { name: 'range' }, setting.changedAt]),
  ],
  mayAdd: false,
  deleteLabel: 'Reset to default',
  // A recent login is needed because a shorter retention deletes many rows and other settings lift limits.
  guard: { isWhole: true, fields: ['value'] },
  save: saveSetting,
  remove: resetSetting,
}

async function saveSetting(env: Env, { key, before, values, now }: AdminChange): Promise<AdminPlan> {
  const known = settings.find(({ name }) => name === key)
  if (!known) return { errors: [{ message: 'There is no such setting.' }] }
  const value = String(values['value'] ?? '').trim()
  const error = errorOf(known, value) ?? (await errorBesidePartner(env, known, value))
  if (error !== null) return { errors: [{ field: 'value', message: error }] }
  const { name } = known
  const written = (text: AdminValue) => (typeof known.default === 'number' ? Number(text) : text)
  const warning = name === productName.setting ? addressWarning(env.APP_URL) : null
  return {
    statements: [
      query
        .insert(setting)
        .values({ name, value, changedAt: now })
        .onConflictDoUpdate({ target: setting.name, set: { value, changedAt: now } }),
    ],
    audit: { before: { value: written(before?.['value'] ?? null) }, after: { value: written(value) } },
    ...(warning !== null && { message: `Saved. ${warning}` }),
  }
}

/** What is wrong with a valid value because of another setting. A reset needs no check: the defaults suit any value. */
async function errorBesidePartner(env: Env, known: (typeof settings)[number], value: string): Promise<string | null> {
  const partner = partnerOf(known)
  if (partner === null) return null
  const stored = Number((await readSetting(env.DB, partner.setting)) ?? partner.initial)
  const isValid = stored >= partner.minimum && stored <= partner.maximum
  return errorBeside(known, Number(value), isValid ? stored : partner.initial)
}

async function resetSetting(_env: Env, { key, before }: AdminRemoval): Promise<AdminPlan> {
  return {
    statements: [query.delete(setting).where(eq(setting.name, String(key)))],
    audit: { before: { value: before['value'] ?? null }, after: { value: before['initial'] ?? null } },
    message: `${key} was reset to its default.`,
  }
}
