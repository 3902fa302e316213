import { eq, type SQL, sql } from 'drizzle-orm'
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { into, query, statement, refuseUnless } from '../../db/query.ts'
import {
  classAlert,
  course,
  opening,
  school,
  schoolTerm,
  seatChange,
  section,
  sectionGroup,
  subject,
  term,
  watch,
} from '../../db/schema/index.ts'
import type { AdminAct, AdminChange, AdminPlan, AdminValue } from '../../web/admin-change.ts'
import { belongsTo, columnsOf, shownOnly, skippedText } from '../../web/admin-fields.ts'
import type { AdminTable } from '../../web/admin-table.ts'
import { counted } from '../../lib/text.ts'
import { unprocessable } from '../../web/refusal.ts'
import { observedAtOf, statusNowOf } from '../courses/observed-at.ts'
import { setStatus } from '../polling/set-status.ts'
import { alertsAbout, isReadRecently, placeJoins, shownStatus, statuses, watchers } from './parts.ts'
import { FLAG_WORDS } from '../courses/section-details.ts'
import { seatsLeft, sectionName, shownNumber } from '../courses/section-row.ts'

const status = statusNowOf(section)
const observedAt = observedAtOf(section, sectionGroup)
const settable = statuses.filter(({ value }) => value !== 'unknown')

/** `instruction_list` as people type it: one line per instructor, with the times. */
const meetings = sql`coalesce((SELECT group_concat(i.value ->> 'name' || ' | ' || (i.value ->> 'days_times'), char(10))
  FROM json_each(${section.instructionList}) i), '')`

const flagCases = Object.entries(FLAG_WORDS).map(([flag, words]) => sql`WHEN ${flag} THEN ${words}`)
const notes = sql`(SELECT group_concat(CASE i.value ${sql.join(flagCases, sql` `)} ELSE i.value END, ', ')
  FROM json_each(iif(json_valid(${section.flags}), ${section.flags}, '[]')) i)`

/** "Jan 5, 2027" for 2027-01-05; any other text stays as it is. */
const dayText = (day: SQLiteColumn): SQL => sql`coalesce(
  substr('JanFebMarAprMayJunJulAugSepOctNovDec', 3 * strftime('%m', ${day}) - 2, 3)
    || ' ' || ltrim(strftime('%d', ${day}), '0') || strftime(', %Y', ${day}),
  ${day})`

