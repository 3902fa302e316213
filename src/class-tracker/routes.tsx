import { Hono } from 'hono'
import { safeNext } from '../accounts/next.ts'
import { answerLogin, type LoginForm, initialLogin } from '../accounts/log-in.ts'
import { ContactKind } from '../lib/contract.ts'
import { edgeCached, emptyForm } from '../web/edge/edge-cache.ts'
import { showIsland } from '../web/page/island.tsx'
import { contextOf, showPage } from '../web/page/page.tsx'
import { formOf, pathId, queryId, queryPage, textField } from '../web/parse.ts'
import { logOut } from '../accounts/sessions/start-session.ts'
import { laterOf, type SiteContext, type SiteEnv } from '../web/site.ts'
import { listAlerts } from './alerts/list-alerts.ts'
import { readOverview } from './alerts/read-overview.ts'
import { calls } from './calls.ts'
import { listedSchools } from './listed-schools/routes.tsx'
import { manageCourseList } from './refresh/manage-course-list.ts'
import { SectionStatus } from './courses/contract.ts'
import { dismissSourceNotice } from './courses/tracker-problems.ts'
import { IndexPage } from './pages/index.tsx'
import { LoginPage, LogoutPage } from './pages/login.tsx'
import { listRecipients } from './recipients/list-recipients.ts'
import { staffOnly, trackerActorOf } from './tracker-actor.ts'

import * as z from 'zod/mini'

const home = '/class_tracker/'

export const classTracker = new Hono<SiteEnv>()

classTracker.get('/', edgeCached({}), async (c) => {
  const overview = c.get('user')?.is_superuser ? await readOverview(c.env, c.get('timeZone'), Date.now()) : null
  const body = <IndexPage context={contextOf(c)} overview={overview} />
  return showPage(c, { page: 'ClassTrackerIndex', title: 'Class Tracker', body })
})

classTracker.get('/login_view/', emptyForm, async (c) => {
  if (c.get('user')) return c.redirect(safeNext(c.req.query('next')) ?? home, 302)
  return showLogin(c, await initialLogin(c, { path: '/class_tracker/login_view/', loginField: 'username' }))
})

classTracker.post('/login_view/', (c) =>
  answerLogin(c, { loginField: 'username', home, showAgain: (sent) => showLogin(c, sent) }),
)

classTracker.get('/logout_view/', async (c) => {
  if (!c.get('user')) return c.redirect(home, 302)
  return showPage(c, {
    page: 'ClassTrackerLogout',
    title: 'Log out',
    body: <LogoutPage context={contextOf(c)} />,
  })
})

classTracker.post('/logout_view/', async (c) => {
  await logOut(c)
  return c.redirect(home, 303)
})

classTracker.get('/add_classes/', staffOnly, async (c) => {
  const asked = {
    page: queryPage(c),
    search: c.req.query('q') ?? '',
    filters: {
      status: z.safeParse(SectionStatus, c.req.query('status')).data ?? null,
      school_id: queryId(c, 'school_id'),
      term_id: queryId(c, 'term_id'),
    },
  }
  const props = await listRecipients(c.env, asked, Date.now())
  return showIsland(c, 'class-tracker/add-classes', { page: 'AddClasses', title: 'Add Classes', props })
})

classTracker.get('/class_alerts/', staffOnly, async (c) => {
  const asked = {
    recipientId: queryId(c, 'recipient_id'),
    isFailedOnly: c.req.query('result') === 'failed',
    channel: z.safeParse(ContactKind, c.req.query('channel')).data ?? null,
    search: c.req.query('q') ?? '',
    page: queryPage(c),
  }
  const props = await listAlerts(c.env, asked, Date.now(), laterOf(c))
  return showIsland(c, 'class-tracker/class-alerts', { page: 'ClassAlerts', title: 'Class Alerts', props })
})

classTracker.get('/manage_course_list/', staffOnly, async (c) => {
  const props = await manageCourseList(c.env, Date.now())
  return showIsland(c, 'class-tracker/manage-course-list', {
    page: 'ManageCourseList',
    title: 'Manage Courselist',
    props,
  })
})

classTracker.post('/source_notices/:notice_id/dismiss/', staffOnly, async (c) => {
  await dismissSourceNotice(c.env.DB, trackerActorOf(c), pathId(c, 'notice_id'), Date.now())
  const next = textField(await formOf(c), 'next')
  return c.redirect(safeNext(next) ?? home, 303)
})

classTracker.route('/schools', listedSchools)
classTracker.route('/', calls)

function showLogin(c: SiteContext, { login, next, message, status }: LoginForm): Promise<Response> {
  return showPage(c, {
    page: 'ClassTrackerLogin',
    title: 'Log in',
    props: { next },
    status,
    errors: [{ message }],
    body: <LoginPage context={contextOf(c)} username={login} next={next} message={message} />,
  })
}
