/*
 * The contract of every school system, regardless of its protocol.
 *
 * A source never throws because of what the school does: a timeout, an error page, an expired session or an answer that
 * merely looks like success becomes `{ known: false }`. Only a spent budget and a caller's abort are thrown.
 */

export type Status = 'open' | 'waitlisted' | 'closed' | 'unknown'
export type Season = 'spring' | 'summer' | 'fall' | 'winter'

/** Why an answer is not believed. `why` in {@link Answer} says the same to a person, with the evidence. */
export type UnknownReason =
  | 'timeout'
  | 'unreachable'
  | 'http_error'
  | 'limited'
  | 'not_the_protocol'
  | 'incomplete'
  | 'too_large'
  | 'session_lost'
  | 'wrong_scope'

/**
 * A believed value, or an honest *unknown*. Unknown never closes, opens or deletes anything. `warnings` are oddities
 * that did not make it unbelievable (a figure that was not a number, a label that could not be read).
 */
export type Answer<Value> =
  | { known: true; value: Value; warnings: string[] }
  | { known: false; reason: UnknownReason; why: string; retry_after_seconds: number | null }

/**
 * One person teaching at certain times, as the school prints it: `{ name: "Ada Lovelace", days_times: "MoWe 9:05AM -
 * 10:20AM" }`.
 */
export interface Instruction {
  name: string
  days_times: string
}

/**
 * Seats of one section, judged. A figure that is not known is null, never 0; `seats_available` may be negative
 * (over-enrolled).
 */
export interface Seats {
  section_key: string
  status: Status
  seats_available: number | null
  /** Of these, those that anyone may take, if they are fewer: the others are reserved, or shared with other sections. */
  seats_for_anyone: number | null
  capacity: number | null
  waitlist_available: number | null
  /** See {@link Observation.has_figures}. */
  has_figures?: false
  /** See {@link Observation.session_code}. */
  session_code?: string
}

/** A section's seats as the school gave them. Null: not given. Whole numbers only. */
export interface Figures {
  capacity: number | null
  enrolled: number | null
  /** Negative where more are enrolled than there are seats. */
  available: number | null
  /**
   * The number of people on the waitlist. If all three figures of the list are null, the school keeps none, or its
   * protocol does not say.
   */
  waitlist_total: number | null
  waitlist_capacity: number | null
  /** The number of places left on the list. */
  waitlist_available: number | null
  /** The seats that a section shares with others (a cross list); all three are null if it shares none. */
  shared_capacity: number | null
  shared_total: number | null
  shared_available: number | null
  /** Free seats that are not reserved; null if none are reserved. */
  unreserved_available: number | null
}

/**
 * What a school says about a section in addition to its figures. `canceled`: it is not held. `permission`: a place
 * needs someone's consent. `held`: free seats are kept for certain students. `combined`: it shares its room with other
 * sections. `linked`: it is taken together with another, such as a lecture with its laboratory.
 */
export type SectionFlag = 'canceled' | 'permission' | 'held' | 'combined' | 'linked'

/** What a school said about one section's seats. {@link judge} derives a status from it. */
export interface Observation {
  section_key: string
  /** Absent if the protocol has none of them. */
  flags?: readonly SectionFlag[]
  /** The school's own status if its protocol has one that can be trusted (CUNY); null if it has none (Banner). */
  stated: Status | null
  figures: Figures
  /**
   * False if this call never returns figures although another call of the protocol does (a list of status letters
   * beside a call with numbers). Absent: null in `figures` means that the school gives none.
   */
  has_figures?: false
  /** The code of the part of the term, if links or searches need one: "7W2". */
  session_code?: string
  /** Why this row cannot be trusted, as sentences; any of them makes the status unknown. */
  doubts: readonly string[]
}

/**
 * A section as the school shows it, with entities decoded and spaces trimmed. Texts that the answer does not have are
 * ''.
 */
export interface SourceSection extends Observation {
  /**
   * The subject's code as printed beside the course, e.g. "CIS" (a group's subject *key* may differ: CUNY's "CMIS").
   */
  subject: string
  /** Course code, e.g. "CIS", and level, e.g. "2200H": together "CIS 2200H". */
  code: string
  level: string
  title: string
  /** The number that students register with: CRN, class number. At most schools the same as `section_key`. */
  number: string
  /** The section code, e.g. "001" or "BMWA". */
  section: string
  topic: string
  /** Null if the answer did not say who teaches or when. */
  instruction_list: Instruction[] | null
  instruction_mode: string
  /**
   * Its kind: "Lecture", "LAB". This and the following are '' or absent if the answer did not say; the stored value is
   * then kept.
   */
  component?: string
  /** The part of the term, as people read it: "Regular", "Seven Wk 2". */
  session?: string
  campus?: string
  /** Rooms, or "Online"; several are separated by commas. */
  place?: string
  /** First and last day of its classes, as 2026-08-28. */
  starts_on?: string
  ends_on?: string
  /** As shown: "3", "1 - 3". */
  credits?: string
}

