import { invite } from '../../db/schema/index.ts'
import { positiveInteger, textField } from '../../web/parse.ts'
import { badRequest, unprocessable } from '../../web/refusal.ts'
import { typedLines } from '../../lib/text.ts'
import type { PrivacyLevel } from '../contract.ts'
import { MAX_LINKS, MAX_NOTES_LENGTH } from './contract.ts'

export interface Submitted {
  invite_url: string
  notes: string
  guild_name: string
  guild_id: string
  privacy_level: PrivacyLevel
  school_id: number
  subject_id: number | null
  course_ids: number[]
  instructor_ids: number[]
  /** The member's pending invite that this one replaces. */
  replaces: number | null
  /** The member saw no change of the server's privacy. */
  keeps_privacy: boolean
}

/** Reads the form of a submission. @throws badRequest (missing or unreadable fields), unprocessable (a broken rule) */
export function readSubmission(form: FormData): Submitted {
  const field = (name: string) => textField(form, name).trim()
  const labels = {
    invite_url: 'Invite URL',
    guild_name: 'Server name',
    guild_id: 'Server id',
    school_id: 'School',
    privacy_level: 'Privacy level',
  }
  const missing = Object.entries(labels).filter(([name]) => field(name) === '')
  if (missing.length > 0) throw badRequest(...missing.map(([, label]) => `${label} is required`))
  const privacyLevel = invite.privacyLevel.enumValues.find((level) => level === field('privacy_level'))
  if (privacyLevel === undefined) throw badRequest("Invalid privacy level. Must be 'public' or 'private'")
  const schoolId = positiveInteger(field('school_id'))
  if (schoolId === null) throw badRequest('Invalid school selected')
  const notes = typedLines(textField(form, 'notes'))
  if (Array.from(notes).length > MAX_NOTES_LENGTH)
    throw unprocessable(`Notes may have at most ${MAX_NOTES_LENGTH} characters`)
  const subjectId = field('subject_id') === '' ? null : idOf(field('subject_id'), 'subject')
  const courseIds = idsOf(form, 'course_id', 'course')
  const instructorIds = idsOf(form, 'instructor_ids', 'instructor')
  if (subjectId === null && courseIds.length > 0) throw unprocessable('A course can be chosen only after a subject')
  if (subjectId === null && instructorIds.length > 0)
    throw unprocessable('Instructors can be chosen only after a subject')
  return {
    invite_url: field('invite_url'),
    notes,
    guild_name: field('guild_name'),
    guild_id: field('guild_id'),
    privacy_level: privacyLevel,
    school_id: schoolId,
    subject_id: subjectId,
    course_ids: courseIds,
    instructor_ids: instructorIds,
    replaces: positiveInteger(field('replaces')),
    keeps_privacy: field('changes_privacy') === '0',
  }
}

function idOf(text: string, what: string): number {
  const id = positiveInteger(text)
  if (id === null) throw badRequest(`Invalid ${what} selected`)
  return id
}

function idsOf(form: FormData, name: string, what: string): number[] {
  const texts = form.getAll(name).filter((value): value is string => typeof value === 'string' && value.trim() !== '')
  const ids = [...new Set(texts.map((text) => idOf(text.trim(), what)))]
  if (ids.length > MAX_LINKS) throw unprocessable(`At most ${MAX_LINKS} ${what}s can be chosen`)
  return ids
}
