import { Hono } from 'hono'
import { LinkButton } from '../../client/components/button.tsx'
import { DiscordMark } from '../../client/components/discord-mark.tsx'
import { connectHref, serverHref } from '../../client/islands/classcords/server-text.ts'
import { safeNext } from '../accounts/next.ts'
import { dropCookie } from '../web/security/cookies.ts'
import { edgeCached, everySchool } from '../web/edge/edge-cache.ts'
import { flash } from '../web/session/flash.ts'
import { showIsland } from '../web/page/island.tsx'
import { takeExpiredForm } from '../web/session/expired-form.ts'
import { contextOf, showPage } from '../web/page/page.tsx'
import { formOf, pathId, positiveInteger, queryId, queryPage, querySchool, textField } from '../web/parse.ts'
import { limitReads, takeRead } from '../web/limits/limits.ts'
import { notFound, Refusal } from '../web/refusal.ts'
import type { Share } from '../web/page/share.tsx'
import { nearbyForVisitors } from '../web/edge/site-version.ts'
import { laterOf, type SiteContext, type SiteEnv } from '../web/site.ts'
import { typedSearch } from '../lib/text.ts'
import { wantsJson } from '../web/wants-json.ts'
import {
  discordUsersOnly,
  directoryLoginPath,
  managersOnly,
  membersOnly,
  profilePath,
  redirectToSchoolChoice,
  redirectToLogin,
  welcomePath,
} from './access.ts'
import { counted } from '../../client/components/count-text.ts'
import { calls } from './calls.ts'
import type { ClasscordsLoginProps, ServerProps } from './contract.ts'
import { joinInvite } from './join/join-invite.ts'
import { listPending } from './invites/list-pending.ts'
import { listNotices } from './notices/list-notices.ts'
import { inviteGoneTitle, InviteGonePage } from './pages/invite-gone.tsx'
import { LoginPage } from './pages/login.tsx'
import { SchoolPage } from './pages/school.tsx'
import { profileOf } from './profile.ts'
import { hasInvalidReferral, queryReferral, referralOf } from './referrals/remembered-referral.ts'
import { referralRoutes } from './referrals/routes.tsx'
import { readSignUpOptions } from './referrals/sign-up-options.ts'
import { reportReceived, reportServer } from './reports/report-server.ts'
import { reportRoutes } from './reports/routes.tsx'
import { exploreListings, schoolPage } from './servers/explore.ts'
import { listWelcome } from './servers/newest-servers.ts'
import { conditionsOf, lastPage, type Search, sorts } from './servers/search-plan.ts'
import { serverPage } from './servers/server-page.ts'
import { serverDescription, serverTitle, shareSchool, shareServer } from './servers/share-servers.ts'
import { publicOf } from './servers/visibility.ts'
import { requireMember, viewerOf } from './viewer.ts'
import { pageQuery } from '../web/pagination.ts'

const description = 'Find and join Discord servers for your college classes'

export const classcords = new Hono<SiteEnv>()

const hasReferral = (c: SiteContext) => queryReferral(c) !== null

classcords.get('/', edgeCached({ school: everySchool, unless: hasReferral }), async (c) => {
  const viewer = viewerOf(c)
  const redirect = redirectToSchoolChoice(c, viewer)
  if (redirect) return redirect
  const props = await listWelcome(c.env, viewer, queryReferral(c))
  const share: Share = { path: welcomePath, title: 'Class Cords: Discord servers for your classes', picture: 'site' }
  return showIsland(c, 'classcords/welcome', { page: 'Welcome', title: 'Class Cords', description, props, share })
})

function searchOf(c: SiteContext): Search {
  return {
    page: queryPage(c),
    schoolId: querySchool(c),
    sort: sorts.find((sort) => sort === c.req.query('sort')) ?? 'relevance',
    subjectId: queryId(c, 'subject_id'),
    courseId: queryId(c, 'course_id'),
    query: typedSearch(c.req.query('q') ?? ''),
  }
}

const explore = edgeCached({
  school: everySchool,
  query: (c) => {
    const { schoolId, sort, subjectId, courseId, query } = searchOf(c)
    return { schoolId, sort: sort === 'relevance' ? null : sort, subjectId, courseId, query }
  },
  list: {
    page: queryPage,
    last: (c) => lastPage(publicOf(querySchool(c) ?? 0), conditionsOf(searchOf(c))),
  },
  unless: hasReferral,
})

