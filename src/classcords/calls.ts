import { Hono } from 'hono'
import { serverHref } from '../../client/islands/classcords/server-text.ts'
import { limitedAddress } from '../web/security/client-address.ts'
import { edgeJson } from '../web/edge/edge-json.ts'
import { flash } from '../web/session/flash.ts'
import { limitReads, refuseOver, takeRead } from '../web/limits/limits.ts'
import { formOf, pathId, positiveInteger, querySchool, textField, optionalField } from '../web/parse.ts'
import { badRequest } from '../web/refusal.ts'
import { nearbyForVisitors } from '../web/edge/site-version.ts'
import { laterOf, type SiteContext, type SiteEnv } from '../web/site.ts'
import { readTogether } from '../db/query.ts'
import { typedSearch } from '../lib/text.ts'
import type { Palette } from '../web/contract.ts'
import type { Courses, Done, Instructors, Nothing, Notices, Schools, ServerInvites, Subjects } from './contract.ts'
import { approveInvite, rejectInvite } from './invites/decide-invite.ts'
import { withdrawInvite } from './invites/own-pending.ts'
import { serverInvites } from './invites/server-invites.ts'
import { readSubmission } from './invites/submission-form.ts'
import { submitInvite } from './invites/submit-invite.ts'
import { trackUsage } from './invites/track-usage.ts'
import { validateInvite } from './invites/validate-invite.ts'
import { newestNotices, readAllNotices, readNotice } from './notices/list-notices.ts'
import { rememberReferral, queryReferral } from './referrals/remembered-referral.ts'
import { reportReceived, reportServer } from './reports/report-server.ts'
import { coursesOfSubject, instructorsOfSubject, subjectsOfSchool } from './schools/catalog.ts'
import { selectSchool } from './schools/select-school.ts'
import {
  findInvitesByCode,
  findServersByName,
  invitesGroup,
  onlyListed,
  onlyShown,
  serversGroup,
} from './servers/palette-entries.ts'
import { searchableCourses, searchableSchools, searchableSubjects } from './servers/searchable.ts'
import { serverUses } from './servers/server-page.ts'
import { type Scope, scopeOfSearch } from './servers/visibility.ts'
import { type Member, requireMember, viewerOf, refuseUnlessReviewer } from './viewer.ts'
import { closeInvite, recheckInvite } from './invites/stale-invites.ts'
import { decidedStates, undoDecision } from './invites/undo-decision.ts'

/** The directory's calls; all answer JSON. */
export const calls = new Hono<SiteEnv>().basePath('/ajax')

const nothing: Nothing = {}

calls.post('/validate-discord-invite', async (c) => {
  const member = requireMember(c)
  const form = await formOf(c)
  await limit(c, 'validate-invite', member, 60)
  const link = { typed: textField(form, 'invite_url'), replaces: positiveInteger(textField(form, 'replaces')) }
  return c.json(await validateInvite(c.env, member, link, Date.now()))
})

calls.post('/submit-invite', async (c) => {
  const member = requireMember(c)
  const submitted = readSubmission(await formOf(c))
  await limit(c, 'submit-invite', member, 30)
  const answer = await submitInvite(c.env, member, submitted, Date.now())
  if (!member.isManager)
    flash(c, 'info', 'Invite submitted! It will need to be approved by a site admin before it is visible')
  return c.json(answer)
})

calls.get('/schools/:school_id/subjects/', async (c) => {
  requireMember(c)
  const subjects = await subjectsOfSchool(c.env.DB, pathId(c, 'school_id'))
  return c.json({ subjects, message: 'Subjects fetched successfully.' } satisfies Subjects)
})

calls.get('/schools/:school_id/subjects/:subject_id/courses/', async (c) => {
  requireMember(c)
  const courses = await coursesOfSubject(c.env.DB, pathId(c, 'school_id'), pathId(c, 'subject_id'))
  return c.json({ courses, message: 'Courses fetched successfully.' } satisfies Courses)
})

calls.get('/schools/:school_id/subjects/:subject_id/instructors/', async (c) => {
  requireMember(c)
  const instructors = await instructorsOfSubject(c.env.DB, pathId(c, 'school_id'), pathId(c, 'subject_id'))
  return c.json({ instructors, message: 'Instructors fetched successfully.' } satisfies Instructors)
})

calls.get('/palette/', async (c) => {
  refuseUnlessReviewer(requireMember(c))
  const typed = typedSearch(c.req.query('q') ?? '').toLowerCase()
  if (typed === '') return c.json({ groups: [] } satisfies Palette)
  const [servers, invites] = await readTogether(
    c.env.DB,
    findServersByName(typed, onlyListed),
    findInvitesByCode(typed, onlyShown),
  )
  const hrefOf = ({ state, server_id }: (typeof invites)[number]) =>
    state === 'approved' ? serverHref({ id: server_id }) : '/classcords/unapproved-invites/'
  const groups = [serversGroup(servers), invitesGroup(invites, hrefOf)]
  return c.json({ groups: groups.filter(({ entries }) => entries.length > 0) } satisfies Palette)
})

calls.get('/schools/', (c) =>
  edgeJson(c, 'schools', async (): Promise<Schools> => {
    const schools = await searchableSchools(c.env.DB)
    return { schools, message: 'Schools fetched successfully.' }
  }),
)

calls.get('/subjects/', (c) =>
  searchable(c, 'subjects', async (scope): Promise<Subjects> => {
    const subjects = await searchableSubjects(c.env.DB, scope)
    return { subjects, message: 'Subjects fetched successfully.' }
  }),
)

