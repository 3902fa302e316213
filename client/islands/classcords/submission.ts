import type {
  Course,
  ExistingServer,
  Instructor,
  PrivacyLevel,
  School,
  Subject,
  Submission,
} from '../../../src/classcords/contract.ts'
import { MAX_LINKS, MAX_NOTES_LENGTH } from '../../../src/classcords/invites/contract.ts'
import { formData } from './calls.ts'

const WARN_ABOVE = 0.9

export interface Draft {
  inviteUrl: string
  notes: string
  school: School | null
  subject: Subject | null
  courses: readonly Course[]
  instructors: readonly Instructor[]
  privacy: PrivacyLevel
  /** The pending invite that is being edited. */
  replaces?: number
}

export function newDraft(inviteUrl = '', notes = ''): Draft {
  return { inviteUrl, notes, school: null, subject: null, courses: [], instructors: [], privacy: 'public' }
}

/** The draft after a change. Another school clears the subject, and both clear courses and instructors. */
export function draftWith(draft: Draft, change: Partial<Draft>): Draft {
  const isOtherSchool = change.school !== undefined && change.school?.id !== draft.school?.id
  const isOtherSubject = change.subject !== undefined && change.subject?.id !== draft.subject?.id
  return {
    ...draft,
    ...(isOtherSchool && { subject: null }),
    ...((isOtherSchool || isOtherSubject) && { courses: [], instructors: [] }),
    ...change,
  }
}

/** The link to send, with the "https://" that people leave out. */
export function inviteLink(typed: string): string {
  const text = typed.trim()
  return /^(?:[a-z]+\.)*discord(?:app)?\.(?:gg|com)\//i.test(text) ? `https://${text}` : text
}

/** What is wrong with a link's syntax; '' if nothing is or it is blank. */
export function linkError(typed: string): string {
  const link = inviteLink(typed)
  if (link === '' || (/^https?:\/\/\S+$/i.test(link) && URL.canParse(link))) return ''
  return 'Enter a URL, such as https://discord.gg/abc123.'
}

/** The counter under the notes, "12 / 255", with a warning above 90 percent. */
export function notesState(notes: string) {
  // Counted as on the server: in composed code points, with a line break as one character.
  const count = Array.from(notes.trim().replace(/\r\n?/g, '\n').normalize('NFC')).length
  return {
    text: `${count} / ${MAX_NOTES_LENGTH}`,
    isWarning: count > MAX_NOTES_LENGTH * WARN_ABOVE,
    isTooLong: count > MAX_NOTES_LENGTH,
  }
}

interface Guild {
  id: string
  name: string
}

export function draftOf(submission: Submission): Draft {
  const { id, invite_url, notes_md, school, subject, courses, instructors, discord_server } = submission
  const privacy = discord_server.privacy_level_info.value
  return { inviteUrl: invite_url, notes: notes_md, school, subject, courses, instructors, privacy, replaces: id }
}

const idsOf = (items: readonly { id: number }[]): string[] => items.map(({ id }) => String(id))

/** What a submission sends. The draft must have a school. @param changesPrivacy the submitter saw that it does */
export function submissionForm(draft: Draft, guild: Guild, changesPrivacy: boolean): FormData {
  const { inviteUrl, notes, school, subject, courses, instructors, privacy, replaces } = draft
  return formData({
    invite_url: inviteLink(inviteUrl),
    notes,
    guild_name: guild.name,
    guild_id: guild.id,
    school_id: idsOf(school ? [school] : []),
    privacy_level: privacy,
    changes_privacy: changesPrivacy ? '1' : '0',
    subject_id: idsOf(subject ? [subject] : []),
    course_id: idsOf(courses),
    instructor_ids: idsOf(instructors),
    ...(replaces !== undefined && { replaces: String(replaces) }),
  })
}

/**
 * Another invite to a known server: its school is one of the server's that the submitter may use, else its first. What
 * one submission has no room for stays with the server anyway.
 */
export function knownServerForm(
  draft: Draft,
  guild: Guild,
  { schools, subjects, courses, instructors, privacy_level_info: { value: privacy } }: ExistingServer,
  openSchools: readonly School[],
): FormData {
  const school = schools.find(({ id }) => openSchools.some((open) => open.id === id)) ?? schools[0] ?? null
  const [subject = null] = subjects
  // Without a subject there can be neither.
  const [stored, teachers] = subject === null ? [[], []] : [courses, instructors]
  const links = { courses: stored.slice(0, MAX_LINKS), instructors: teachers.slice(0, MAX_LINKS) }
  return submissionForm({ ...draft, school, subject, ...links, privacy }, guild, false)
}
