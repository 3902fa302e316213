import { section } from '../../db/schema/index.ts'
import type { SectionWrite } from './compare-sections.ts'

/** The details of a section besides its course, title, instructors and seats, in the order of {@link columnsOf}. */
export const detailColumns = [
  section.number,
  section.component,
  section.session,
  section.sessionCode,
  section.campus,
  section.place,
  section.startsOn,
  section.endsOn,
  section.credits,
  section.flags,
] as const

/** The position of the first of {@link detailColumns} in {@link columnsOf}. */
export const FIRST_DETAIL = 17

/** A section to write as a list of values, to keep the argument small; '' for a detail that the answer leaves out. */
export function columnsOf(write: SectionWrite): unknown[] {
  const { section: seats } = write
  const { listed } = seats
  return [
    write.group_id,
    write.subject_id,
    listed.code,
    listed.level,
    listed.title,
    listed.section_key,
    listed.section,
    listed.topic,
    seats.status,
    seats.seats_available,
    seats.capacity,
    seats.waitlist_available,
    write.instruction,
    listed.instruction_mode,
    write.fingerprint,
    write.version,
    write.asked_at,
    listed.number === listed.section_key ? '' : listed.number,
    listed.component ?? '',
    listed.session ?? '',
    listed.session_code ?? '',
    listed.campus ?? '',
    listed.place ?? '',
    listed.starts_on ?? '',
    listed.ends_on ?? '',
    listed.credits ?? '',
    listed.flags === undefined ? '' : JSON.stringify(listed.flags),
  ]
}
