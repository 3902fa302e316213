import * as z from 'zod/mini'
import { shortDayText } from '../../../client/components/time-text.ts'
import { section } from '../../db/schema/index.ts'
import { parseOr } from '../../lib/fallbacks.ts'
import type { SectionFlag } from '../../sources/source.ts'
import type { SectionDetail } from './contract.ts'

/** The columns of `section` from which {@link sectionDetails} are made. */
export const detailFields = {
  section_component: section.component,
  section_session: section.session,
  section_campus: section.campus,
  section_place: section.place,
  section_starts_on: section.startsOn,
  section_ends_on: section.endsOn,
  section_credits: section.credits,
  section_flags: section.flags,
}

export const FLAG_WORDS: Readonly<Record<SectionFlag, string>> = {
  canceled: 'Canceled',
  permission: 'Permission required',
  held: 'Some seats are reserved',
  combined: 'Cross-listed: shares its seats with another section',
  linked: 'Linked: must be taken with another section',
}

const flagsIn = parseOr(z.array(z.enum(['canceled', 'permission', 'held', 'combined', 'linked'])), [])

/** What the school says about a section besides its course, instructors and seats. Leaves out what it does not say. */
export function sectionDetails(row: Record<keyof typeof detailFields, string>): SectionDetail[] {
  const flags = row.section_flags === '' ? [] : flagsIn(JSON.parse(row.section_flags))
  const { section_starts_on: from, section_ends_on: to, section_credits: credits } = row
  const details = [
    { label: 'Note', text: flags.map((flag) => FLAG_WORDS[flag]).join(', ') },
    { label: 'Type', text: row.section_component },
    { label: 'Session', text: row.section_session },
    { label: 'Campus', text: row.section_campus },
    { label: 'Location', text: row.section_place },
    { label: 'Dates', text: from === '' || to === '' ? '' : `${dayText(from)} – ${dayText(to)}` },
    { label: 'Credits', text: credits === '' ? '' : credits === '1' ? '1 credit' : `${credits} credits` },
  ]
  return details.filter(({ text }) => text !== '')
}

/** "Aug 28" for 2026-08-28. */
function dayText(day: string): string {
  const at = Date.parse(`${day}T12:00:00Z`)
  if (Number.isNaN(at)) return day
  return shortDayText(at, 'UTC')
}
