import { refuseLoopback } from '../../sources/address.ts'
import { sources } from '../../sources/sources.ts'
import type { AdminChange, AdminFault, AdminPlan } from '../../web/admin-change.ts'
import { isTimeZone } from '../../web/time-zone.ts'
import { insertRow, updateRow } from './statements.ts'

export function refuseTimeZone(value: string | number): string | null {
  return isTimeZone(String(value)) ? null : 'There is no such time zone. Enter one as America/New_York.'
}

/** What every system lets an operator say beyond its address. */
export function settingsHelp(): string {
  const known = [...sources.values()].flatMap(({ label, settings }) =>
    settings.map(({ name, meaning }) => `${name} (${label}): ${meaning}`),
  )
  return [`A JSON object of texts, {} for none.`, ...known].join(' ')
}

/** Only with an address and settings that its system can be asked with. */
export async function saveSource(
  { DB, APP_URL }: Pick<Env, 'DB' | 'APP_URL'>,
  { key, values, now }: AdminChange,
): Promise<AdminPlan> {
  const url = String(values['url']).replace(/\/+$/, '')
  const settings = String(values['settings'])
  const kind = String(values['kind'])
  const refusal = sources.get(kind)?.checkAddress(url) ?? refuseLoopback(url, APP_URL)
  const faults = [...faultsAt('url', refusal), ...faultsAt('settings', refuseSettings(kind, settings))]
  if (faults.length > 0) return { faults }
  const { name, time_zone, poll_seconds, requests_per_minute, is_enabled, is_second_look_on } = values
  const columns = {
    name: name ?? '',
    url,
    time_zone: time_zone ?? '',
    poll_seconds: poll_seconds ?? 60,
    requests_per_minute: requests_per_minute ?? 60,
    settings,
    is_enabled: is_enabled ?? 0,
    is_second_look_on: is_second_look_on ?? 0,
    // Turned on again, it gets its chances anew.
    overruled_look_count: 0,
  }
  return {
    statements: [
      key === null
        ? insertRow(DB, 'source', { ...columns, kind, created_at: now })
        : updateRow(DB, 'source', key, columns),
    ],
  }
}

const faultsAt = (field: string, message: string | null): AdminFault[] => (message === null ? [] : [{ field, message }])

function refuseSettings(kind: string, json: string): string | null {
  const parsed: unknown = JSON.parse(json)
  if (parsed === null || typeof parsed !== 'object' || Array.isArray(parsed)) return 'Enter a JSON object, {} for none.'
  const known = sources.get(kind)?.settings ?? []
  for (const [name, value] of Object.entries(parsed)) {
    if (!known.some((setting) => setting.name === name)) {
      const names = known.map((setting) => setting.name).join(', ')
      return `${name} is no setting of this system. ${names === '' ? 'It has none.' : `It knows ${names}.`}`
    }
    if (typeof value !== 'string' || value === '') return `${name} must be a text.`
  }
  return null
}
