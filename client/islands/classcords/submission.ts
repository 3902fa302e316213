import type {
  Course,
  ExistingServer,
  Instructor,
  PrivacyLevel,
  School,
  Subject,
  Submission,
} from '../../../src/classcords/contract.ts'
import { formOf } from './calls.ts'

const MAX_NOTES_LENGTH = 255
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

export type DraftChange =
  | { field: 'inviteUrl' | 'notes'; to: string }
  | { field: 'school'; to: School | null }
  | { field: 'subject'; to: Subject | null }
  | { field: 'courses'; to: readonly Course[] }
  | { field: 'instructors'; to: readonly Instructor[] }
  | { field: 'privacy'; to: PrivacyLevel }
  | { field: 'all'; to: Draft }

export function newDraft(inviteUrl = '', notes = ''): Draft {
  return { inviteUrl, notes, school: null, subject: null, courses: [], instructors: [], privacy: 'public' }
}

const nothingBelow = { courses: [], instructors: [] }

/** The draft after a change. Another school clears the subject, and both clear courses and instructors. */
export function draftWith(draft: Draft, change: DraftChange): Draft {
  if (change.field === 'all') return change.to
  const changed = { ...draft, [change.field]: change.to }
  if (change.field === 'school' && change.to?.id !== draft.school?.id) {
    return { ...changed, subject: null, ...nothingBelow }
  }
  if (change.field === 'subject' && change.to?.id !== draft.subject?.id) return { ...changed, ...nothingBelow }
  return changed
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
  // Counted as on the server: in code points, with a line break as one character.
  const count = Array.from(notes.trim().replace(/\r\n?/g, '\n')).length
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

type Classes = Pick<Draft, 'school' | 'courses' | 'instructors' | 'privacy'> & { subjects: readonly Subject[] }

const idsOf = (items: readonly { id: number }[]): string[] => items.map(({ id }) => String(id))

function formFor({ inviteUrl, notes, replaces }: Draft, guild: Guild, classes: Classes): FormData {
  return formOf({
    invite_url: inviteLink(inviteUrl),
    notes,
    guild_name: guild.name,
    guild_id: guild.id,
    school_id: idsOf(classes.school ? [classes.school] : []),
    privacy_level: classes.privacy,
    subject_id: idsOf(classes.subjects.slice(0, 1)),
    course_id: idsOf(classes.courses),
    instructor_ids: idsOf(classes.instructors),
    ...(replaces !== undefined && { replaces: String(replaces) }),
  })
}

/** The form for a new server's first invite. The draft must have a school. */
export function newServerForm(draft: Draft, guild: Guild): FormData {
  return formFor(draft, guild, { ...draft, subjects: draft.subject ? [draft.subject] : [] })
}

/** Another invite to a listed server: its school is one of the server's that the submitter may use, else its first. */
export function listedServerForm(
  draft: Draft,
  guild: Guild,
  server: ExistingServer,
  openSchools: readonly School[],
): FormData {
  const { schools, privacy_level_info: privacy } = server
  const school = schools.find(({ id }) => openSchools.some((open) => open.id === id)) ?? schools[0] ?? null
  return formFor(draft, guild, { ...server, school, privacy: privacy.value })
}
