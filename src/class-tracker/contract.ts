import * as z from 'zod/mini'
import { ContactKind } from '../lib/contract.ts'
import { Form, Pagination } from '../web/contract.ts'

const Id = z.number()
const Moment = z.string()

export const School = z.object({ id: Id, name: z.string() })
export const Term = z.object({ id: Id, full_term_name: z.string() })
export const Subject = z.object({ id: Id, name: z.string() })
export const Course = z.object({ id: Id, code: z.string(), level: z.string(), title: z.string(), subject: z.string() })
export const SectionStatus = z.enum(['open', 'waitlisted', 'closed', 'unknown'])
export const InstructionEntry = z.object({ name: z.string(), days_times: z.string() })

/** A detail of a section besides its course, instructors and seats: "Campus", "Main". */
export const SectionDetail = z.object({ label: z.string(), text: z.string() })
export type SectionDetail = z.infer<typeof SectionDetail>
/** `number` is the school's own id (CRN, class number), `section` its section code. Unknown figures are null, never 0. */
export const CourseSection = z.object({
  id: Id,
  number: z.string(),
  /** What the school's system calls the number: "CRN", "Class #". */
  number_label: z.string(),
  section: z.string(),
  topic: z.string(),
  status: SectionStatus,
  seats_available: z.nullable(z.number()),
  capacity: z.nullable(z.number()),
  waitlist_available: z.nullable(z.number()),
  /** The last read in which the section's own status was believed; null before the first. */
  observed_at: z.nullable(Moment),
  term: Term,
  course: Course,
  instruction_list: z.array(InstructionEntry),
  /**
   * In the order they are shown; absent where the school says none, and in lists of watched sections, to keep them
   * short.
   */
  details: z.optional(z.array(SectionDetail)),
})
export type School = z.infer<typeof School>
export type Term = z.infer<typeof Term>
export type Subject = z.infer<typeof Subject>
export type Course = z.infer<typeof Course>
export type SectionStatus = z.infer<typeof SectionStatus>
export type InstructionEntry = z.infer<typeof InstructionEntry>
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

/** A watched section also carries its school and its last week. */
export const WatchedSection = z.extend(CourseSection, {
  school: School,
  link: z.nullable(z.string()),
  history: z.array(SeatChange),
})
export type WatchedSection = z.infer<typeof WatchedSection>

export const Contact = z.object({
  id: Id,
  kind: ContactKind,
  number: z.string(),
  is_enabled: z.boolean(),
  verified: z.boolean(),
  opted_out: z.boolean(),
  /** Why nothing arrives there any more; null while messages can. */
  undeliverable: z.nullable(z.string()),
})
export type Contact = z.infer<typeof Contact>

/** `phone_numbers` holds every contact, whatever its kind; its count is shown as contacts. */
export const Recipient = z.object({
  id: Id,
  name: z.string(),
  description: z.string(),
  is_contact_by_phone: z.boolean(),
  /** Absent unless they paused their messages. */
  paused_until: z.optional(Moment),
  phone_numbers: z.array(Contact),
  /** Open ones first; in lists and after saving, only the first 8. */
  watched_sections: z.array(WatchedSection),
  watched_count: z.number(),
})
export type Recipient = z.infer<typeof Recipient>
/** A recipient on a page: each section is given in full where it comes first, and by its id after that. */
export const ListedRecipient = z.extend(Recipient, {
  watched_sections: z.array(z.union([WatchedSection, z.strictObject({ id: Id })])),
})
export type ListedRecipient = z.infer<typeof ListedRecipient>