/** Sections with the latest known seats. */
export const sectionsTable: AdminTable<typeof section> = {
  name: 'sections',
  label: 'Section',
  about: 'Seats come from the school. Changing them here also alerts watchers.',
  table: section,
  title: sql`${sectionName} || ' (' || ${shownNumber} || '), ' || ${school.name} || ', ' || ${term.fullTermName}`,
  joins: [section.courseId, ...placeJoins, section.groupId],
  columns: [
    { name: 'course', label: 'Section', sql: sectionName },
    {
      name: 'title',
      label: 'Topic',
      sql: sql`iif(${section.topic} = '', ${course.title}, ${section.topic})`,
      isBesideFirst: true,
    },
    { name: 'school', column: school.name, link: school },
    { name: 'number', column: section.sectionKey, isSortable: true },
    {
      name: 'seats',
      kind: 'seats',
      sql: sql`json_array(iif(${isReadRecently}, ${status}, 'unknown'), ${seatsLeft}, ${section.capacity})`,
    },
    { column: section.status, ...shownStatus },
    { name: 'status_read', column: section.status, label: 'Status', sql: status, isHidden: true },
    { column: section.seatsAvailable, label: 'Free seats', isHidden: true },
    { column: section.capacity, isHidden: true },
    section.watchCount,
    { name: 'observed_at', label: 'Checked', kind: 'moment', sql: observedAt },
    { name: 'term', column: term.fullTermName, link: schoolTerm },
  ],
  search: {
    label: 'Number, course (CS 101), title or topic',
    contains: [
      section.sectionKey,
      section.number,
      section.topic,
      sql`(SELECT ${course.code} || ' ' || ${course.level} || ' ' || ${course.title} FROM ${course}
        WHERE ${course.id} = ${section.courseId})`,
    ],
  },
  filters: [
    { name: 'watched', choices: [{ value: 'yes', label: 'yes', where: sql`${section.watchCount} > 0` }] },
    { column: section.status, sql: status },
    section.schoolTermId,
    { name: 'school', column: schoolTerm.schoolId },
    { name: 'term', column: schoolTerm.termId },
    section.courseId,
  ],
  fields: [
    belongsTo(section.schoolTermId),
    { column: section.courseId, help: 'Must be at the same school.' },
    {
      column: section.sectionKey,
      label: 'Number',
      maximum: 50,
      readOnly: 'after_adding',
      help: 'The school’s CRN or class number. Polls use it to find the section.',
    },
    { column: section.section, maximum: 50, help: 'The section code, such as 001.' },
    { column: section.topic, isRequired: false, maximum: 500, help: 'Leave empty to use the course title.' },
    {
      name: 'meetings',
      kind: 'long_text',
      sql: meetings,
      check: refuseMeetings,
      help: 'One per line: Ada Lovelace | MoWe 9:05AM - 10:20AM. Kept until the school updates the section.',
    },
    { column: section.instructionMode, label: 'Mode', isRequired: false, maximum: 200 },
    ...shownOnly([
      { column: section.status, choices: statuses, sql: status },
      { column: section.seatsAvailable, label: 'Seats' },
      section.capacity,
      { column: section.waitlistAvailable, label: 'Waitlist' },
      { column: section.watchCount, label: 'Watches' },
      { name: 'observed_at', label: 'Last checked', kind: 'moment', sql: observedAt },
      { column: section.missingSince, label: 'No longer listed since' },
      { column: section.unknownSince, label: 'Status unconfirmed since' },
      { column: section.createdAt, label: 'Added' },
      { name: 'shown_number', label: 'Number at the school', sql: shownNumber },
      { column: section.component, label: 'Type' },
      section.session,
      section.sessionCode,
      section.campus,
      section.place,
      { name: 'first_day', sql: dayText(section.startsOn) },
      { name: 'last_day', sql: dayText(section.endsOn) },
      section.credits,
      { name: 'notes', sql: notes },
    ]),
  ],
  panels: [
    {
      heading: 'Seats over time',
      columns: [
        { column: seatChange.at, label: 'When' },
        { column: seatChange.status, choices: statuses },
        { column: seatChange.seatsAvailable, label: 'Seats' },
        seatChange.capacity,
        { column: seatChange.waitlistAvailable, label: 'Waitlist' },
      ],
      rows: (columns, id) => sql`SELECT ${columns} FROM ${seatChange} WHERE ${seatChange.sectionId} = ${id}
        ORDER BY ${seatChange.at} DESC, ${seatChange.id} DESC LIMIT 20`,
      empty: 'No changes recorded yet. History starts with the first watch.',
    },
  ],
  related: [watch.sectionId, classAlert.sectionId, opening.sectionId],
  cascades: [
    watchers(),
    alertsAbout(),
    { through: [opening.sectionId], joins: [opening.sectionId, section.courseId], title: sectionName },
  ],
  actions: [
    {
      name: 'set_status',
      confirm: 'This is treated like an update from the school: watchers are notified if a section opens.',
      fields: [
        { name: 'status', choices: settable, isRequired: true, initial: 'open' },
        {
          name: 'seats_available',
          label: 'Free seats',
          kind: 'integer',
          minimum: 0,
          maximum: 10_000,
          help: 'Leave empty if unknown. A section that is not open has none.',
        },
      ],
      run: setStatuses,
    },
  ],
  save: saveSection,
}

async function setStatuses(env: Env, { keys, values, actor, now }: AdminAct): Promise<string> {
  const chosen = settable.find(({ value }) => value === values['status']) ?? settable[0]
  const isOpen = chosen?.value === 'open'
  const seats = values['seats_available'] ?? null
  if (isOpen && seats === 0) throw unprocessable('An open section has at least one free seat.')
  const { changed, openings, messages } = await setStatus(
    env,
    { role: 'superuser', audit: actor },
    keys.map(Number),
    {
      status: isOpen ? 'open' : chosen?.value === 'waitlisted' ? 'waitlisted' : 'closed',
      seats_available: !isOpen ? 0 : seats === null ? null : Number(seats),
    },
    now,
  )
  const rest = skippedText(keys.length - changed, 'already set, or changed at the same time')
  const sent = `${openings} opened, and ${counted(messages, 'message is', 'messages are')} being sent.`
  return `${chosen?.label ?? ''}: ${counted(changed, 'section')} changed.${rest}${openings > 0 ? ` ${sent}` : ''}`
}