calls.get('/subjects/:subject_id/courses/', (c) => {
  const subjectId = pathId(c, 'subject_id')
  return searchable(c, `subjects/${subjectId}/courses`, async (scope): Promise<Courses> => {
    const courses = await searchableCourses(c.env.DB, scope, subjectId)
    return { courses, message: 'Courses fetched successfully.' }
  })
})

/** The options of a search. For all schools, everyone without a school gets the same, which are cached at the edge. */
async function searchable(
  c: SiteContext,
  name: string,
  find: (scope: Scope) => Promise<Subjects | Courses>,
): Promise<Response> {
  const scope = scopeOfSearch(viewerOf(c), querySchool(c))
  if (scope.schoolId === 0 && scope.ownSchoolId === undefined) return edgeJson(c, name, () => find(scope))
  await takeRead(c)
  return c.json(await find(scope))
}

calls.get('/servers/:server_id/invites/', limitReads, nearbyForVisitors, async (c) => {
  const answer: ServerInvites = await serverInvites(c.env.DB, viewerOf(c), pathId(c, 'server_id'))
  return c.json(answer)
})

calls.get('/servers/:server_id/uses/', async (c) =>
  c.json(await serverUses(c.env.DB, requireMember(c), pathId(c, 'server_id'), Date.now())),
)

calls.post('/servers/:server_id/report/', async (c) => {
  const member = requireMember(c)
  const reason = textField(await formOf(c), 'reason')
  await reportServer(c.env.DB, member, { serverId: pathId(c, 'server_id'), reason }, Date.now())
  return c.json({ success: true, message: reportReceived } satisfies Done)
})

calls.put('/invites/:invite_id/track-usage/', limitReads, async (c) => {
  await trackUsage(c.env, viewerOf(c), pathId(c, 'invite_id'), {
    address: limitedAddress(c),
    now: Date.now(),
    later: laterOf(c),
  })
  return c.json(nothing)
})

calls.post('/invites/:invite_id/approve/', async (c) => {
  const member = requireMember(c)
  // Checked before the body is read, because only reviewers may see its errors.
  refuseUnlessReviewer(member)
  const keepsPrivacy = (await optionalField(c, 'changes_privacy')) === '0'
  const options = { now: Date.now(), later: laterOf(c), keepsPrivacy }
  return c.json(await approveInvite(c.env.DB, member, pathId(c, 'invite_id'), options))
})

calls.post('/invites/:invite_id/reject/', async (c) => {
  const member = requireMember(c)
  refuseUnlessReviewer(member)
  const reason = await optionalField(c, 'reason')
  return c.json(await rejectInvite(c.env.DB, member, { inviteId: pathId(c, 'invite_id'), reason }, Date.now()))
})

calls.post('/invites/:invite_id/withdraw/', async (c) => {
  const member = requireMember(c)
  refuseUnlessReviewer(member)
  const named = await optionalField(c, 'was')
  const was = decidedStates.find((state) => state === named)
  return c.json(await undoDecision(c.env.DB, member, { inviteId: pathId(c, 'invite_id'), was }, Date.now()))
})

calls.post('/invites/:invite_id/check/', async (c) => {
  const member = requireMember(c)
  await limit(c, 'validate-invite', member, 60)
  return c.json(await recheckInvite(c.env, member, pathId(c, 'invite_id'), Date.now()))
})

calls.post('/invites/:invite_id/cancel/', async (c) => {
  await withdrawInvite(c.env.DB, requireMember(c), pathId(c, 'invite_id'), Date.now())
  return c.json(nothing)
})

calls.post('/invites/:invite_id/close/', async (c) =>
  c.json(await closeInvite(c.env.DB, requireMember(c), pathId(c, 'invite_id'), Date.now())),
)

calls.get('/referral-redeem/', (c) => {
  const code = queryReferral(c)
  if (code === null) throw badRequest('No referral code provided.')
  rememberReferral(c, code)
  return c.json(nothing)
})

calls.post('/select-school', async (c) => {
  const member = requireMember(c)
  const school = textField(await formOf(c), 'school')
  await selectSchool(c.env.DB, member, school, Date.now())
  flash(c, 'success', 'School selected successfully!')
  return c.json({ success: true, message: 'School selected successfully!' } satisfies Done)
})

calls.get('/notices/', async (c) => c.json(await newestNotices(c.env.DB, requireMember(c).discordUserId)))

calls.post('/notices/read/', async (c) => {
  const member = requireMember(c)
  const typed = await optionalField(c, 'until')
  const until = typed === '' ? null : Date.parse(typed)
  if (Number.isNaN(until)) throw badRequest('Reload the page and try again.')
  const left: Pick<Notices, 'unread_count'> = {
    unread_count: await readAllNotices(c.env.DB, member.discordUserId, until, Date.now()),
  }
  return c.json(left)
})

calls.put('/notices/:notice_id/read/', async (c) => {
  await readNotice(c.env.DB, requireMember(c).discordUserId, pathId(c, 'notice_id'), Date.now())
  return c.json(nothing)
})

/** In ten minutes, as each call may cost a request to Discord; any number while the limiter cannot be reached. */
async function limit(c: SiteContext, action: string, { discordUser }: Member, most: number): Promise<void> {
  await refuseOver(c.env, action, discordUser.discord_id, { limit: most, window_ms: 600_000 })
}
