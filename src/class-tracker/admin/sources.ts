import { sources } from '../../sources/sources.ts'
import type { AdminChoice } from '../../web/admin-table.ts'
import type { TextTable } from '../../web/admin-text-table.ts'
import { checkNow } from './check-now.ts'
import { unreadSections } from '../courses/unread-sections.ts'
import { alertsAbout, area, refuseLarge, sectionsOf, watchers } from './parts.ts'
import { refuseTimeZone, saveSource, settingsHelp } from './save-source.ts'

const kinds = [...sources.values()].map(({ kind, label }) => ({ value: kind, label }))

const now = "CAST(unixepoch('subsec') * 1000 AS INTEGER)"
const unread = unreadSections('t', now)
/** As `healthOf` says it. */
const health = `CASE WHEN NOT t.is_enabled THEN 'disabled' WHEN t.paused_until > ${now} THEN 'paused' WHEN t.failures > 0 THEN 'failing'
  WHEN t.last_good_at IS NULL AND t.terms_refreshed_at IS NULL THEN 'never'
  WHEN ${unread} ->> 0 > 0 THEN 'partial' ELSE 'healthy' END`
const healths: readonly AdminChoice[] = [
  { value: 'healthy', label: 'Healthy', tone: 'open' },
  { value: 'partial', label: 'Partly unread', tone: 'waitlisted' },
  { value: 'failing', label: 'Failing', tone: 'waitlisted' },
  { value: 'paused', label: 'Paused', tone: 'danger' },
  { value: 'disabled', label: 'Disabled', tone: 'neutral' },
  { value: 'never', label: 'Never read', tone: 'info' },
]
const isWatched = 'EXISTS (SELECT 1 FROM section_group g WHERE g.source_id = t.id AND g.watch_count > 0)'
/** As `effectiveInterval` says it. */
const interval = `iif(${isWatched}, max(t.poll_seconds, (60 * coalesce(t.requests_a_round, 0) + max(1, t.requests_per_minute) - 1)
  / max(1, t.requests_per_minute)), NULL)`

