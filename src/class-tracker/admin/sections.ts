import { belongsTo, shownOnly } from '../../web/admin-text-fields.ts'
import type { AdminAct } from '../../web/admin-change.ts'
import type { TextTable } from '../../web/admin-text-table.ts'
import { counted } from '../../web/counted.ts'
import { observedAt, statusNow } from '../courses/observed-at.ts'
import { setStatus } from '../polling/set-status.ts'
import { alertsAbout, catalogueArea, placeJoin, sectionName, statuses, watchers } from './parts.ts'
import { meetingsSql, refuseMeetings, saveSection } from './save-section.ts'

const status = statusNow.replaceAll('s.', 't.')
const sayable = statuses.filter(({ value }) => value !== 'unknown')

/** Sections with what is believed of their seats. */
export const sectionsTable: TextTable = {
  name: 'sections',
  label: 'Section',
  labels: 'Sections',
  area: catalogueArea,
  about:
    'Seats are as a school said them last. Only an action changes them here, and whoever watches is told as by a poll.',
  table: 'section',
  title: `k.code || ' ' || k.level || ' section ' || t.section || ', number ' || t.section_key || ', ' || h.name || ', ' || e.full_term_name`,
  join: `LEFT JOIN course k ON k.id = t.course_id ${placeJoin.replaceAll('s.school_term_id', 't.school_term_id')}
    LEFT JOIN section_group g ON g.id = t.group_id`,
  columns: [
    { name: 'course', label: 'Section', sql: "k.code || ' ' || k.level || ' section ' || t.section" },
    { name: 'number', label: 'Number', sql: 't.section_key', sort: 'lower(t.section_key)' },
    { name: 'title', label: 'Topic', sql: "iif(t.topic = '', k.title, t.topic)" },
    { name: 'status', label: 'Status', kind: 'choice', choices: statuses, sql: status },
    { name: 'seats_available', label: 'Seats', kind: 'number' },
    { name: 'capacity', label: 'Of', kind: 'number' },
    { name: 'watch_count', label: 'Watches', kind: 'number' },
    { name: 'school', label: 'School', sql: 'h.name', link: { table: 'schools', key: 'h.id' } },
    { name: 'term', label: 'Term', sql: 'e.full_term_name', link: { table: 'school-terms', key: 'st.id' } },
    { name: 'observed_at', label: 'Last observed', kind: 'moment', sql: observedAt.replaceAll('s.', 't.') },
  ],
  search: {
    label: 'Number, course (CS 101), title or topic',
    contains: [
      't.section_key',
      't.topic',
      "(SELECT k.code || ' ' || k.level || ' ' || k.title FROM course k WHERE k.id = t.course_id)",
    ],
    begins: ['lower(t.section_key)'],
  },
  filters: [
    {
      name: 'watched',
      label: 'Watched',
      kind: 'choice',
      isIndexed: true,
      choices: [{ value: 'yes', label: 'Watched only', where: 't.watch_count > 0' }],
    },
    { name: 'status', label: 'Status', kind: 'choice', choices: statuses, sql: status },
    {
      name: 'school_term_id',
      label: 'Term of a school',
      kind: 'reference',
      to: 'school-terms',
      isIndexed: true,
    },
    {
      name: 'school',
      label: 'School',
      kind: 'reference',
      to: 'schools',
      sql: '(SELECT st.school_id FROM school_term st WHERE st.id = t.school_term_id)',
    },
    {
      name: 'term',
      label: 'Term',
      kind: 'reference',
      to: 'terms',
      sql: '(SELECT st.term_id FROM school_term st WHERE st.id = t.school_term_id)',
    },
    { name: 'course_id', label: 'Course', kind: 'reference', to: 'courses', isIndexed: true },
  ],
  fields: [
    belongsTo('school_term_id', 'Term of a school', 'school-terms'),
    {
      name: 'course_id',
      label: 'Course',
      kind: 'reference',
      to: 'courses',
      isRequired: true,
      help: 'Of the same school.',
    },
    {
      name: 'section_key',
      label: 'Number',
      kind: 'text',
      isRequired: true,
      maximum: 50,
      readOnly: 'after_adding',
      help: 'The school’s own: CRN or class number. Polls find the section by it.',
    },
    { name: 'section', label: 'Section', kind: 'text', isRequired: true, maximum: 50, help: 'Its code: 001.' },
    { name: 'topic', label: 'Topic', kind: 'text', maximum: 500, help: 'Empty: the course’s title.' },
    {
      name: 'meetings',
      label: 'Meetings',
      kind: 'long_text',
      sql: meetingsSql,
      check: refuseMeetings,
      help: 'A line each: Ada Lovelace | MoWe 9:05AM - 10:20AM. They stay until the school changes something about the section.',
    },
    { name: 'instruction_mode', label: 'Mode', kind: 'text', maximum: 200 },
    ...shownOnly([
      { name: 'status', label: 'Status', kind: 'choice', choices: statuses, sql: status },
      { name: 'seats_available', label: 'Seats', kind: 'integer' },
      { name: 'capacity', label: 'Capacity', kind: 'integer' },
      { name: 'waitlist_available', label: 'Waiting list', kind: 'integer' },
      { name: 'watch_count', label: 'Watches', kind: 'integer' },
      { name: 'observed_at', label: 'Last observed', kind: 'moment', sql: observedAt.replaceAll('s.', 't.') },
      { name: 'missing_since', label: 'No longer listed since', kind: 'moment' },
      { name: 'unknown_since', label: 'Contradicts itself since', kind: 'moment' },
      { name: 'created_at', label: 'Added', kind: 'moment' },
    ]),
  ],
  panels: [
    {
      heading: 'Seats over time',
      sql: `SELECT at, status, seats_available, capacity, waitlist_available FROM seat_change WHERE section_id = ?1
        ORDER BY at DESC, id DESC LIMIT 20`,
      columns: [
        { name: 'at', label: 'When', kind: 'moment' },
        { name: 'status', label: 'Status', kind: 'choice', choices: statuses },
        { name: 'seats_available', label: 'Seats', kind: 'number' },
        { name: 'capacity', label: 'Of', kind: 'number' },
        { name: 'waitlist_available', label: 'Waiting list', kind: 'number' },
      ],
      empty: 'Kept from its first watch on.',
    },
  ],
  related: [
    { label: 'Watches', table: 'watches', filter: 'section_id' },
    { label: 'Alerts', table: 'alerts', filter: 'section_id' },
    { label: 'Openings', table: 'openings', filter: 'section_id' },
  ],
  goesWith: [
    watchers('section s', 's.id'),
    alertsAbout('section s', 's.id'),
    {
      label: 'openings',
      from: 'opening o JOIN section s ON s.id = o.section_id JOIN course k ON k.id = s.course_id',
      key: 'o.section_id',
      title: sectionName,
    },
  ],
  actions: [
    {
      name: 'set_status',
      label: 'Set status',
      confirm: 'This counts as if the school had said so: whoever watches a section that opens is messaged.',
      fields: [
        { name: 'status', label: 'Status', kind: 'choice', choices: sayable, isRequired: true, initial: 'open' },
        {
          name: 'seats_available',
          label: 'Free seats',
          kind: 'integer',
          minimum: 0,
          maximum: 10_000,
          help: 'Empty: not known when open, else none.',
        },
      ],
      run: sayStatus,
    },
  ],
  save: saveSection,
}

async function sayStatus(env: Env, { keys, values, actor, now }: AdminAct): Promise<string> {
  const said = sayable.find(({ value }) => value === values['status']) ?? sayable[0]
  const isOpen = said?.value === 'open'
  const seats = values['seats_available'] ?? null
  const { changed, openings, messages } = await setStatus(
    env,
    { role: 'superuser', audit: actor },
    keys.map(Number),
    {
      status: isOpen ? 'open' : said?.value === 'waitlisted' ? 'waitlisted' : 'closed',
      seats_available: seats === null ? (isOpen ? null : 0) : Number(seats),
    },
    now,
  )
  const others = keys.length - changed
  return [
    `${said?.label ?? ''}: ${counted(changed, 'section')} changed.`,
    ...(others > 0 ? [`${others} ${others === 1 ? 'was' : 'were'} so already, or changed at the same moment.`] : []),
    ...(openings > 0 ? [`${openings} opened, and ${counted(messages, 'message is', 'messages are')} being sent.`] : []),
  ].join(' ')
}
