import * as z from 'zod/mini'
import { Form, Id, Moment, Pagination } from '../web/contract.ts'
import { Course, Instructor, School, Subject } from './schools/contract.ts'

export { Course, Instructor, School, Subject }

export const PrivacyLevel = z.enum(['public', 'private'])
export type PrivacyLevel = z.infer<typeof PrivacyLevel>

/** Labels: 'Public Server' and 'Private Server'. */
export const PrivacyLevelInfo = z.object({ value: PrivacyLevel, label: z.string() })
export type PrivacyLevelInfo = z.infer<typeof PrivacyLevelInfo>

/** `regular` 'Regular User', `manager` 'Discord Manager'. */
const RoleInfo = z.object({ value: z.string(), label: z.string() })

/** How many members were online when Discord was last asked; null when it never reported it. */
export const Presence = z.nullable(z.object({ online_count: z.number(), counted_at: Moment }))
export type Presence = z.infer<typeof Presence>

/**
 * A listed server. A negative id is a locked placeholder: choosing it does nothing. `display_name` is `custom_title`,
 * else `name`. `is_required_for_trust` is shown as Featured. `icon_url` is null when the server has no picture.
 */
export const DiscordServer = z.object({
  id: Id,
  /** Discord's id; '' for a placeholder. */
  server_id: z.string(),
  name: z.string(),
  display_name: z.string(),
  custom_title: z.string(),
  description: z.string(),
  icon_url: z.nullable(z.string()),
  member_count: z.number(),
  /** Null also if it was counted more than an hour ago. */
  presence: Presence,
  privacy_level_info: PrivacyLevelInfo,
  is_active: z.boolean(),
  is_required_for_trust: z.boolean(),
  is_general_server: z.boolean(),
  schools: z.array(School),
  subjects: z.array(Subject),
  courses: z.array(Course),
  instructors: z.array(Instructor),
  /** Null for a placeholder, which has no server. */
  datetime_created: z.nullable(Moment),
})
export type DiscordServer = z.infer<typeof DiscordServer>

/** An invite in a server's dialog, approved and valid. */
export const Invite = z.object({
  id: Id,
  invite_url: z.string(),
  notes_md: z.string(),
  /** `notes_md` as safe HTML (p, br, strong, em, a, code, pre, ul, ol, li); '' without notes. */
  notes_html: z.string(),
  expires_at: z.nullable(Moment),
  uses_count: z.number(),
  is_valid: z.boolean(),
  /** expires_at is null */
  is_unlimited: z.boolean(),
})
export type Invite = z.infer<typeof Invite>

/** What was submitted with an invite. An approval applies it to the server. */
const Submitted = z.object({
  id: Id,
  invite_url: z.string(),
  notes_md: z.string(),
  is_valid: z.boolean(),
  datetime_created: Moment,
  discord_server: z.object({
    display_name: z.string(),
    icon_url: z.nullable(z.string()),
    privacy_level_info: PrivacyLevelInfo,
    /** False: a manager removed it, so no approved invite lists it. */
    is_active: z.boolean(),
  }),
  school: z.nullable(School),
  subject: z.nullable(Subject),
  courses: z.array(Course),
  instructors: z.array(Instructor),
})

/** A review card, which shows `notes_md` as plain text. */
export const PendingInvite = z.extend(Submitted, {
  uses_count: z.number(),
  is_unlimited: z.boolean(),
  expires_at: z.nullable(Moment),
  /** As Discord last reported it. */
  members: z.object({ total: z.number(), online: z.number() }),
  /** `approved` and `rejected`: the submitter's earlier invites. */
  submitter: z.object({
    display_name: z.string(),
    role_info: RoleInfo,
    approved: z.number(),
    rejected: z.number(),
  }),
  /** Whether no other invite of this server was ever approved. */
  is_new_server: z.boolean(),
  /** Whether the server is known with the other privacy level, which an approval replaces. */
  changes_privacy: z.boolean(),
  /** The names of a private server's schools, if an approval shows it to another school as well; otherwise none. */
  private_to: z.array(z.string()),
  /** For each of the courses, how many other servers are listed for it at any school. */
  other_servers: z.array(z.object({ course_id: Id, servers: z.number() })),
})
export type PendingInvite = z.infer<typeof PendingInvite>

/**
 * The viewer's submission. `state` expired: its link stopped working before a decision. `queue_position` counts from 1
 * and is null once decided. `reason` is the manager's, '' when none was given. `can_resubmit`: rejected or expired, and
 * not submitted again since.
 */
export const Submission = z.extend(Submitted, {
  state: z.enum(['pending', 'approved', 'rejected', 'expired']),
  queue_position: z.nullable(z.number()),
  reason: z.string(),
  can_resubmit: z.boolean(),
})
export type Submission = z.infer<typeof Submission>

export const ExpiryTimeframe = z.enum(['1w', '2w', '1m', '3m', 'permanent'])
export type ExpiryTimeframe = z.infer<typeof ExpiryTimeframe>