classcords.get('/all/', explore, async (c) => {
  const props = await exploreListings(c.env, viewerOf(c), searchOf(c), queryReferral(c))
  const { current_page: number } = props.pagination
  // Only the pages of the whole list in its own order have canonical URLs of their own.
  const isWholeList = !props.is_search_active && !props.school_id && props.sort === 'relevance'
  const path = `/classcords/all/${isWholeList ? pageQuery(number) : ''}`
  const title = 'Explore All Listings'
  const share: Share = { path, title: 'Explore all class servers', picture: 'site' }
  return showIsland(c, 'classcords/explore', { page: 'ExploreAllListings', title, description, props, share })
})

/** Whether the page shows an error: the person has no account here, or their code was not valid. */
const isRefused = (c: SiteContext) => c.get('messages').some(({ level_tag }) => level_tag === 'error')

const login = edgeCached({
  unless: (c) => referralOf(c) !== null || hasInvalidReferral(c) || Boolean(c.req.query('next')),
})

classcords.get('/login/', login, async (c) => {
  const next = safeNext(c.req.query('next')) ?? ''
  if (viewerOf(c).discordUser) return c.redirect(next || welcomePath, 302)
  const props: ClasscordsLoginProps = { referral: referralOf(c) }
  if (hasInvalidReferral(c))
    flash(c, 'error', 'This is not a referral link or code. Copy the whole link and try again.')
  const needsOptions = props.referral !== null || isRefused(c)
  if (needsOptions) await takeRead(c)
  const options = needsOptions ? await readSignUpOptions(c.env, props.referral, Date.now()) : null
  const body = <LoginPage props={props} context={contextOf(c)} next={next} options={options} />
  const island = props.referral === null ? undefined : ('classcords/login' as const)
  const isInvited = props.referral !== null
  // The referral's owner appears only on the page, not in a link's preview.
  const share: Share = {
    path: directoryLoginPath,
    title: isInvited ? "You're invited to Class Cords" : 'Log in to Class Cords',
    picture: isInvited ? 'invitation' : 'site',
    isUnlisted: true,
  }
  return showPage(c, { page: 'ClasscordsLogin', title: 'Log in', description, props, body, island, share })
})

classcords.get('/login-success/', (c) => {
  const { user, discordUser, schoolId } = viewerOf(c)
  if (!user) return redirectToLogin(c)
  dropCookie(c, 'referral')
  if (!discordUser) {
    flash(c, 'warning', 'Discord account not properly linked. Please contact an administrator.')
    return c.redirect(welcomePath, 302)
  }
  const text =
    discordUser.login_count <= 1
      ? `Welcome, ${discordUser.display_name}! Thanks for signing up via Discord.`
      : `Welcome back, ${discordUser.display_name}! Successfully logged in via Discord.`
  flash(c, 'success', text)
  return c.redirect(schoolId === null ? profilePath : welcomePath, 302)
})

classcords.get('/profile/', async (c) => {
  const { user, discordUser } = viewerOf(c)
  if (!user) return redirectToLogin(c)
  if (!discordUser) {
    if (wantsJson(c)) throw notFound('No Discord account is linked to yours.')
    const body = <ConnectFirstPage name={user.name} />
    const props = { status: 404, messages: [connectFirstText] }
    return showPage(c, { page: 'Error', title: 'Connect Discord', props, status: 404, body })
  }
  const props = await profileOf(c.env, requireMember(c))
  return showIsland(c, 'classcords/profile', { page: 'Profile', title: 'My Profile', props })
})

const connectFirstText = 'Connect your Discord account to get a profile with your school, submissions, and referrals.'

/** Shown instead of a profile to a user who is logged in without Discord. */
function ConnectFirstPage({ name }: { name: string }) {
  return (
    <div className="narrow stack single">
      <h1>Connect Discord</h1>
      <p>{`You are logged in as ${name}, but no Discord account is connected.`}</p>
      <p>{connectFirstText}</p>
      <LinkButton kind="discord" large wide href={connectHref(profilePath)}>
        <DiscordMark />
        Connect Discord
      </LinkButton>
    </div>
  )
}

