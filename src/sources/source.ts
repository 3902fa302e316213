/**
 * What every school system promises us, whatever its protocol.
 *
 * A source never throws for what the school does: a time-out, an error page, an expired session or an answer that
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
  | 'session_lost'
  | 'wrong_scope'

/**
 * A believed value, or an honest *unknown*. Unknown never closes, opens or deletes anything.
 * `warnings` are oddities that did not shake the belief (a figure that was not a number, a label that could not be read).
 */
export type Answer<Value> =
  | { known: true; value: Value; warnings: string[] }
  | { known: false; reason: UnknownReason; why: string; retry_after_seconds: number | null }

/** One person teaching at certain times, as the school prints it: `{ name: "Ada Lovelace", days_times: "MoWe 9:05AM - 10:20AM" }`. */
export interface Instruction {
  name: string
  days_times: string
}

/** Seats of one section, judged. A figure that is not known is null, never 0; `seats_available` may be negative (over-enrolled). */
export interface Seats {
  section_key: string
  status: Status
  seats_available: number | null
  capacity: number | null
  waitlist_available: number | null
  /** As {@link Observation.has_figures}. */
  has_figures?: false
  /** As {@link Observation.session_code}. */
  session_code?: string
}

/** A section's seats as the school gave them. Null: not given. Whole numbers only. */
export interface Figures {
  capacity: number | null
  enrolled: number | null
  /** Negative where more are enrolled than there are seats. */
  available: number | null
  /** People on the waiting list. All three of the list null: the school keeps none, or its protocol does not tell. */
  waitlist_total: number | null
  waitlist_capacity: number | null
  /** Places left on the list. */
  waitlist_available: number | null
  /** Of the room a section shares with others (a cross list), all three null where it shares none. */
  shared_capacity: number | null
  shared_total: number | null
  shared_available: number | null
  /** Free seats that are held for nobody in particular; null where none are reserved. */
  unreserved_available: number | null
}

/**
 * What a school says of a section besides its figures. `canceled`: it is not held. `permission`: a place needs somebody's
 * consent. `held`: free seats are kept for certain students. `combined`: it shares its room with other sections. `linked`: it is
 * taken together with another, such as a lecture with its laboratory.
 */
export type SectionFlag = 'canceled' | 'permission' | 'held' | 'combined' | 'linked'

/** What a school said of one section's seats. {@link judge} makes a status of it. */
export interface Observation {
  section_key: string
  /** Absent where the protocol tells none of them. */
  flags?: readonly SectionFlag[]
  /** The school's own word where its protocol has one that can be trusted (CUNY); null where it has none (Banner). */
  stated: Status | null
  figures: Figures
  /**
   * False where this answer never carries figures, though another of the protocol does (a list of status letters beside a
   * call with numbers): a figure known from there then stays while the status does. Absent: null in `figures` means that
   * the school gives none.
   */
  has_figures?: false
  /** Code of the part of the term, where links or searches take one: "7W2". */
  session_code?: string
  /** Why this row cannot be trusted, as sentences; any makes the status unknown. */
  doubts: readonly string[]
}

/** A section as the school shows it, entities decoded, blanks trimmed. A text the answer did not give is ''. */
export interface SourceSection extends Observation {
  /** The subject's code as printed beside the course, e.g. "CIS" (a group's subject *key* may differ: CUNY's "CMIS"). */
  subject: string
  /** Course code, e.g. "CIS", and level, e.g. "2200H": together "CIS 2200H". */
  code: string
  level: string
  title: string
  /** The school's own id of the section, the same as `section_key`: CRN, class number. Unique in a term of a school. */
  number: string
  /** The section code, e.g. "001" or "BMWA". */
  section: string
  topic: string
  /** Null where the answer did not say who teaches or when. */
  instruction_list: Instruction[] | null
  instruction_mode: string
  /** What it is: "Lecture", "LAB". This and what follows: '' or absent where the answer did not say; what we have is kept. */
  component?: string
  /** The part of the term, as people read it: "Regular", "Seven Wk 2". */
  session?: string
  campus?: string
  /** Rooms, or "Online"; several with a comma between. */
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
  /** False for terms that can only be looked at ("View Only"); such terms are neither offered nor polled. */
  is_available: boolean
  /** First and last day, as 2026-08-28, where the system tells them. */
  starts_on?: string
  ends_on?: string
}