export interface SourceTerm {
  /** The school system's own code, e.g. "1269" or "202610". */
  code: string
  year: number
  season: Season
  /** As the school prints it, decoded. */
  name: string
  /** False for terms that can only be viewed ("View Only"); they are not offered, but watches of them continue. */
  is_available: boolean
  /** The last day, as 2026-12-22, if the system says. */
  ends_on?: string
}

interface SourceSchool {
  code: string
  name: string
}

export interface SourceSubject {
  /** The code that searches take, e.g. "CMIS". */
  key: string
  name: string
}

export interface TermsAndSchools {
  terms: SourceTerm[]
  /** Empty if a source is a single school, which then has the source's name. */
  schools: SourceSchool[]
}

export interface SubjectsAndCareers {
  subjects: SourceSubject[]
  /** Careers that must be searched separately (CUNY: UGRD, GRAD …). `['']` if the protocol has none. */
  careers: string[]
}

/** The smallest unit that a school returns in one search. `school` and `career` are '' if a protocol has none. */
export interface Group {
  school: string
  /** The school's label, if the protocol must send it back (CUNY: "Queens College"); '' otherwise. */
  school_name: string
  term: string
  /** The term's label, as {@link SourceTerm.name}. */
  term_name: string
  /** The subject's key. */
  subject: string
  subject_name: string
  career: string
}

/** A term of a school. */
export type TermScope = Omit<Group, 'subject' | 'subject_name' | 'career'>

export interface GroupSections {
  sections: SourceSection[]
  /** Why the school kept back sections that it has, as a sentence; absent if these are all. */
  whyIncomplete?: string
  /** For a page of a whole term: where the next page begins, for {@link Lane.wholeTerm}; null for the last page. */
  next?: string | null
  /** The term's last day, as 2026-12-22, if rows have it and the list of terms does not. */
  term_ends_on?: string
  /**
   * When it was requested (ms since epoch, by {@link Tools.now}), if that was before the call: pages cut from one
   * answer, or an answer that serves several groups. Absent: it was requested by the call.
   */
  asked_at?: number
}

/** Watched sections of one group: their keys, and what helps to request them at the lowest cost. */
export interface WatchedGroup {
  group: Group
  watched: {
    section_key: string
    level: string
    /** Since when the school no longer lists it, ms since epoch; null or absent: it was listed at the last read. */
    missing_since?: number | null
  }[]
}

/**
 * The answer for the group at `index` of the request. A watched key that is absent from a believed answer is unknown.
 */
export interface GroupSeats {
  index: number
  /**
   * When it was requested (ms since epoch, by {@link Tools.now}): before the first request that the answer depends on.
   */
  asked_at: number
  answer: Answer<{ seen: Observation[] }>
}

/**
 * Called before every request. Resolves when the request may go out; rejects with {@link BudgetSpent} if the wait would
 * exceed the caller's deadline. The budget belongs to the source and is shared by every job that reads it.
 */
type Budget = () => Promise<void>

/** Thrown by a {@link Budget}: the caller stops and continues at `retry_at` (ms since epoch). */
export class BudgetSpent extends Error {
  readonly retry_at: number
  constructor(retryAt: number) {
    super('The request budget of this source is used up for now.')
    this.name = 'BudgetSpent'
    this.retry_at = retryAt
  }
}

/** What the caller provides: nothing here is global, so the same adapter runs in the Worker, in Node and in a test. */
export interface Tools {
  fetch: (input: string, init: RequestInit) => Promise<Response>
  budget: Budget
  /** ms since epoch */
  now: () => number
  /** The {@link Lane.memo} of an earlier conversation; null or absent for the first. */
  memo?: string | null
  /** Longest wait for one answer, body included, in ms. */
  timeout_ms: number
  /** When the conversation must end (ms since epoch); absent if no one waits for its end. */
  deadline?: number
  signal?: AbortSignal
}

/** A configured school system. `settings` are the operator's extras, e.g. `{ mepCode: 'CSU' }`. */
export interface SourceAddress {
  /** Without a trailing slash. */
  url: string
  settings: Readonly<Record<string, string>>
}

/**
 * One conversation with a school: its own cookie jar, one request at a time. Open one per job; it costs nothing until
 * used.
 */