/** The school systems: where they are, how they may be asked, and how they are. */
export const sourcesTable: TextTable = {
  name: 'sources',
  label: 'Source',
  labels: 'Sources',
  area,
  about: 'School systems that are read: one may be one school or many. A new one is read within a minute.',
  table: 'source',
  title: 't.name',
  order: 'oldest_first',
  columns: [
    { name: 'name', label: 'Name', sort: 't.name' },
    { name: 'kind', label: 'System', kind: 'choice', choices: kinds },
    { name: 'health', label: 'Health', kind: 'choice', choices: healths, sql: health },
    { name: 'failures', label: 'Failures in a row', kind: 'number' },
    { name: 'last_good_at', label: 'Last good', kind: 'moment' },
    { name: 'interval', label: 'Seconds between looks', kind: 'number', sql: interval },
    { name: 'last_error', label: 'Last error' },
    { name: 'url', label: 'Address', isHidden: true },
  ],
  search: { label: 'Name, address or error', contains: ['t.name', 't.url', 't.last_error'] },
  filters: [
    { name: 'health', label: 'Health', kind: 'choice', choices: healths, sql: `(${health})` },
    { name: 'kind', label: 'System', kind: 'choice', choices: kinds },
  ],
  fields: [
    { name: 'name', label: 'Name', kind: 'text', isRequired: true, maximum: 200 },
    { name: 'kind', label: 'System', kind: 'choice', choices: kinds, isRequired: true, readOnly: 'after_adding' },
    {
      name: 'url',
      label: 'Address',
      kind: 'text',
      isRequired: true,
      maximum: 500,
      help: 'Up to and including /StudentRegistrationSsb/ssb (Banner 9) or /CFGlobalSearchTool (CUNY).',
    },
    {
      name: 'time_zone',
      label: 'Time zone',
      kind: 'text',
      isRequired: true,
      initial: 'America/New_York',
      check: refuseTimeZone,
      help: 'Its nights are when the catalogue is read anew, and its days when terms end.',
    },
    {
      name: 'poll_seconds',
      label: 'Poll seconds',
      kind: 'integer',
      isRequired: true,
      initial: 60,
      minimum: 15,
      maximum: 3600,
      help: 'Watched sections are looked at this often, when the requests suffice.',
    },
    {
      name: 'requests_per_minute',
      label: 'Requests a minute',
      kind: 'integer',
      isRequired: true,
      initial: 60,
      minimum: 2,
      maximum: 6000,
      help: 'Never more than this, whatever for.',
    },
    {
      name: 'settings',
      label: 'Settings',
      kind: 'json',
      isRequired: true,
      initial: '{}',
      maximum: 2000,
      help: settingsHelp(),
    },
    { name: 'is_enabled', label: 'Enabled', kind: 'boolean', initial: 1, help: 'Off: it is neither polled nor read.' },
    {
      name: 'is_second_look_on',
      label: 'Second look',
      kind: 'boolean',
      initial: 1,
      help: 'On: a section is asked about once more before the first message that it is open. It turns itself off where it contradicts the list five times in a row.',
    },
    { name: 'created_at', label: 'Added', kind: 'moment', readOnly: 'always' },
  ],
  panels: [
    {
      heading: 'Health',
      sql: `SELECT ${health} AS health, t.failures, t.paused_until, t.last_good_at, t.last_failed_at, t.last_error, ${interval} AS interval,
          t.requests_a_round FROM source t WHERE t.id = ?1 LIMIT 1`,
      columns: [
        { name: 'health', label: 'Health', kind: 'choice', choices: healths },
        { name: 'failures', label: 'Failures in a row', kind: 'number' },
        { name: 'paused_until', label: 'Paused until', kind: 'moment' },
        { name: 'last_good_at', label: 'Last good', kind: 'moment' },
        { name: 'last_failed_at', label: 'Last failed', kind: 'moment' },
        { name: 'last_error', label: 'Last error' },
        { name: 'interval', label: 'Seconds between looks', kind: 'number' },
        { name: 'requests_a_round', label: 'Requests a round', kind: 'number' },
      ],
      empty: 'Nothing is known of it.',
    },
    {
      heading: 'Watched sections',
      sql: `SELECT ${unread} ->> 0 AS unread_sections, ${unread} ->> 1 AS unread_since, t.flicker_count, t.overruled_look_count
          FROM source t WHERE t.id = ?1 LIMIT 1`,
      columns: [
        { name: 'unread_sections', label: 'Not observed', kind: 'number' },
        { name: 'unread_since', label: 'Not observed since', kind: 'moment' },
        { name: 'flicker_count', label: 'Openings not confirmed', kind: 'number' },
        { name: 'overruled_look_count', label: 'Second looks overruled in a row', kind: 'number' },
      ],
      empty: 'Nothing is known of them.',
    },
    {
      heading: 'Catalogue',
      sql: `SELECT 'Terms and schools' AS what, terms_refreshed_at AS at, terms_refreshed_by AS by FROM source WHERE id = ?1
        UNION ALL SELECT 'Sections', sections_refreshed_at, sections_refreshed_by FROM source WHERE id = ?1 LIMIT 2`,
      columns: [
        { name: 'what', label: 'What' },
        { name: 'at', label: 'Last read', kind: 'moment' },
        { name: 'by', label: 'By' },
      ],
      empty: 'Nothing was read yet.',
    },
    {
      heading: 'Watched subjects that do not answer',
      sql: `SELECT h.name AS school, j.name AS subject, e.full_term_name AS term, g.failures, g.asked_at, g.read_at, g.last_error
        FROM section_group g JOIN subject j ON j.id = g.subject_id JOIN school h ON h.id = j.school_id
        JOIN school_term st ON st.id = g.school_term_id JOIN term e ON e.id = st.term_id
        WHERE g.source_id = ?1 AND g.watch_count > 0 AND g.failures > 0 ORDER BY g.failures DESC LIMIT 20`,
      columns: [
        { name: 'school', label: 'School' },
        { name: 'subject', label: 'Subject' },
        { name: 'term', label: 'Term' },
        { name: 'failures', label: 'Failures in a row', kind: 'number' },
        { name: 'asked_at', label: 'Last asked', kind: 'moment' },
        { name: 'read_at', label: 'Last read', kind: 'moment' },
        { name: 'last_error', label: 'Last error' },
      ],
      empty: 'All of them do.',
    },
  ],
  related: [{ label: 'Schools', table: 'schools', filter: 'source_id' }],
  goesWith: [
    { label: 'schools', from: 'school h', key: 'h.source_id', title: 'h.name' },
    sectionsOf('section_group g CROSS JOIN section s ON s.group_id = g.id', 'g.source_id'),
    watchers(
      'section_group g CROSS JOIN section s ON g.watch_count > 0 AND s.group_id = g.id AND s.watch_count > 0',
      'g.source_id',
    ),
    alertsAbout('section_group g CROSS JOIN section s ON s.group_id = g.id', 'g.source_id'),
  ],
  actions: [
    { name: 'check', label: 'Check now', on: 'row', run: checkNow },
    // The count of failures stays until it answers: until then all its subjects are asked, whatever they failed before.
    { name: 'resume', label: 'Resume now', set: { paused_until: null } },
    { name: 'enable', label: 'Enable', set: { is_enabled: 1 } },
    {
      name: 'disable',
      label: 'Disable',
      set: { is_enabled: 0 },
      isDangerous: true,
      confirm: 'Nobody who watches sections there would be told of a seat until it is enabled again.',
    },
  ],
  async refuse({ DB }, act) {
    if (!('remove' in act)) return []
    const { key, before } = act.remove
    return refuseLarge(
      DB,
      `section_group g JOIN section s ON s.group_id = g.id WHERE g.source_id = ?`,
      key,
      String(before['name']),
    )
  },
  save: saveSource,
}