interface SourceSchool {
  code: string
  name: string
}

export interface SourceSubject {
  /** What a search takes, e.g. "CMIS". */
  key: string
  name: string
}

export interface TermsAndSchools {
  terms: SourceTerm[]
  /** Empty where a source is one school: the source's own name is the school's then. */
  schools: SourceSchool[]
}

export interface SubjectsAndCareers {
  subjects: SourceSubject[]
  /** Careers that must be searched apart (CUNY: UGRD, GRAD …). `['']` where the protocol has none. */
  careers: string[]
}

/** The smallest thing a school answers in one search. `school` and `career` are '' where a protocol has none. */
export interface Group {
  school: string
  /** The school's label, where the protocol must send it back (CUNY: "Queens College"); '' otherwise. */
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
  /** What the envelope itself counts; equal to `sections.length`, or the answer is unknown. Null for a page of a term. */
  stated_count: number | null
  /** For a page of a whole term: where the next page begins, for {@link Lane.wholeTerm}; null for the last. */
  next?: string | null
  /** The term's last day, as 2026-12-22, where rows tell it and the list of terms does not. */
  term_ends_on?: string
  /**
   * When it was asked for (ms since epoch, by {@link Tools.now}), where that was before the call: pages cut from one answer,
   * or an answer that serves several groups. Absent: it was asked for by the call.
   */
  asked_at?: number
}

/** Chosen sections of one group: the keys we watch, and what helps to ask for them at the lowest cost. */
export interface WatchedGroup {
  group: Group
  watched: { section_key: string; level: string }[]
}

/** The answer for the group at `index` of the request. A watched key that is absent from a believed answer is unknown. */
export interface GroupSeats {
  index: number
  /** When it was asked for (ms since epoch, by {@link Tools.now}): before the first request the answer rests on. */
  asked_at: number
  answer: Answer<{ seen: Observation[] }>
}

/**
 * Called before every request. Resolves when the request may go out; rejects with {@link BudgetSpent} when it may not
 * within the caller's patience. The budget is the source's own, shared by every job that speaks to it.
 */
type Budget = () => Promise<void>

/** Thrown by a {@link Budget}: the caller stops here and goes on at `retry_at` (ms since epoch). */
export class BudgetSpent extends Error {
  readonly retry_at: number
  constructor(retryAt: number) {
    super('The request budget of this source is spent for now.')
    this.name = 'BudgetSpent'
    this.retry_at = retryAt
  }
}

