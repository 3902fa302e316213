import { section } from '../../db/schema/index.ts'
import type { SourceSection } from '../../sources/source.ts'

/** The columns of {@link detailsOf}, in its order. */
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

/** A section's details besides its course, title, instructors and seats; '' when the answer does not carry one. */
export function detailsOf(listed: SourceSection): string[] {
  const { section_key, number, component, session, session_code, campus, place, starts_on, ends_on, credits, flags } =
    listed
  return [
    number === section_key ? '' : number,
    component ?? '',
    session ?? '',
    session_code ?? '',
    campus ?? '',
    place ?? '',
    starts_on ?? '',
    ends_on ?? '',
    credits ?? '',
    flags === undefined ? '' : JSON.stringify(flags),
  ]
}