classcords.get('/unapproved-invites/', managersOnly, async (c) => {
  const props = await listPending(c.env, queryPage(c))
  const title = 'Unapproved Discord Invites'
  return showIsland(c, 'classcords/unapproved-invites', { page: 'UnapprovedInvites', title, props })
})

classcords.get('/notices/', membersOnly, async (c) => {
  const props = await listNotices(c.env.DB, requireMember(c).discordUserId, queryPage(c))
  return showIsland(c, 'classcords/notices', { page: 'Notices', title: 'Notifications', props })
})

const school = edgeCached({
  school: (c) => positiveInteger(c.req.param('school_id')),
  list: {
    page: queryPage,
    last: (c) => lastPage(publicOf(positiveInteger(c.req.param('school_id')) ?? 0), []),
  },
})

classcords.get('/school/:school_id/', school, async (c) => {
  const props = await schoolPage(c.env, pathId(c, 'school_id'), queryPage(c))
  const body = <SchoolPage props={props} context={contextOf(c)} />
  const title = `Discord servers at ${props.school.name}`
  const count = counted(props.server_count, 'Discord server')
  return showPage(c, {
    page: 'School',
    title,
    description: `${count} for classes at ${props.school.name}. Find yours and join.`,
    props,
    body,
    share: shareSchool(props, c.env.APP_URL),
  })
})

classcords.get('/server/:server_id/', limitReads, nearbyForVisitors, async (c) => showServer(c, await expiredReport(c)))

/** A refused report is shown at this URL; opening it again leads to the server. */
classcords.get('/server/:server_id/report/', discordUsersOnly, (c) =>
  c.redirect(serverHref({ id: pathId(c, 'server_id') }), 302),
)

classcords.post('/server/:server_id/report/', discordUsersOnly, async (c) => {
  const serverId = pathId(c, 'server_id')
  const reason = textField(await formOf(c), 'reason')
  try {
    await reportServer(c.env.DB, requireMember(c), { serverId, reason }, Date.now())
  } catch (error) {
    if (!(error instanceof Refusal) || error.status === 404) throw error
    for (const [name, value] of Object.entries(error.headers)) c.header(name, value)
    return showServer(c, { reason, errors: error.messages }, error.status === 429 ? 429 : 422)
  }
  flash(c, 'success', reportReceived)
  return c.redirect(serverHref({ id: serverId }), 303)
})

/** A report that was sent after the session had expired, for a member who has logged in again. */
async function expiredReport(c: SiteContext): Promise<ServerProps['refused_report']> {
  if (!viewerOf(c).discordUser) return null
  const form = await takeExpiredForm(c, `${serverHref({ id: pathId(c, 'server_id') })}report/`)
  const errors = ['You were logged out before this was sent. Please send it again.']
  return form && { reason: textField(form, 'reason'), errors }
}

async function showServer(
  c: SiteContext,
  refused: ServerProps['refused_report'],
  status: 200 | 422 | 429 = 200,
): Promise<Response> {
  const shown = await serverPage(c.env, viewerOf(c), pathId(c, 'server_id'), Date.now())
  if (!shown) return redirectToLogin(c)
  const props: ServerProps = { ...shown, refused_report: refused }
  const share = shareServer(props.server, c.env.APP_URL)
  return showIsland(c, 'classcords/server', {
    page: 'Server',
    title: serverTitle(props.server),
    description: serverDescription(props.server),
    props,
    status,
    errors: refused?.errors.map((message) => ({ message })) ?? [],
    ...(share && { share }),
  })
}

classcords.get('/join/:invite_id/', limitReads, nearbyForVisitors, async (c) => {
  const options = { now: Date.now(), later: laterOf(c) }
  const joining = await joinInvite(c.env, viewerOf(c), pathId(c, 'invite_id'), options)
  if (joining === null) return redirectToLogin(c)
  if ('to' in joining) return c.redirect(joining.to, 302)
  const props = joining.gone
  const title = inviteGoneTitle(props)
  const body = <InviteGonePage props={props} context={contextOf(c)} />
  return showPage(c, { page: 'InviteGone', title, props, status: 410, errors: [{ message: title }], body })
})

classcords.route('/', referralRoutes)
classcords.route('/', reportRoutes)
classcords.route('/', calls)