export const Referral = z.object({
  id: Id,
  /** absolute: …/classcords/referral/{code}/ */
  url: z.string(),
  num_uses: z.number(),
  /** 0: unlimited */
  max_uses: z.number(),
  is_valid: z.boolean(),
  is_expired: z.boolean(),
  datetime_created: Moment,
  expiry_timeframe: ExpiryTimeframe,
  datetime_expires: z.nullable(Moment),
  /** Own, unused and not expired: POST /classcords/referrals/{id}/revoke/ (a form with csrf_token only). */
  can_revoke: z.boolean(),
})
export type Referral = z.infer<typeof Referral>

/** A notification. `url` is a page of this site or ''. */
export const Notice = z.object({
  id: Id,
  title: z.string(),
  /** plain text */
  body: z.string(),
  url: z.string(),
  is_read: z.boolean(),
  datetime_created: Moment,
})
export type Notice = z.infer<typeof Notice>

/**
 * `/classcords/`. `pending_invites_count` is 0 for everyone but managers. `referral` is the code of the query, trimmed;
 * null when blank.
 */
export const WelcomeProps = z.object({
  servers: z.array(DiscordServer),
  pending_invites_count: z.number(),
  referral: z.nullable(z.string()),
})
export type WelcomeProps = z.infer<typeof WelcomeProps>

const PageOfServers = z.object({
  servers: z.array(DiscordServer),
  /** On all pages. */
  server_count: z.number(),
  pagination: Pagination,
})
export type PageOfServers = z.infer<typeof PageOfServers>

/** `/classcords/all/?page&school_id&subject_id&course_id&q&sort` */
export const ExploreAllListingsProps = z.extend(PageOfServers, {
  /** The selected school, 0 for all of them; null: the viewer's, or all schools' public servers if they have none. */
  school_id: z.nullable(Id),
  sort: z.enum(['relevance', 'newest', 'members']),
  subject_id: z.nullable(Id),
  course_id: z.nullable(Id),
  q: z.string(),
  is_search_active: z.boolean(),
  /** Not all servers were searched, so more may match. */
  is_truncated: z.optional(z.literal(true)),
  pending_invites_count: z.number(),
  referral: z.nullable(z.string()),
})
export type ExploreAllListingsProps = z.infer<typeof ExploreAllListingsProps>

/**
 * `/classcords/login/?referral&next`. The page posts a form to /accounts/discord/login/ with hidden csrf_token, `next`
 * and `referral`.
 */
export const ClasscordsLoginProps = z.object({ referral: z.nullable(z.string()) })
export type ClasscordsLoginProps = z.infer<typeof ClasscordsLoginProps>

/** `/classcords/profile/`. The person is `context.user.discord_user`. */
export const ProfileProps = z.object({
  show_school_modal: z.boolean(),
  schools: z.array(School),
  submissions: z.array(Submission),
})
export type ProfileProps = z.infer<typeof ProfileProps>

/** `/classcords/referrals/?page` */
export const ReferralsProps = z.object({
  /** Selects `max_uses_choice` and `expiry_timeframe`, posted to /classcords/referrals/. */
  referral_form: Form,
  referrals: z.array(Referral),
  pagination: Pagination,
})
export type ReferralsProps = z.infer<typeof ReferralsProps>

/** `/classcords/unapproved-invites/?page` */
export const UnapprovedInvitesProps = z.object({
  unapproved_invites: z.array(PendingInvite),
  pagination: Pagination,
})
export type UnapprovedInvitesProps = z.infer<typeof UnapprovedInvitesProps>

/** `/classcords/school/{school_id}/?page`: public, its public servers. Page name `School`. */
export const SchoolProps = z.extend(PageOfServers, {
  school: School,
  /** At most 8 other schools with public servers, those with the most first. */
  other_schools: z.array(School),
})
export type SchoolProps = z.infer<typeof SchoolProps>

/** GET ajax/servers/{server_id}/uses/, managers only: the last 30 days, oldest first; days without a use are 0. */
export const ServerUses = z.object({
  days: z.array(z.object({ day: z.string(), uses: z.number() })),
  total: z.number(),
})
export type ServerUses = z.infer<typeof ServerUses>

/** `/classcords/server/{server_id}/`: what its dialog shows, as a page. Page name `Server`. */
export const ServerProps = z.object({
  server: DiscordServer,
  invites: z.array(Invite),
  presence: Presence,
  /** Null for everyone but managers. */
  uses: z.nullable(ServerUses),
  /** A report form that was not accepted, and why: POST /classcords/server/{server_id}/report/ (`reason` ≤ 1000). */
  refused_report: z.nullable(z.object({ reason: z.string(), errors: z.array(z.string()) })),
})
export type ServerProps = z.infer<typeof ServerProps>

/** `/classcords/reports/?page`, managers only: open reports, oldest first. Page name `Reports`. */
export const ReportsProps = z.object({
  reports: z.array(
    z.object({
      id: Id,
      /** plain text */
      reason: z.string(),
      reporter: z.string(),
      /** `is_active`: a manager has not removed it. `is_listed`: and it has a working invite, and so a page. */
      server: z.object({ id: Id, display_name: z.string(), is_active: z.boolean(), is_listed: z.boolean() }),
      datetime_created: Moment,
    }),
  ),
  report_count: z.number(),
  pagination: Pagination,
})
export type ReportsProps = z.infer<typeof ReportsProps>