/** What the caller lends: nothing here is global, so the same adapter runs in the Worker, in Node and in a test. */
export interface Tools {
  fetch: (input: string, init: RequestInit) => Promise<Response>
  budget: Budget
  /** ms since epoch */
  now: () => number
  /** What {@link Lane.memo} of an earlier conversation gave; null or absent for the first. */
  memo?: string | null
  /** Longest wait for one answer, body included, in ms. */
  timeout_ms: number
  /** When the conversation has to be over (ms since epoch); absent where nobody waits for its end. */
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
 * One conversation with a school: its own cookie jar, one request at a time. Open one a job; it costs nothing until used.
 */
export interface Lane {
  /** Every term and school the system offers. */
  termsAndSchools(): Promise<Answer<TermsAndSchools>>
  /** Subjects a school offers in a term. An unpublished term is known and empty only if the system says so explicitly. */
  subjects(scope: TermScope): Promise<Answer<SubjectsAndCareers>>
  /** Every section of a group, of every status: no row lost, none invented, or unknown. */
  sections(group: Group): Promise<Answer<GroupSections>>
  /**
   * Every section of a whole term, a page at a time, where one search can do that; absent where it cannot.
   * A page that is not believed ends the walk with an unknown; pages before it stay believed. A walk that ends without an
   * unknown has brought every section, each once. Some schools refuse a search of everything: their walk is unknown at
   * once, and the term can still be read group by group. Rows of a page belong to the groups whose subject's key is the
   * row's `subject`. `from`: the `next` of an earlier page, to go on there instead of at the beginning.
   */
  wholeTerm?(scope: TermScope, from?: string | null): AsyncIterable<Answer<GroupSections>>
  /**
   * Seats of the watched sections, group by group as they arrive, at the lowest number of requests the protocol allows
   * (`term_sizes`: known sections of a term by `school/term`, to choose between group searches and whole-term paging).
   * Every index is answered exactly once unless the budget is spent, which throws {@link BudgetSpent}.
   */
  seats(groups: readonly WatchedGroup[], termSizes: ReadonlyMap<string, number>): AsyncIterable<GroupSeats>
  /**
   * One section asked alone, by a cheap call that shows its figures: a second look. Open a lane for it, never the poll's,
   * whose session it would disturb. Some protocols answer figures of 0 for a section that does not exist: compare the
   * capacity with the one already known. `sessionCode`: as the list gave it ({@link Observation.session_code}). Absent where
   * a protocol has no such call.
   */
  details?(group: Group, sectionKey: string, sessionCode?: string): Promise<Answer<Observation>>
  /**
   * What the next conversation should be given as {@link Tools.memo}: a few numbers an answer is compared with, such as how
   * long a list was that is not believed when it halves ({@link ListLengths}). Asked for once, after the last answer.
   */
  memo?(): string | null
}

/** A section as a link needs it. */
export interface SectionIdentity {
  /** As {@link Group.school} and {@link Group.school_name}. */
  school: string
  school_name?: string
  term: string
  section_key: string
  /** As {@link Observation.session_code}; '' or absent where it was not told. */
  session_code?: string
  /** As printed: "CIS" and "2200H". */
  code?: string
  level?: string
}

/** A protocol. Pure but for what {@link Tools} lends. */
export interface Source {
  kind: string
  /** The system's name, for people. */
  label: string
  /** What people type: all help about addresses is made of it. */
  address: {
    /** How it ends, where that is always the same: "/StudentRegistrationSsb/ssb". */
    ending: string
    /** How the host's name ends, where the system runs on hosts of its own: ".search.example.com". Nothing else answers there. */
    host?: string
    /** Goes on after "Address: ": "up to and including /StudentRegistrationSsb/ssb". */
    help: string
    example: string
  }
  /** Extra settings an operator may give, with their meaning. */
  settings: readonly { name: string; meaning: string }[]
  /**
   * What has to be named beside a term and a subject. `school`: one address serves several schools, so that a group must
   * name one. `career`: careers are searched apart. `campus`: a setting chooses among the campuses of a shared address.
   */
  scopes: readonly ('school' | 'campus' | 'career')[]
  /** What the system calls the number of a section ({@link SourceSection.number}): "CRN". Shown before it, "CRN 10065". */
  number_label: string
  /**
   * What one request brings. `catalogue`: the texts of a subject's sections or of a whole term's. `status`: the seats of a
   * subject's, of a term's or of one section; a course at a time counts as a subject's. `figures`: whether seats are counted in
   * lists, in details only, or nowhere.
   */
  reads: {
    catalogue: 'group' | 'term'
    status: 'group' | 'term' | 'section'
    figures: 'always' | 'details' | 'never'
  }
  /** Refuses an address it cannot speak to, with the reason; null when it is fine. */
  checkAddress(url: string): string | null
  /** The one form of an address that people find in several; absent where there is one. Two with the same are the same system. */
  oneAddress?(url: string): string
  openLane(address: SourceAddress, tools: Tools): Lane
  /**
   * The section's page at the school, or the registration page when a section has none of its own. Systems of several
   * schools find the page by the school's label as well ({@link SourceSchool.name}); without it theirs is the first page.
   */
  link(address: SourceAddress, section: SectionIdentity): string
}

/** Whether one address serves several schools, so that a group must name one. */
export const hasSchools = ({ scopes }: Pick<Source, 'scopes'>): boolean => scopes.includes('school')