export const GetSchools = z.object({ schools: z.array(School) })
export const GetSubjects = z.object({ subjects: z.array(Subject) })
export const GetCourseSections = z.object({ sections: z.array(CourseSection) })
export const GetWatchedSections = z.object({ watched_sections: z.array(WatchedSection) })
export const GetSeatHistory = z.object({ history: z.array(SeatChange), details: z.array(SectionDetail) })
export const AddWatchedSection = z.object({
  added_section: WatchedSection,
  /** What staff should know at once, e.g. that the recipient cannot be reached. */
  warnings: z.array(z.string()),
})
export const Done = z.object({ is_success: z.boolean(), message: z.string() })
export const GetRecipientForm = z.object({
  recipient_form: Form,
  contact_info_forms: z.array(z.extend(Form, { contact_id: Id })),
  new_contact_info_form: Form,
})
export const AddRecipient = z.object({
  recipient: z.nullable(Recipient),
  recipient_form: z.nullable(Form),
  contact_info_forms: z.array(z.extend(Form, { contact_id: Id })),
  new_contact_info_form: z.nullable(Form),
})
export type GetSchools = z.infer<typeof GetSchools>
export type GetSubjects = z.infer<typeof GetSubjects>
export type GetCourseSections = z.infer<typeof GetCourseSections>
export type GetWatchedSections = z.infer<typeof GetWatchedSections>
export type GetSeatHistory = z.infer<typeof GetSeatHistory>
export type AddWatchedSection = z.infer<typeof AddWatchedSection>
export type Done = z.infer<typeof Done>
export type GetRecipientForm = z.infer<typeof GetRecipientForm>
export type AddRecipient = z.infer<typeof AddRecipient>

/** A job as a page follows it; `url` answers the same as JSON. */
const JobProgress = z.object({ done: z.number(), total: z.number(), label: z.string() })
export const JobHandle = z.object({ id: z.string(), url: z.string(), status: z.string(), progress: JobProgress })
export const JobAnswer = z.object({
  id: z.string(),
  name: z.string(),
  queue: z.string(),
  status: z.string(),
  progress: JobProgress,
  result: z.unknown(),
  error: z.nullable(z.string()),
})
export type JobHandle = z.infer<typeof JobHandle>
export type JobAnswer = z.infer<typeof JobAnswer>

const AvailableTerm = z.object({ id: Id, name: z.string(), year: z.number(), full_term_name: z.string() })
/** What a partly successful refresh could not read, and why: one sentence each. */
const Failures = z.array(z.string())
/**
 * The keys of a refresh's answer are also the keys of its job's result. `failures` names the sources whose answers were
 * not believed.
 */
export const RefreshedTerms = z.object({
  available_schools: z.array(School),
  available_terms: z.array(AvailableTerm),
  new_terms_count: z.number(),
  failures: Failures,
})
/** `failures` names the schools whose answers were not believed. */
export const RefreshedSubjects = z.object({ available_subjects: z.array(Subject), failures: Failures })
const RefreshedCourse = z.object({
  id: Id,
  code: z.string(),
  level: z.string(),
  title: z.string(),
  sections: z.array(z.object({ number: z.string() })),
})
/**
 * `courses` is cut at 500; `courses_count` is the whole. `failures` names the groups whose answers were not believed;
 * `warnings` says what answers left out.
 */
export const RefreshedSections = z.object({
  courses: z.array(RefreshedCourse),
  courses_count: z.number(),
  failures: Failures,
  warnings: z.array(z.string()),
})
export type RefreshedTerms = z.infer<typeof RefreshedTerms>
export type RefreshedSubjects = z.infer<typeof RefreshedSubjects>
export type RefreshedSections = z.infer<typeof RefreshedSections>

/**
 * waiting: an SMS that goes out unless a push is seen; held: quiet hours; gone: the seat was gone before it was sent;
 * expired: too old to send; not_needed: the recipient saw another of the same alert's messages.
 */