/**
 * `/classcords/join/{invite_id}/` when the invite is dead (status 410): the server's other invites. Page name
 * `InviteGone`.
 */
export const InviteGoneProps = z.object({
  server: z.object({ id: Id, display_name: z.string() }),
  /** Whether its link leads to another server, or to no server. */
  leads_elsewhere: z.boolean(),
  invites: z.array(Invite),
})
export type InviteGoneProps = z.infer<typeof InviteGoneProps>

/** `/classcords/notices/?page`: unread first, then newest. Page name `Notices`. */
export const NoticesProps = z.object({
  notices: z.array(Notice),
  unread_count: z.number(),
  newest_at: z.nullable(Moment),
  pagination: Pagination,
})
export type NoticesProps = z.infer<typeof NoticesProps>

/** A known server as the submit dialog knows it. */
export const ExistingServer = z.omit(DiscordServer, {
  custom_title: true,
  presence: true,
  is_general_server: true,
  datetime_created: true,
})
export type ExistingServer = z.infer<typeof ExistingServer>

/** POST ajax/validate-discord-invite: form `invite_url`. For a known server, step two of the form is skipped. */
export const ValidateDiscordInvite = z.object({
  guild_info: z.object({ id: z.string(), name: z.string(), icon_url: z.nullable(z.string()) }),
  existing_server_info: z.nullable(ExistingServer),
  is_new_server: z.boolean(),
  /** All schools for a manager, their own for everyone else. */
  available_schools: z.array(School),
})
export type ValidateDiscordInvite = z.infer<typeof ValidateDiscordInvite>

/**
 * POST ajax/submit-invite: form `invite_url`, `notes` (≤ 255), `guild_name`, `guild_id`, `school_id`, `privacy_level`,
 * optional `subject_id`, `course_id` (may be repeated), `instructor_ids` (may be repeated), `replaces` (the id of one's
 * own pending invite with this link, which this submission edits), `changes_privacy` (0 if a manager saw no change of the
 * server's privacy, which is then refused with 409).
 */
export const SubmitInvite = z.object({ discord_server: ExistingServer })
export type SubmitInvite = z.infer<typeof SubmitInvite>

/** GET ajax/schools/: those with public servers, by name. */
export const Schools = z.object({ schools: z.array(School), message: z.string() })
export type Schools = z.infer<typeof Schools>

/** GET ajax/schools/{school_id}/subjects/ and ajax/subjects/?school_id */
export const Subjects = z.object({ subjects: z.array(Subject), message: z.string() })
export type Subjects = z.infer<typeof Subjects>

/** GET ajax/schools/{school_id}/subjects/{subject_id}/courses/ and ajax/subjects/{subject_id}/courses/ */
export const Courses = z.object({ courses: z.array(Course), message: z.string() })
export type Courses = z.infer<typeof Courses>

/** GET ajax/schools/{school_id}/subjects/{subject_id}/instructors/ */
export const Instructors = z.object({ instructors: z.array(Instructor), message: z.string() })
export type Instructors = z.infer<typeof Instructors>

/** GET ajax/servers/{server_id}/invites/ (the row's id), newest first */
export const ServerInvites = z.object({ invites: z.array(Invite), presence: Presence })
export type ServerInvites = z.infer<typeof ServerInvites>

/**
 * POST ajax/invites/{invite_id}/cancel/ (the viewer's own, pending), PUT ajax/invites/{invite_id}/track-usage/, GET
 * ajax/referral-redeem/?referral=, PUT ajax/notices/{notice_id}/read/
 */
export const Nothing = z.object({})
export type Nothing = z.infer<typeof Nothing>

/**
 * POST ajax/invites/{invite_id}/approve/ (form `changes_privacy`, optional: 0 if the card showed no change of the server's
 * privacy, which is then refused with 409), reject/ (form `reason` ≤ 255, optional) and withdraw/ (undo: status pending;
 * form `was`, optional: the decision that is meant, approved or rejected, 409 if it is another one by now);
 * for an invite that is not valid, check/ (asks Discord again: status pending if it works) and close/ (status expired).
 * Errors are an array of sentences, as in every call; 409 if the invite was already decided.
 */
export const Decision = z.object({
  errorMessages: z.array(z.string()),
  data: z.object({ id: Id, status: z.enum(['approved', 'rejected', 'pending', 'expired']) }),
})
export type Decision = z.infer<typeof Decision>

/** POST ajax/select-school: form `school`. POST ajax/servers/{server_id}/report/: form `reason` ≤ 1000. */
export const Done = z.object({ success: z.literal(true), message: z.string() })
export type Done = z.infer<typeof Done>

/**
 * GET ajax/notices/: the newest 10, and how many are unread. POST ajax/notices/read/ marks all, or with the form `until`
 * those created by then; it answers `unread_count`.
 */
export const Notices = z.object({ notices: z.array(Notice), unread_count: z.number() })
export type Notices = z.infer<typeof Notices>
