import type {
  GetCourseSections,
  GetSchools,
  GetSeatHistory,
  GetSubjects,
} from '../../../src/class-tracker/courses/contract.ts'
import type { AddWatchedSection, Done, GetWatchedSections } from '../../../src/class-tracker/watches/contract.ts'
import type { AddRecipient, GetRecipientForm, RecipientLink } from '../../../src/class-tracker/recipients/contract.ts'
import type {
  JobAnswer,
  JobHandle,
  RefreshedSections,
  RefreshedSubjects,
  RefreshedTerms,
} from '../../../src/class-tracker/refresh/contract.ts'
import { call } from '../../api.ts'

const area = '/class_tracker'
/** Refresh calls wait up to 25 s for their job on the server. */
const REFRESH_TIMEOUT_MS = 45_000

/** The answer of a refresh call: the result if the job ended in time, otherwise only the job, to follow. */
export type Refreshing<Result> = Result & { job: JobHandle }

const get = <Answer>(path: string, signal?: AbortSignal) => call<Answer>(`${area}/${path}`, { signal })
const post = <Answer>(path: string, timeout?: number) => call<Answer>(`${area}/${path}`, { method: 'POST', timeout })

/** Every call of the class tracker, with its input and answer types. All reject with a `CallError`. */
export const calls = {
  getSchools: (signal?: AbortSignal) => get<GetSchools>('get_schools', signal),
  getSubjects: (school: number, term: number, signal?: AbortSignal) =>
    get<GetSubjects>(`get_subjects/${school}/${term}`, signal),
  getCourseSections: (term: number, subject: number, signal?: AbortSignal) =>
    get<GetCourseSections>(`get_course_sections/${term}/${subject}`, signal),
  addWatchedSection: (recipient: number, section: number) =>
    post<AddWatchedSection>(`add_watched_section/${recipient}/${section}`),
  removeWatchedSection: (recipient: number, section: number) =>
    post<Done>(`remove_watched_section/${recipient}/${section}`),
  getRecipientForm: (recipient: number, signal?: AbortSignal) =>
    get<GetRecipientForm>(`get_recipient_form/${recipient}`, signal),
  /** Returns the submitted forms with their errors (422) as an answer, not as a failure. */
  addRecipient: (recipient: number, form: FormData) =>
    call<AddRecipient>(`${area}/add_recipient/${recipient}`, { method: 'POST', form, accept: [422] }),
  getWatchedSections: (recipient: number, signal?: AbortSignal) =>
    get<GetWatchedSections>(`recipients/${recipient}/watched_sections`, signal),
  getRecipientLink: (recipient: number) => get<RecipientLink>(`get_recipient_link/${recipient}`),
  /** Creates another link, which ends all earlier ones. */
  refreshRecipientLink: (recipient: number) => post<RecipientLink>(`refresh_recipient_link/${recipient}`),
  getSeatHistory: (section: number, signal?: AbortSignal) => get<GetSeatHistory>(`get_seat_history/${section}`, signal),
  removeRecipient: (recipient: number) => post<Done>(`remove_recipient/${recipient}`),
  removeContact: (contact: number) => post<Done>(`remove_contact/${contact}`),
  retryDelivery: (delivery: number) => post<Done>(`retry_delivery/${delivery}`),
  refreshTerms: () => post<Refreshing<RefreshedTerms>>('refresh_available_terms', REFRESH_TIMEOUT_MS),
  refreshSubjects: (school: number, term: number) =>
    post<Refreshing<RefreshedSubjects>>(`refresh_semester_data/${school}/${term}`, REFRESH_TIMEOUT_MS),
  fetchSections: (school: number, term: number, subject: number) =>
    post<Refreshing<RefreshedSections>>(
      `fetch_new_semester_course_sections/${school}/${term}/${subject}`,
      REFRESH_TIMEOUT_MS,
    ),
  /** @param url the address from a job handle */
  getJob: (url: string, signal?: AbortSignal) => call<JobAnswer>(url, { timeout: 10_000, signal }),
}