export interface Lane {
  /** Every term and school that the system offers. */
  termsAndSchools(): Promise<Answer<TermsAndSchools>>
  /**
   * Subjects a school offers in a term. An unpublished term is known and empty only if the system says so explicitly.
   */
  subjects(scope: TermScope): Promise<Answer<SubjectsAndCareers>>
  /** Every section of a group, of every status, with no row lost or invented; otherwise unknown. */
  sections(group: Group): Promise<Answer<GroupSections>>
  /**
   * Every section of a whole term, a page at a time, if one search can return that; absent otherwise. A page that is
   * not believed ends the walk with an unknown; earlier pages stay believed. A walk that ends without an unknown has
   * returned every section exactly once. Some schools refuse a search of everything: their walk is immediately unknown,
   * and the term can still be read group by group. Rows of a page belong to the groups whose subject's key is the row's
   * `subject`. `from`: the `next` of an earlier page, to continue there.
   */
  wholeTerm?(scope: TermScope, from?: string | null): AsyncIterable<Answer<GroupSections>>
  /**
   * Seats of the watched sections, group by group as they arrive, with the fewest requests that the protocol allows
   * (`term_sizes`: known sections of a term by `school/term`, to choose between group searches and whole-term paging).
   * Every index is answered exactly once unless the budget is spent, which throws {@link BudgetSpent}. A group that is
   * cut off by that, by a school that asks us to wait, or by the caller's abort, is answered before it is thrown if some
   * of its sections were seen; the others are in doubt, and are the first to be requested the next time.
   */
  seats(groups: readonly WatchedGroup[], termSizes: ReadonlyMap<string, number>): AsyncIterable<GroupSeats>
  /**
   * One section by a cheap call that shows its figures: a second look. Use a separate lane, never the poll's, whose
   * session it would disturb. Some protocols return 0 in all figures of a section that does not exist, so compare the
   * capacity with the known one. `sessionCode`: from the list ({@link Observation.session_code}). Absent if a protocol
   * has no such call.
   */
  details?(group: Group, sectionKey: string, sessionCode?: string): Promise<Answer<Observation>>
  /**
   * What the next conversation gets as {@link Tools.memo}: a few words and numbers, such as the length of a list
   * that is not believed if it halves ({@link ListLengths}), or where a group was cut off ({@link PollNotes}). Read once,
   * after the last answer.
   */
  memo?(): string | null
}

/** A section as a link needs it. */
export interface SectionIdentity {
  /** See {@link Group.school} and {@link Group.school_name}. */
  school: string
  school_name?: string
  term: string
  section_key: string
  /** See {@link Observation.session_code}; '' or absent if it is unknown. */
  session_code?: string
}

/** A protocol. Pure, except for what {@link Tools} provides. */
export interface Source {
  kind: string
  /** The system's name, for display. */
  label: string
  /** What people type; all help texts about addresses are made from it. */
  address: {
    /** How the path ends, if it is always the same: "/StudentRegistrationSsb/ssb". */
    ending: string
    /** Continues the text "Address: ": "up to and including /StudentRegistrationSsb/ssb". */
    help: string
    example: string
  }
  /** Extra settings an operator may give, with their meaning. */
  settings: readonly { name: string; meaning: string }[]
  /**
   * What must be named besides a term and a subject. `school`: one address serves several schools, so a group must name
   * one. `career`: careers are searched separately.
   */
  scopes: readonly ('school' | 'career')[]
  /**
   * What the system calls the number of a section ({@link SourceSection.number}): "CRN". Shown before it, "CRN 10065".
   */
  number_label: string
  /**
   * What one request returns. `catalog`: the texts of a subject's sections or of a whole term's. `status`: the seats
   * of a subject, a term or one section.
   */
  reads: { catalog: 'group' | 'term'; status: 'group' | 'term' | 'section' }
  /** For how long the system may repeat the same answer about seats, in ms; absent if each is new. */
  same_status_ms?: number
  /** Why an address is not one of this system; null if it is. */
  checkAddress(url: string): string | null
  /**
   * The canonical form of an address; absent if there is only one form. Two addresses with the same canonical form are
   * the same system.
   */
  canonicalAddress?(url: string): string
  openLane(address: SourceAddress, tools: Tools): Lane
  /**
   * The section's page at the school, or the registration page if sections have none. Systems of several schools also
   * need the school's label ({@link SourceSchool.name}); without it, this is the first page.
   */
  link(address: SourceAddress, section: SectionIdentity): string
}

/** Whether one address serves several schools, so a group must name one. */
export const hasSchools = ({ scopes }: Pick<Source, 'scopes'>): boolean => scopes.includes('school')
