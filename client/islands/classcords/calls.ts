import type {
  Courses,
  Decision,
  Done,
  Instructors,
  Nothing,
  Notices,
  Schools,
  ServerInvites,
  ServerUses,
  Subjects,
  SubmitInvite,
  ValidateDiscordInvite,
} from '../../../src/classcords/contract.ts'
import { call, type CallOptions } from '../../api.ts'

const area = '/classcords/ajax'
/** Longer, because the server asks Discord, which may be slow. */
const DISCORD_TIMEOUT_MS = 45_000
/** Short, for calls whose failure changes nothing for the visitor. */
const SHORT_TIMEOUT_MS = 4000

/** A form with these fields; a list becomes a repeated field. */
export function formData(fields: Readonly<Record<string, string | readonly string[]>>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    for (const one of typeof value === 'string' ? [value] : value) form.append(name, one)
  }
  return form
}

const inSchool = (school: number | null) => (school === null ? '' : `?school_id=${school}`)

const ask = <Answer>(path: string, options?: CallOptions) => call<Answer>(`${area}/${path}`, options)
const get = <Answer>(path: string, signal?: AbortSignal) => ask<Answer>(path, { signal })
const post = <Answer>(path: string, form?: FormData) => ask<Answer>(path, { method: 'POST', ...(form && { form }) })

/** The directory's calls. All reject with a `CallError`. */
export const calls = {
  /** @param replaces the id of the viewer's pending invite that is being edited */
  validateInvite: (inviteUrl: string, replaces?: number) =>
    ask<ValidateDiscordInvite>('validate-discord-invite', {
      method: 'POST',
      form: formData({ invite_url: inviteUrl, ...(replaces !== undefined && { replaces: String(replaces) }) }),
      timeout: DISCORD_TIMEOUT_MS,
    }),
  submitInvite: (form: FormData) =>
    ask<SubmitInvite>('submit-invite', { method: 'POST', form, timeout: DISCORD_TIMEOUT_MS }),
  getSchoolSubjects: (school: number, signal?: AbortSignal) => get<Subjects>(`schools/${school}/subjects/`, signal),
  getSchoolCourses: (school: number, subject: number, signal?: AbortSignal) =>
    get<Courses>(`schools/${school}/subjects/${subject}/courses/`, signal),
  getInstructors: (school: number, subject: number, signal?: AbortSignal) =>
    get<Instructors>(`schools/${school}/subjects/${subject}/instructors/`, signal),
  /** Subjects of the servers that this person may see, for the search. */
  getSubjects: (school: number | null, signal?: AbortSignal) => get<Subjects>(`subjects/${inSchool(school)}`, signal),
  getCourses: (school: number | null, subject: number, signal?: AbortSignal) =>
    get<Courses>(`subjects/${subject}/courses/${inSchool(school)}`, signal),
  getSchools: (signal?: AbortSignal) => get<Schools>('schools/', signal),
  getInvites: (server: number, signal?: AbortSignal) => get<ServerInvites>(`servers/${server}/invites/`, signal),
  getUses: (server: number, signal?: AbortSignal) => get<ServerUses>(`servers/${server}/uses/`, signal),
  trackUsage: (invite: number) =>
    ask<Nothing>(`invites/${invite}/track-usage/`, { method: 'PUT', timeout: SHORT_TIMEOUT_MS }),
  report: (server: number, reason: string) => post<Done>(`servers/${server}/report/`, formData({ reason })),
  /** @param changesPrivacy whether the approver saw that the approval changes the server's privacy */
  approve: (invite: number, changesPrivacy: boolean) =>
    post<Decision>(`invites/${invite}/approve/`, formData({ changes_privacy: changesPrivacy ? '1' : '0' })),
  reject: (invite: number, reason: string) => post<Decision>(`invites/${invite}/reject/`, formData({ reason })),
  /** Returns a decided invite to pending. */
  undo: (invite: number, was: string) => post<Decision>(`invites/${invite}/withdraw/`, formData({ was })),
  /** Asks Discord again about a pending invite that is not valid. */
  recheck: (invite: number) =>
    ask<Decision>(`invites/${invite}/check/`, { method: 'POST', timeout: DISCORD_TIMEOUT_MS }),
  /** Withdraws the viewer's pending invite. */
  withdraw: (invite: number) => post<Nothing>(`invites/${invite}/cancel/`),
  /** Removes an invite that is not valid from the queue. */
  close: (invite: number) => post<Decision>(`invites/${invite}/close/`),
  readNotice: (notice: number) => ask<Nothing>(`notices/${notice}/read/`, { method: 'PUT' }),
  /** @param until the page's newest notification */
  readAllNotices: (until: string) => post<Pick<Notices, 'unread_count'>>('notices/read/', formData({ until })),
  redeemReferral: (referral: string) =>
    ask<Nothing>(`referral-redeem/?${new URLSearchParams({ referral })}`, { timeout: SHORT_TIMEOUT_MS }),
  selectSchool: (school: number) => post<Done>('select-school', formData({ school: String(school) })),
}
