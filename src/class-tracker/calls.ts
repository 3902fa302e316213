import { Hono } from 'hono'
import { formOf, pathId } from '../web/parse.ts'
import type { SiteContext, SiteEnv } from '../web/site.ts'
import { getCourseSections } from './courses/course-sections.ts'
import { fetchNewCourseSections, refreshAvailableTerms, refreshSemesterData } from './refresh/refresh-calls.ts'
import { getSchools } from './courses/schools.ts'
import { getSubjects } from './courses/subjects.ts'
import type { GetCourseSections, GetSchools, GetSubjects } from './courses/contract.ts'
import type { Done, GetWatchedSections } from './watches/contract.ts'
import { retryDelivery } from './deliveries/retry-delivery.ts'
import { listWatchedSections } from './recipients/list-recipients.ts'
import { getRecipientLink } from './recipients/own-link.ts'
import { removeContact, removeRecipient } from './recipients/remove-recipient.ts'
import { getRecipientForm, saveRecipient } from './recipients/save-recipient.ts'
import { pollAtOnce } from './polling/schedule-polls.ts'
import { staffOnly, trackerActorOf } from './tracker-actor.ts'
import { addWatchedSection } from './watches/add-watched-section.ts'
import { readSeatHistory } from './watches/watched-section.ts'
import { removeWatchedSection } from './watches/remove-watched-section.ts'

/** The class tracker's calls: JSON in every case, for superusers only. In a path, 0 means all, or a new one. */
export const calls = new Hono<SiteEnv>()

calls.get('/get_schools', staffOnly, async (c) => c.json<GetSchools>({ schools: await getSchools(c.env.DB) }))

calls.get('/get_subjects/:school_id/:term_id', staffOnly, async (c) => {
  const schoolId = pathId(c, 'school_id', { zero: true })
  return c.json<GetSubjects>({ subjects: await getSubjects(c.env.DB, schoolId, pathId(c, 'term_id')) })
})

calls.get('/get_course_sections/:term_id/:subject_id', staffOnly, async (c) => {
  const sections = await getCourseSections(c.env.DB, pathId(c, 'term_id'), pathId(c, 'subject_id'))
  return c.json<GetCourseSections>({ sections })
})

calls.post('/add_watched_section/:recipient_id/:section_id', staffOnly, async (c) => {
  const scope = { recipientId: pathId(c, 'recipient_id'), sectionId: pathId(c, 'section_id') }
  const answer = await addWatchedSection(c.env.DB, trackerActorOf(c), scope, Date.now())
  c.executionCtx.waitUntil(pollAtOnce(c.env, scope.sectionId))
  return c.json(answer)
})

calls.post('/remove_watched_section/:recipient_id/:section_id', staffOnly, async (c) => {
  const scope = { recipientId: pathId(c, 'recipient_id'), sectionId: pathId(c, 'section_id') }
  return c.json(await removeWatchedSection(c.env.DB, trackerActorOf(c), scope, Date.now()))
})

calls.get('/get_recipient_form/:recipient_id', staffOnly, async (c) =>
  c.json(await getRecipientForm(c.env.DB, pathId(c, 'recipient_id', { zero: true }), c.get('csrfToken'))),
)

calls.post('/add_recipient/:recipient_id', staffOnly, async (c) => {
  const recipientId = pathId(c, 'recipient_id', { zero: true })
  const form = { recipientId, posted: await formOf(c), csrfToken: c.get('csrfToken') }
  const { is_saved, answer } = await saveRecipient(c.env, trackerActorOf(c), form, Date.now())
  return c.json(answer, is_saved ? 200 : 422)
})

calls.get('/recipients/:recipient_id/watched_sections', staffOnly, async (c) => {
  const sections = await listWatchedSections(c.env.DB, pathId(c, 'recipient_id'), Date.now())
  return c.json<GetWatchedSections>({ watched_sections: sections })
})

calls.get('/get_seat_history/:section_id', staffOnly, async (c) =>
  c.json(await readSeatHistory(c.env.DB, pathId(c, 'section_id'), Date.now())),
)

const answerLink = (isNew: boolean) => async (c: SiteContext) =>
  c.json(await getRecipientLink(c.env, trackerActorOf(c), pathId(c, 'recipient_id'), { isNew, now: Date.now() }))
calls.get('/get_recipient_link/:recipient_id', staffOnly, answerLink(false))
calls.post('/refresh_recipient_link/:recipient_id', staffOnly, answerLink(true))

calls.post('/remove_recipient/:recipient_id', staffOnly, async (c) =>
  c.json(await removeRecipient(c.env.DB, trackerActorOf(c), pathId(c, 'recipient_id'), Date.now())),
)

calls.post('/remove_contact/:contact_id', staffOnly, async (c) =>
  c.json(await removeContact(c.env.DB, trackerActorOf(c), pathId(c, 'contact_id'), Date.now())),
)

calls.post('/retry_delivery/:delivery_id', staffOnly, async (c) => {
  const { state } = await retryDelivery(c.env, trackerActorOf(c), pathId(c, 'delivery_id'), Date.now())
  const message =
    state === 'held' ? 'The message is sent once the school confirms the seat' : 'The message is being sent again'
  return c.json<Done>({ is_success: true, message })
})

calls.post('/refresh_available_terms', staffOnly, async (c) => {
  const { status, answer } = await refreshAvailableTerms(c.env, trackerActorOf(c))
  return c.json(answer, status)
})

calls.post('/refresh_semester_data/:school_id/:term_id', staffOnly, async (c) => {
  const scope = { schoolId: pathId(c, 'school_id', { zero: true }), termId: pathId(c, 'term_id') }
  const { status, answer } = await refreshSemesterData(c.env, trackerActorOf(c), scope)
  return c.json(answer, status)
})

calls.post('/fetch_new_semester_course_sections/:school_id/:term_id/:subject_id', staffOnly, async (c) => {
  const scope = {
    schoolId: pathId(c, 'school_id', { zero: true }),
    termId: pathId(c, 'term_id'),
    subjectId: pathId(c, 'subject_id', { zero: true }),
  }
  const { status, answer } = await fetchNewCourseSections(c.env, trackerActorOf(c), scope)
  return c.json(answer, status)
})
