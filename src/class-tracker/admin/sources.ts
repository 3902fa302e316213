import { eq, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { query } from '../../db/query.ts'
import { school, schoolTerm, section, sectionGroup, source, subject, term } from '../../db/schema/index.ts'
import { refuseLoopback } from '../../sources/address.ts'
import { sources } from '../../sources/sources.ts'
import type { AdminChange, AdminPlan } from '../../web/admin-change.ts'
import { columnsOf } from '../../web/admin-fields.ts'
import type { AdminChoice, AdminTable } from '../../web/admin-table.ts'
import { isTimeZone } from '../../lib/time.ts'
import { healthNow, isPausedNow, unreadNow } from '../courses/health-of-source.ts'
import { effectiveInterval } from '../courses/host-share.ts'
import { hostLimitedUntil, limitedUntil, limitsOfHost, resetGroupFailures } from '../polling/source-health.ts'
import { checkNow } from './check-now.ts'
import { alertsAbout, refuseLarge, sectionsOf, watchers } from './parts.ts'
import type { FormError } from '../../web/refusal.ts'

const kinds = [...sources.values()].map(({ kind, label }) => ({ value: kind, label }))

const healths: readonly AdminChoice[] = [
  { value: 'healthy', label: 'Healthy', tone: 'done' },
  { value: 'partial', label: 'Partly checked', tone: 'waitlisted' },
  { value: 'failing', label: 'Failing', tone: 'danger' },
  { value: 'paused', label: 'Paused', tone: 'waitlisted' },
  { value: 'disabled', label: 'Disabled', tone: 'neutral' },
  { value: 'never', label: 'Never read', tone: 'info' },
]

/** The school systems: their addresses, how often they may be asked, and their health. */
export const sourcesTable: AdminTable<typeof source> = {
  name: 'sources',
  label: 'Source',
  about: 'School systems we read; one may serve one school or many. A new source is read within a minute.',
  addsElsewhere: { href: '/class_tracker/schools/', text: 'Add a school by name' },
  table: source,
  title: source.name,
  order: 'oldest_first',
  columns: [
    { column: source.name, isSortable: true },
    source.kind,
    { name: 'health', choices: healths, sql: healthNow },
    source.failures,
    { column: source.lastGoodAt, label: 'Last success' },
    { name: 'interval', label: 'Seconds between checks', kind: 'number', sql: effectiveInterval },
    source.lastError,
    { column: source.url, isHidden: true },
  ],
  search: { label: 'Name, address or error', contains: [source.name, source.url, source.lastError] },
  filters: [{ name: 'health', choices: healths, sql: sql`(${healthNow})` }, source.kind],
  fields: [
    { column: source.name, maximum: 200 },
    { column: source.kind, label: 'System', choices: kinds, readOnly: 'after_adding' },
    {
      column: source.url,
      label: 'Address',
      maximum: 500,
      help: addressHelp(),
    },
    {
      column: source.timeZone,
      initial: 'America/New_York',
      check: refuseTimeZone,
      help: 'Nightly refresh runs in this time zone, and terms end by it.',
    },
    {
      column: source.pollSeconds,
      label: 'Seconds between checks',
      minimum: 15,
      maximum: 3600,
      help: 'How often watched sections are checked, if the request limit allows.',
    },
    {
      column: source.requestsPerMinute,
      minimum: 2,
      maximum: 6000,
      help: 'Hard limit for all requests. Sources on one host share the highest of their limits.',
    },
    { column: source.settings, kind: 'json', maximum: 2000, help: settingsHelp() },
    { column: source.isEnabled, help: 'Off: this source is not checked at all.' },
    {
      column: source.isSecondLookOn,
      label: 'Double-check openings',
      help: 'On: a section is checked again before its first alert. Turns off automatically after the second check disagrees with the list five times in a row.',
    },
    { column: source.createdAt, label: 'Added', readOnly: 'always' },
  ],
  panels: [
    {
      heading: 'Health',
      columns: [
        { name: 'health', choices: healths, sql: healthNow },
        { column: source.failures, label: 'Consecutive failures' },
        source.pausedUntil,
        { column: source.lastGoodAt, label: 'Last success' },
        { column: source.lastFailedAt, label: 'Last failure' },
        source.lastError,
        { name: 'interval', label: 'Seconds between checks', kind: 'number', sql: effectiveInterval },
        { column: source.requestsARound, label: 'Requests per poll' },
      ],
      rows: (columns, id) => sql`SELECT ${columns} FROM ${source} WHERE ${source.id} = ${id} LIMIT 1`,
      empty: 'No data yet.',
    },
    {
      heading: 'Watched sections',
      columns: [
        { name: 'unread_sections', label: 'Not checked', kind: 'number', sql: sql`${unreadNow} ->> 'sections'` },
        { name: 'unread_since', label: 'Not checked since', kind: 'moment', sql: sql`${unreadNow} ->> 'since'` },
        { column: source.flickerCount, label: 'Openings not confirmed' },
        { column: source.overruledLookCount, label: 'Consecutive double-checks overruled' },
      ],
      rows: (columns, id) => sql`SELECT ${columns} FROM ${source} WHERE ${source.id} = ${id} LIMIT 1`,
      empty: 'No data yet.',
    },
    {
      heading: 'Course catalog',
      columns: [{ name: 'what' }, { name: 'at', label: 'Last read', kind: 'moment' }, { name: 'by' }],
      rows: (columns, id) => sql`SELECT ${columns} FROM (
        SELECT 'Terms and schools' AS what, ${source.termsRefreshedAt} AS at, ${source.termsRefreshedBy} AS "by"
          FROM ${source} WHERE ${source.id} = ${id}
        UNION ALL SELECT 'Sections', ${source.sectionsRefreshedAt}, ${source.sectionsRefreshedBy}
          FROM ${source} WHERE ${source.id} = ${id} LIMIT 2)`,
      empty: 'Not read yet.',
    },
    {
      heading: 'Unresponsive subjects',
      columns: [
        { name: 'school', column: school.name },
        { name: 'subject', column: subject.name },
        { name: 'term', column: term.fullTermName },
        { column: sectionGroup.failures, label: 'Consecutive failures' },
        { column: sectionGroup.askedAt, label: 'Last asked' },
        { column: sectionGroup.readAt, label: 'Last read' },
        sectionGroup.lastError,
      ],
      rows: (columns, id) => sql`SELECT ${columns} FROM ${sectionGroup}
        JOIN ${subject} ON ${subject.id} = ${sectionGroup.subjectId} JOIN ${school} ON ${school.id} = ${subject.schoolId}
        JOIN ${schoolTerm} ON ${schoolTerm.id} = ${sectionGroup.schoolTermId} JOIN ${term} ON ${term.id} = ${schoolTerm.termId}
        WHERE ${sectionGroup.sourceId} = ${id} AND ${sectionGroup.watchCount} > 0 AND ${sectionGroup.failures} > 0
        ORDER BY ${sectionGroup.failures} DESC LIMIT 20`,
    },
  ],
  related: [school.sourceId],
  cascades: [
    { through: [school.sourceId], title: school.name },
    sectionsOf(sectionGroup.sourceId, section.groupId),
    watchers(sectionGroup.sourceId),
    alertsAbout(sectionGroup.sourceId, section.groupId),
  ],
  actions: [
    { name: 'check', label: 'Check now', on: 'row', run: checkNow },
    // The failure count stays until the source answers; until then all its subjects are read, regardless of their own
    // failures.
    { name: 'resume', label: 'Resume now', set: { pausedUntil: null }, only: isPausedNow },
    { name: 'enable', set: { isEnabled: true } },
    {
      name: 'disable',
      set: { isEnabled: false },
      isDangerous: true,
      confirm: 'No one watching its sections is notified until it is enabled again.',
    },
  ],
  refuse: refuseLarge(
    (key) => sql`${sectionGroup} JOIN ${section} ON ${section.groupId} = ${sectionGroup.id}
      WHERE ${sectionGroup.sourceId} = ${key}`,
    'delete it one term at a time.',
  ),
  save: saveSource,
}

function refuseTimeZone(value: string | number): string | null {
  return isTimeZone(String(value)) ? null : 'Unknown time zone. Enter one like America/New_York.'
}

/** Which part of the address to enter, one line per system. */
function addressHelp(): string {
  const ends = [...sources.values()].map(({ label, address }) => `${label}: ${address.help}`)
  return ['The address of the class search that students use.', ...ends].join('\n')
}

/** The settings of each system besides its address, one line per system. */
function settingsHelp(): string {
  const known = [...sources.values()].flatMap(({ label, settings }) =>
    settings.map(({ name, meaning }) => `${name} (${label}): ${meaning}`),
  )
  return [`A JSON object with text values, or {} for none.`, ...known].join('\n')
}

/** Saves only an address and settings that its system accepts. */
export async function saveSource(
  { APP_URL }: Pick<Env, 'APP_URL'>,
  { key, values, now: createdAt }: AdminChange,
): Promise<AdminPlan> {
  const url = String(values['url']).replace(/\/+$/, '')
  const settings = String(values['settings'])
  const kind = String(values['kind'])
  const refusal = sources.get(kind)?.checkAddress(url) ?? refuseLoopback(url, APP_URL)
  const errors = [...errorsAt('url', refusal), ...errorsAt('settings', refuseSettings(kind, settings))]
  if (errors.length > 0) return { errors }
  const columns = {
    ...columnsOf(source, values, 'name', 'timeZone', 'pollSeconds', 'requestsPerMinute', 'isEnabled', 'isSecondLookOn'),
    url,
    settings,
    // Turning it on again resets its failures.
    overruledLookCount: 0,
  }
  if (key === null)
    return {
      statements: [query.insert(source).values({ ...columns, kind, createdAt, ...limitsOfHost(url) })],
      written: { url },
    }
  const id = Number(key)
  // What was learned from another address or with other settings no longer applies, so the next poll asks at once, unless
  // the school has told us to wait.
  const isSameUrl = sql`${source.url} = ${url}`
  const isSame = sql`${isSameUrl} AND ${source.settings} = ${settings}`
  const limit = sql`iif(${isSameUrl}, ${limitedUntil}, ${hostLimitedUntil(url)})`
  const unlessMoved = (learned: SQLiteColumn) => sql`iif(${isSame}, ${learned}, NULL)`
  const learned = {
    pausedUntil: sql`iif(${isSame}, ${source.pausedUntil}, ${limit})`,
    limitedUntil: limit,
    pollMemo: unlessMoved(source.pollMemo),
    requestsARound: unlessMoved(source.requestsARound),
  }
  const isMoved = sql`EXISTS (SELECT 1 FROM ${source} WHERE ${source.id} = ${id} AND NOT (${isSame}))`
  const changing = query
    .update(source)
    .set({ ...columns, ...learned })
    .where(eq(source.id, id))
  return { statements: [resetGroupFailures(id, isMoved), changing], written: { url } }
}

const errorsAt = (field: string, message: string | null): FormError[] => (message === null ? [] : [{ field, message }])

function refuseSettings(kind: string, json: string): string | null {
  const parsed: unknown = JSON.parse(json)
  if (parsed === null || typeof parsed !== 'object' || Array.isArray(parsed))
    return 'Enter a JSON object, or {} for none.'
  const known = sources.get(kind)?.settings ?? []
  for (const [name, value] of Object.entries(parsed)) {
    if (!known.some((setting) => setting.name === name)) {
      const names = known.map((setting) => setting.name).join(', ')
      return `${name} is not a setting of this system. ${names === '' ? 'It has none.' : `Available: ${names}.`}`
    }
    if (typeof value !== 'string' || value === '') return `${name} must be text.`
  }
  return null
}
