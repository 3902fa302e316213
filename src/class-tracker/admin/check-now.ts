import { eq } from 'drizzle-orm'
import { query, readFirst, write } from '../../db/query.ts'
import { source } from '../../db/schema/index.ts'
import { judge } from '../../sources/judge.ts'
import type { AdminAct, AdminOutcome } from '../../web/admin-change.ts'
import { auditEntry } from '../../web/audit.ts'
import { counted } from '../../lib/text.ts'
import { notFound, unprocessable } from '../../web/refusal.ts'
import { laneColumns, spareColumns, spareRequests, settingsOf } from '../courses/host-share.ts'
import { checkSource, type SourceCheck } from '../refresh/check-source.ts'

/** Rows shown of each list. */
const MAX_SHOWN = 25

/** Reads a source as a refresh would and shows the result. Stores only an audit entry. */
export async function checkNow(env: Env, { keys, actor, now }: AdminAct): Promise<AdminOutcome> {
  const [key, ...others] = keys
  if (others.length > 0) throw unprocessable('Check one source at a time.')
  const found = await readFirst(
    env.DB,
    query
      .select({ ...laneColumns, ...spareColumns, time_zone: source.timeZone })
      .from(source)
      .where(eq(source.id, Number(key))),
  )
  if (!found) throw notFound('This source no longer exists.')
  const lane = { ...found, settings: settingsOf(found.settings), spare_requests: spareRequests(found) }
  const check = await checkSource(env, lane, Date.now)
  const entry = { act: 'checked', area: 'class_tracker', table: 'source', key: String(found.id), title: found.name }
  await write(env.DB, auditEntry(actor, { ...entry, after: figuresOf(check) }, now))
  return { message: sentence(found.name, check), details: detailsOf(check) }
}

function figuresOf({ why, requests, terms, schools, subjects, sections }: SourceCheck) {
  return {
    why,
    requests,
    terms: terms.length,
    schools: schools.length,
    subjects: subjects.length,
    sections: sections.length,
  }
}

function sentence(name: string, check: SourceCheck): string {
  const { why, requests, terms, schools, asked, subjects, subject, sections } = check
  const understood = [
    ...(terms.length > 0 ? [counted(terms.length, 'term')] : []),
    ...(schools.length > 0 ? [counted(schools.length, 'school')] : []),
    ...(asked && subjects.length > 0
      ? [
          `${counted(subjects.length, 'subject')} in ${asked.term.name}${asked.school === '' ? '' : ` at ${asked.school}`}`,
        ]
      : []),
    ...(subject && why === null ? [`${counted(sections.length, 'section')} in ${subject.name}`] : []),
  ]
  const result = understood.length > 0 ? `Read ${name}: ${understood.join(', ')}.` : `${name} could not be read.`
  return [result, ...(why === null ? [] : [`Stopped there: ${why}`]), `${counted(requests, 'request')} sent.`].join(' ')
}

type Details = NonNullable<AdminOutcome['details']>

/** The first rows under a heading; nothing without rows. */
function list<Row>(
  heading: string,
  columns: string[],
  rows: readonly Row[],
  cellsOf: (row: Row) => (string | number | null)[],
): Details {
  if (rows.length === 0) return []
  const shownHeading = rows.length > MAX_SHOWN ? `${heading} (the first ${MAX_SHOWN})` : heading
  return [{ heading: shownHeading, columns, rows: rows.slice(0, MAX_SHOWN).map(cellsOf) }]
}

function detailsOf({ why, warnings, terms, schools, subjects, subject, sections }: SourceCheck): Details {
  const sectionColumns = ['Number', 'Course', 'Section', 'Status', 'Seats', 'Capacity', 'Instructor']
  return [
    ...list('Could not be read', ['Reason'], why === null ? [] : [why], (text) => [text]),
    ...list('Warnings', ['Warning'], warnings, (warning) => [warning]),
    ...list('Terms', ['Code', 'Name', 'Year', 'Season', 'Offered'], terms, (term) => {
      return [term.code, term.name, term.year, term.season, term.is_available ? 'Yes' : 'No']
    }),
    ...list('Schools', ['Code', 'Name'], schools, ({ code, name }) => [code, name]),
    ...list('Subjects', ['Key', 'Name'], subjects, ({ key, name }) => [key, name]),
    ...list(`Sections in ${subject?.name ?? ''}`, sectionColumns, sections, (section) => {
      const { status, seats_available, capacity } = judge(section)
      const instructors = (section.instruction_list ?? []).map(({ name, days_times }) => `${name}: ${days_times}`)
      const course = `${section.code} ${section.level}`
      return [section.number, course, section.section, status, seats_available, capacity, instructors.join('; ')]
    }),
  ]
}