export const DeliveryState = z.enum([
  'waiting',
  'held',
  'queued',
  'sending',
  'unconfirmed',
  'sent',
  'delivered',
  'opened',
  'failed',
  'gone',
  'expired',
  'not_needed',
  'canceled',
])
/** How a message was first seen: by its device's receipt, or by a button of its page. */
export const SeenBy = z.enum(['shown', 'opened', 'got_it', 'passed', 'copied', 'stopped'])
export type SeenBy = z.infer<typeof SeenBy>
export const Delivery = z.object({
  id: Id,
  channel: ContactKind,
  /** Masked: enough to recognize, not enough to use. */
  address: z.string(),
  state: DeliveryState,
  attempts: z.number(),
  is_repeated: z.boolean(),
  last_error: z.nullable(z.string()),
  created_at: Moment,
  accepted_at: z.nullable(Moment),
  delivered_at: z.nullable(Moment),
  /** When a person certainly saw it; `seen_by` is null where an earlier version recorded it. */
  seen_at: z.nullable(Moment),
  seen_by: z.nullable(SeenBy),
})
export type DeliveryState = z.infer<typeof DeliveryState>
export type Delivery = z.infer<typeof Delivery>
export const ClassAlert = z.object({
  id: Id,
  recipient: z.object({ id: Id, name: z.string() }),
  course_section: z.extend(CourseSection, { school: School }),
  datetime_created: Moment,
  kind: z.enum(['opening', 'reminder']),
  /** sent: at least one delivery was accepted; no_contact is shown as 'not sent: no contact'. */
  state: z.enum(['pending', 'held', 'sent', 'failed', 'gone', 'expired', 'canceled', 'no_contact']),
  release_at: z.nullable(Moment),
  /** With fair turns: the wave it belongs to, 0 for the first. */
  wave: z.number(),
  last_closed_at: z.nullable(Moment),
  seen_open_at: Moment,
  /** The first acceptance by a provider. */
  accepted_at: z.nullable(Moment),
  deliveries: z.array(Delivery),
})
export type ClassAlert = z.infer<typeof ClassAlert>

/** The page of one message's link, for anyone who has it. `now` is what is believed about the section at this moment. */
export const AlertLinkProps = z.object({
  alerts: z.array(
    z.object({
      course_section: z.extend(CourseSection, { school: School }),
      kind: z.enum(['opening', 'reminder']),
      opened_at: Moment,
      now: z.object({
        status: SectionStatus,
        seats_available: z.nullable(z.number()),
        observed_at: z.nullable(Moment),
      }),
      register_url: z.nullable(z.string()),
    }),
  ),
  can_push: z.boolean(),
})
export type AlertLinkProps = z.infer<typeof AlertLinkProps>

/** A queue that is paused: what depends on it does not happen until it is resumed. */
export const PausedQueue = z.object({
  queue: z.string(),
  /** Null where it is not known. */
  since: z.nullable(Moment),
  by: z.nullable(z.string()),
  /** What stops meanwhile and what that means for people, in words for staff. */
  stops: z.string(),
  until: z.string(),
})
/** A source with watched sections that were not observed for longer than three of its intervals. */
export const UnreadSource = z.object({ id: Id, name: z.string(), sections: z.number(), since: Moment })
export type PausedQueue = z.infer<typeof PausedQueue>
export type UnreadSource = z.infer<typeof UnreadSource>
/** What staff should know about a source, until somebody dismisses it. */
export const SourceNotice = z.object({ id: Id, body: z.string(), created_at: Moment })
export type SourceNotice = z.infer<typeof SourceNotice>
/** What stops the tracker from working. A key is present only when there is something to say. */
const problems = { paused_queues: z.optional(z.array(PausedQueue)), unread_sources: z.optional(z.array(UnreadSource)) }

export const SourceHealth = z.object({
  id: Id,
  name: z.string(),
  kind: z.string(),
  /** The kind's label: "Ellucian Banner 9". */
  system: z.string(),
  last_refreshed: z.nullable(Moment),
  by: z.nullable(z.string()),
  next_due: z.nullable(Moment),
  /** never: nothing was read yet. partial: it answers, but some watched sections are not observed. */
  health: z.enum(['never', 'healthy', 'partial', 'failing', 'paused', 'disabled']),
  last_error: z.nullable(z.string()),
  /** Watched sections that were not observed for longer than three intervals (1000 at most), and since when. */
  unread_sections: z.number(),
  unread_since: z.nullable(Moment),
  /** Seconds; the freshness that is promised, see CONTRIBUTING.md. Null while nothing is watched. */
  effective_interval: z.nullable(z.number()),
  poll_seconds: z.number(),
})
export type SourceHealth = z.infer<typeof SourceHealth>