const linesOf = (text: string): string[] =>
  text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]))

/** Far more than any section needs. */
const MAX_MEETINGS = 50
const MAX_MEETING_LENGTH = 500

function refuseMeetings(text: string | number): string | null {
  const lines = linesOf(String(text))
  if (lines.length > MAX_MEETINGS) return `At most ${MAX_MEETINGS} meetings.`
  const wrong = lines.findIndex((line) => !/^.*\|/.test(line) || line.length > MAX_MEETING_LENGTH)
  if (wrong >= 0) return `Line ${wrong + 1} must look like this: Ada Lovelace | MoWe 9:05AM - 10:20AM.`
  return null
}

function instructionOf(text: string): string {
  return JSON.stringify(
    linesOf(text).map((line) => {
      const [name = '', ...rest] = line.split('|')
      return { name: name.trim(), days_times: rest.join('|').trim() }
    }),
  )
}

/** A section with a course of another school would be polled where it is not taught. */
async function saveSection(_env: Env, change: AdminChange): Promise<AdminPlan> {
  const { key, values, before } = change
  const { school_term_id: schoolTermId = null, course_id: courseId = null } = values
  const instructionList = instructionOf(String(values['meetings'] ?? ''))
  const columns = columnsOf(section, values, 'section', 'topic', 'instructionMode')
  const isOwn = refuseUnless(
    sql`EXISTS (SELECT 1 FROM ${schoolTerm}, ${course} JOIN ${subject} ON ${subject.id} = ${course.subjectId}
      WHERE ${schoolTerm.id} = ${schoolTermId} AND ${course.id} = ${courseId} AND ${subject.schoolId} = ${schoolTerm.schoolId})`,
    'This course and this term belong to different schools.',
  )
  const placed = {
    courseId: Number(courseId),
    courseLevel: sql<string>`(SELECT ${course.level} FROM ${course} WHERE ${course.id} = ${courseId})`,
    groupId: sql<number>`(SELECT min(${sectionGroup.id}) FROM ${sectionGroup}
      JOIN ${course} ON ${course.subjectId} = ${sectionGroup.subjectId}
      WHERE ${sectionGroup.schoolTermId} = ${schoolTermId} AND ${course.id} = ${courseId})`,
  }
  if (key === null) {
    return {
      statements: [
        isOwn,
        addGroup(schoolTermId, courseId),
        query.insert(section).values({
          ...columnsOf(section, values, 'schoolTermId', 'sectionKey'),
          ...columns,
          ...placed,
          status: 'unknown',
          instructionList,
          fingerprint: '',
          createdAt: change.now,
        }),
      ],
    }
  }
  const hasKey = eq(section.id, Number(key))
  // Unchanged text is not written again, because names may contain spaces that a form does not show.
  const typed = before?.['meetings'] === values['meetings'] ? {} : { instructionList }
  const isMoved = before?.['course_id'] !== courseId
  return {
    statements: [
      isOwn,
      query
        .update(section)
        .set({ ...columns, ...typed })
        .where(hasKey),
      ...(isMoved ? [addGroup(schoolTermId, courseId), query.update(section).set(placed).where(hasKey)] : []),
    ],
  }
}

/** Adds the group that finds a section of this term and course, unless it exists. */
function addGroup(schoolTermId: AdminValue, courseId: AdminValue) {
  const other = alias(sectionGroup, 'other')
  return statement(sql`INSERT INTO ${into(sectionGroup, sectionGroup.sourceId, sectionGroup.schoolTermId, sectionGroup.subjectId)}
    SELECT ${school.sourceId}, ${schoolTerm.id}, ${course.subjectId}
    FROM ${schoolTerm} JOIN ${school} ON ${school.id} = ${schoolTerm.schoolId}, ${course}
    WHERE ${schoolTerm.id} = ${schoolTermId} AND ${course.id} = ${courseId} AND NOT EXISTS (
      SELECT 1 FROM ${sectionGroup} ${other}
      WHERE ${other.schoolTermId} = ${schoolTerm.id} AND ${other.subjectId} = ${course.subjectId})`)
}
