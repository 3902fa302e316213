import * as z from 'zod/mini'
import { Id, Moment } from '../../web/contract.ts'

export const School = z.object({
  id: Id,
  name: z.string(),
  /** Present only in the answer of `get_schools`, if the school is not checked because its source is turned off. */
  is_off: z.optional(z.literal(true)),
})
export type School = z.infer<typeof School>

export const Term = z.object({ id: Id, full_term_name: z.string() })
export type Term = z.infer<typeof Term>

export const Subject = z.object({ id: Id, name: z.string() })
export type Subject = z.infer<typeof Subject>

export const Course = z.object({ id: Id, code: z.string(), level: z.string(), title: z.string(), subject: z.string() })
export type Course = z.infer<typeof Course>

export const SectionStatus = z.enum(['open', 'waitlisted', 'closed', 'unknown'])
export type SectionStatus = z.infer<typeof SectionStatus>

export const InstructionEntry = z.object({ name: z.string(), days_times: z.string() })
export type InstructionEntry = z.infer<typeof InstructionEntry>

/** A detail of a section besides its course, instructors and seats: "Campus", "Main". */
export const SectionDetail = z.object({ label: z.string(), text: z.string() })
export type SectionDetail = z.infer<typeof SectionDetail>

/** `number`: the school's own id (CRN); `section`: its section code. Unknown figures are null, never 0. */
export const CourseSection = z.object({
  id: Id,
  number: z.string(),
  /** What the school's system calls the number: "CRN", "Class #". */
  number_label: z.string(),
  section: z.string(),
  topic: z.string(),
  status: SectionStatus,
  seats_available: z.nullable(z.number()),
  /** Present if anyone may take only so many of them: the others are reserved, or shared with other sections. */
  seats_for_anyone: z.optional(z.number()),
  capacity: z.nullable(z.number()),
  waitlist_available: z.nullable(z.number()),
  /** The last read in which the section's own status was believed; null before the first. */
  observed_at: z.nullable(Moment),
  term: Term,
  course: Course,
  instruction_list: z.array(InstructionEntry),
  /** In display order; absent if the school gives none, and in lists of watched sections, to keep them short. */
  details: z.optional(z.array(SectionDetail)),
})
export type CourseSection = z.infer<typeof CourseSection>

/** One believed change, for the spark line and the chart: oldest first. */
export const SeatChange = z.object({
  at: Moment,
  status: SectionStatus,
  seats_available: z.nullable(z.number()),
  capacity: z.nullable(z.number()),
  waitlist_available: z.nullable(z.number()),
})
export type SeatChange = z.infer<typeof SeatChange>

export const GetSchools = z.object({ schools: z.array(School) })
export type GetSchools = z.infer<typeof GetSchools>

export const GetSubjects = z.object({ subjects: z.array(Subject) })
export type GetSubjects = z.infer<typeof GetSubjects>

export const GetCourseSections = z.object({ sections: z.array(CourseSection) })
export type GetCourseSections = z.infer<typeof GetCourseSections>

export const GetSeatHistory = z.object({ history: z.array(SeatChange), details: z.array(SectionDetail) })
export type GetSeatHistory = z.infer<typeof GetSeatHistory>

/** A paused queue: what depends on it does not happen until it is resumed. */
export const PausedQueue = z.object({
  queue: z.string(),
  /** Null if it is not known. */
  since: z.nullable(Moment),
  by: z.nullable(z.string()),
  /** What stops while it is paused, and what that means for people, as text for staff. */
  stops: z.string(),
  until: z.string(),
})
export type PausedQueue = z.infer<typeof PausedQueue>

/** A source with watched sections that were not observed for three of its intervals, at least two minutes. */
export const UnreadSource = z.object({ id: Id, name: z.string(), sections: z.number(), since: Moment })
export type UnreadSource = z.infer<typeof UnreadSource>

/** What staff should know about a source, until someone dismisses it. */
export const SourceNotice = z.object({ id: Id, body: z.string(), created_at: Moment })
export type SourceNotice = z.infer<typeof SourceNotice>

/** Problems that stop the tracker from working. A key is present only if there is a problem of its kind. */
export const problemFields = {
  paused_queues: z.optional(z.array(PausedQueue)),
  unread_sources: z.optional(z.array(UnreadSource)),
}

export const SourceHealth = z.object({
  id: Id,
  name: z.string(),
  kind: z.string(),
  /** The kind's label: "Ellucian Banner 9". */
  system: z.string(),
  last_refreshed: z.nullable(Moment),
  by: z.nullable(z.string()),
  next_due: z.nullable(Moment),
  /** never: nothing was read yet. partial: the source answers, but some watched sections are not observed. */
  health: z.enum(['never', 'healthy', 'partial', 'failing', 'paused', 'disabled']),
  last_error: z.nullable(z.string()),
  /** Polls in a row that failed, when it last answered, and until when it is left alone. */
  failures: z.number(),
  last_good_at: z.nullable(Moment),
  next_try_at: z.nullable(Moment),
  /** Active watches of its sections, and the newest read of any group that holds them. */
  watches: z.number(),
  checked_at: z.nullable(Moment),
  /** Watched sections that were not observed for three intervals, at least two minutes (1000 at most), and since when. */
  unread_sections: z.number(),
  unread_since: z.nullable(Moment),
  /** The promised freshness in seconds, see CONTRIBUTING.md. Null while nothing is watched. */
  effective_interval: z.nullable(z.number()),
  poll_seconds: z.number(),
})
export type SourceHealth = z.infer<typeof SourceHealth>

export const ManageCourseListProps = z.object({
  schools: z.array(School),
  terms: z.array(Term),
  sources: z.array(SourceHealth),
  paused_queues: z.optional(z.array(PausedQueue)),
  source_notices: z.optional(z.array(SourceNotice)),
})
export type ManageCourseListProps = z.infer<typeof ManageCourseListProps>