export const AddClassesProps = z.object({
  recipients: z.array(ListedRecipient),
  /**
   * Totals: all recipients; the sections watched for those on this page, each counted once. Absent when there are none.
   */
  totals: z.optional(
    z.object({
      recipients: z.number(),
      sections: z.number(),
      open: z.number(),
      /** The newest read of any of those sections. */
      observed_at: z.nullable(Moment),
    }),
  ),
  /** The search; absent without one. */
  q: z.optional(z.string()),
  pagination: Pagination,
  terms: z.array(Term),
  schools: z.array(School),
  ...problems,
})
/** How long the messages of one channel took, from the poll that saw the seat. Times are ms, null without any. */
export const SentTimes = z.object({
  channel: z.string(),
  /**
   * accepted: the provider took it. delivered: its receipt says that it arrived. seen: a person saw it, and the device
   * or they said so.
   */
  step: z.enum(['accepted', 'delivered', 'seen']),
  /** About openings just seen, in 24 hours, of the newest 5000. */
  messages: z.number(),
  /** Those among them that came to this step. */
  measured: z.number(),
  p50: z.nullable(z.number()),
  p95: z.nullable(z.number()),
  /** The most messages written together: how long the last of them took, as far as they came to this step. */
  largest_group: z.object({ messages: z.number(), measured: z.number(), last: z.nullable(z.number()) }),
})
export type SentTimes = z.infer<typeof SentTimes>
/** What one channel sent this month (UTC), and what that costs at list prices, US dollars. */
export const MonthCost = z.object({
  channel: z.string(),
  messages: z.number(),
  /** Of SMS; null elsewhere. */
  segments: z.nullable(z.number()),
  usd: z.number(),
})
export type MonthCost = z.infer<typeof MonthCost>
/** What all messages took and cost. `sent_times` are as old as `updated_at` says, the costs are of now. */
export const MessageFigures = z.object({
  sent_times: z.array(SentTimes),
  month: z.array(MonthCost),
  updated_at: Moment,
})
export type MessageFigures = z.infer<typeof MessageFigures>
export const ClassAlertsProps = z.object({
  class_alerts: z.array(ClassAlert),
  recipients: z.array(z.object({ id: Id, name: z.string() })),
  selected_recipient_id: z.nullable(Id),
  q: z.string(),
  /** Only alerts of which a message failed. */
  result: z.optional(z.literal('failed')),
  /** How many alerts there are on all pages. */
  total: z.optional(z.number()),
  pagination: Pagination,
  /** Absent while nothing was sent: no message in 24 hours, none this month. */
  message_figures: z.optional(MessageFigures),
  ...problems,
})
export const ManageCourseListProps = z.object({
  schools: z.array(School),
  terms: z.array(Term),
  sources: z.array(SourceHealth),
  paused_queues: z.optional(z.array(PausedQueue)),
  source_notices: z.optional(z.array(SourceNotice)),
})
export type AddClassesProps = z.infer<typeof AddClassesProps>
export type ClassAlertsProps = z.infer<typeof ClassAlertsProps>
export type ManageCourseListProps = z.infer<typeof ManageCourseListProps>

/** A school of the directory, in a list. */
const ListedSchoolSummary = z.object({
  id: z.string(),
  name: z.string(),
  /** Two letters. */
  state: z.string(),
  country: z.string(),
  system: z.string(),
  /** Why it cannot be added yet; null when it can. */
  why_not_read: z.nullable(z.string()),
  /** The source that reads it; null until it is added. */
  source: z.nullable(z.object({ id: Id, name: z.string() })),
})
/** What is known about it. */
const ListedSchoolFacts = z.extend(ListedSchoolSummary, {
  url: z.string(),
  time_zone: z.string(),
  /** Its code where one address serves several schools; '' where the address is one school. */
  school_code: z.string(),
  /** The system's name, when adding this school also adds others. */
  shared_name: z.nullable(z.string()),
  /** The code of a term that it offered when it was listed. */
  last_term: z.nullable(z.string()),
  notes: z.array(z.string()),
  /** The day it was listed or last corrected. */
  as_of: z.string(),
  /** The school's own class search. */
  search_url: z.string(),
})
/** What the school answered just now. */
const ListedSchoolCheck = z.object({
  /** Why the check stopped; null when everything was understood. */
  why: z.nullable(z.string()),
  warnings: z.array(z.string()),
  requests: z.number(),
  terms_count: z.number(),
  term_name: z.nullable(z.string()),
  subjects_count: z.number(),
  subject_name: z.nullable(z.string()),
  sections_count: z.number(),
  /** The first three. */
  sections: z.array(
    z.object({
      number: z.string(),
      course: z.string(),
      title: z.string(),
      section: z.string(),
      status: SectionStatus,
      seats_available: z.nullable(z.number()),
      capacity: z.nullable(z.number()),
    }),
  ),
})
/** What answered at a typed address; `why`: why nothing did. */
export const AskedAddress = z.object({
  typed: z.string(),
  kind: z.nullable(z.string()),
  /** The system's name. */
  system: z.nullable(z.string()),
  /** The address in the system's own form. */
  url: z.nullable(z.string()),
  terms_count: z.number(),
  why: z.nullable(z.string()),
})
export type AskedAddress = z.infer<typeof AskedAddress>
export const AddSchoolProps = z.object({
  q: z.string(),
  /** The first 50 found. */
  schools: z.array(ListedSchoolSummary),
  found_count: z.number(),
  listed_count: z.number(),
  readable_count: z.number(),
  /** Null before an address was asked. */
  asked: z.nullable(AskedAddress),
})
export const ListedSchoolProps = z.object({ school: ListedSchoolFacts, check: z.nullable(ListedSchoolCheck) })
export type ListedSchoolSummary = z.infer<typeof ListedSchoolSummary>
export type ListedSchoolFacts = z.infer<typeof ListedSchoolFacts>
export type ListedSchoolCheck = z.infer<typeof ListedSchoolCheck>
export type AddSchoolProps = z.infer<typeof AddSchoolProps>
export type ListedSchoolProps = z.infer<typeof ListedSchoolProps>

/** The address of a recipient's own page. */
export const RecipientLink = z.object({ url: z.string() })
export type RecipientLink = z.infer<typeof RecipientLink>

/** A contact as its own recipient sees it: a device by its name, everything else masked. */
export const OwnContact = z.object({
  id: Id,
  kind: ContactKind,
  address: z.string(),
  is_enabled: z.boolean(),
  opted_out: z.boolean(),
})
/** Quiet hours as clocks show them: "22:00". */
const QuietHours = z.object({ from: z.string(), until: z.string(), time_zone: z.string() })
export const OwnPageProps = z.object({
  name: z.string(),
  sections: z.array(z.omit(WatchedSection, { history: true })),
  contacts: z.array(OwnContact),
  quiet_hours: z.nullable(QuietHours),
  /** In quiet hours notifications come without sound; else they are held like everything. */
  is_push_silent: z.boolean(),
  is_reminded: z.boolean(),
  /** Texts are sent together with push, not only when no push was seen. */
  is_sms_at_once: z.boolean(),
  paused_until: z.nullable(Moment),
  /** Whether people are notified in turns when more wait than seats open. */
  is_fair: z.boolean(),
  /** The key browsers subscribe with; null where push is not set up. */
  push_key: z.nullable(z.string()),
})
export type OwnContact = z.infer<typeof OwnContact>
export type OwnPageProps = z.infer<typeof OwnPageProps>
