import { Hono } from 'hono'
import type { ReactElement } from 'react'
import { renderToString } from 'react-dom/server'
import type { IslandName } from '../../../client/islands/index.ts'
import { LoginPage } from '../../../src/accounts/pages/login.tsx'
import { listAlerts } from '../../../src/class-tracker/alerts/list-alerts.ts'
import { readToday } from '../../../src/class-tracker/alerts/read-overview.ts'
import { manageCourseList } from '../../../src/class-tracker/refresh/manage-course-list.ts'
import { listRecipients } from '../../../src/class-tracker/recipients/list-recipients.ts'
import { listPending } from '../../../src/classcords/invites/list-pending.ts'
import { exploreListings } from '../../../src/classcords/servers/explore.ts'
import { listWelcome, readFront } from '../../../src/classcords/servers/newest-servers.ts'
import type { Viewer } from '../../../src/classcords/viewer.ts'
import { Dashboard, StaffDashboard } from '../../../src/home/pages/dashboard.tsx'
import type { PageContext } from '../../../src/web/contract.ts'
import { Document } from '../../../src/web/page/document.tsx'
import { Island } from '../../../src/web/page/island.tsx'
import { createSession } from '../../../src/accounts/sessions/start-session.ts'
import { findSession } from '../../../src/web/session/session-records.ts'
import type { CurrentUser } from '../../../src/web/site.ts'
import { prefix } from './prefix.ts'

/**
 * The pages from bare handlers: the same reads (including the session), the same components, and no middleware, token,
 * message, log or header.
 */

export type Bindings = Parameters<typeof findSession>[0]

interface Made {
  page: string
  title: string
  island: IslandName | undefined
  props: object
  body: ReactElement
}
type Make = (env: Bindings, user: CurrentUser | null, context: PageContext, url: URL) => Promise<Made> | Made

const finished = new Map<string, string>()
const nothingAsked = { page: 1, schoolId: null, sort: 'relevance' as const, subjectId: null, courseId: null, query: '' }

function viewerOf(user: CurrentUser | null): Viewer {
  const discordUser = user?.discord_user ?? null
  const isManager = discordUser?.role_info.value === 'manager'
  return {
    user,
    discordUser,
    schoolId: discordUser?.school?.id ?? null,
    isManager,
    isSuperuser: user?.is_superuser ?? false,
  }
}

const pages: Record<string, Make> = {
  '/': async (env, user, context) => {
    const body = user?.is_superuser ? (
      <StaffDashboard {...await readToday(env, context.time_zone, Date.now())} context={context} />
    ) : (
      <Dashboard front={await readFront(env)} timeZone={context.time_zone} />
    )
    return { page: 'Home', title: 'Dashboard', island: undefined, props: {}, body }
  },
  '/accounts/login/': (_env, _user, context) => {
    const body = <LoginPage context={context} login="" remember={false} next="" message="" />
    return { page: 'Login', title: 'Sign In', island: undefined, props: {}, body }
  },
  '/classcords/': async (env, user, context, url) => {
    const props = await listWelcome(env, viewerOf(user), url.searchParams.get('referral'))
    const body = <Island name="classcords/welcome" props={props} context={context} />
    return { page: 'Welcome', title: 'Class Cords', island: 'classcords/welcome', props, body }
  },
  '/classcords/all/': async (env, user, context, url) => {
    const props = await exploreListings(env, viewerOf(user), nothingAsked, url.searchParams.get('referral'))
    const body = <Island name="classcords/explore" props={props} context={context} />
    return { page: 'ExploreAllListings', title: 'Explore All Listings', island: 'classcords/explore', props, body }
  },
  '/classcords/unapproved-invites/': async (env, _user, context) => {
    const props = await listPending(env, 1)
    const island = 'classcords/unapproved-invites'
    const body = <Island name={island} props={props} context={context} />
    return { page: 'UnapprovedInvites', title: 'Unapproved Discord Invites', island, props, body }
  },
  '/class_tracker/add_classes/': async (env, _user, context) => {
    const props = await listRecipients(env, { page: 1, search: '' }, Date.now())
    const island = 'class-tracker/add-classes'
    const body = <Island name={island} props={props} context={context} />
    return { page: 'AddClasses', title: 'Add Classes', island, props, body }
  },
  '/class_tracker/class_alerts/': async (env, _user, context) => {
    const props = await listAlerts(env, { recipientId: null, search: '', page: 1 }, Date.now(), () => undefined)
    const island = 'class-tracker/class-alerts'
    const body = <Island name={island} props={props} context={context} />
    return { page: 'ClassAlerts', title: 'Class Alerts', island, props, body }
  },
  '/class_tracker/manage_course_list/': async (env, _user, context) => {
    const props = await manageCourseList(env, Date.now())
    const island = 'class-tracker/manage-course-list'
    const body = <Island name={island} props={props} context={context} />
    return { page: 'ManageCourseList', title: 'Manage Courselist', island, props, body }
  },
}

export const bare = new Hono<{ Bindings: Bindings }>()

for (const [path, make] of Object.entries(pages)) {
  bare.get(prefix + path, async (c) => {
    const token = /(?:^|; )session=([^;]+)/.exec(c.req.header('cookie') ?? '')?.[1]
    const found = token === undefined ? null : await findSession(c.env, { token, kind: 'http' }, Date.now())
    const user = found?.user ?? null
    // The site reads the session's record too, without waiting for it.
    if (found) c.executionCtx.waitUntil(c.env.SESSIONS.get(`session:${found.session.idHash}`))
    const context: PageContext = {
      user: {
        is_authenticated: user !== null,
        is_superuser: user?.is_superuser ?? false,
        name: user?.name ?? '',
        discord_user: user?.discord_user ?? null,
      },
      csrf_token: 'A'.repeat(43),
      messages: [],
      path,
      static_url: '/assets/',
      time_zone: String(Reflect.get(c.req.raw, 'cf')?.timezone ?? 'UTC'),
    }
    const { page, title, island, props, body } = await make(c.env, user, context, new URL(c.req.url))
    const html = renderToString(
      <Document title={title} pageData={{ page, props, context }} island={island}>
        {body}
      </Document>,
    )
    finished.set(path, html)
    return c.html(`<!DOCTYPE html>${html}`)
  })
  bare.get(`${prefix}/finished${path}`, (c) => c.html(finished.get(path) ?? ''))
}

/** Logs in the requested user, otherwise the first one; the answer is the cookie. */
bare.post(`${prefix}/login`, async (c) => {
  const browser = { ipAddress: null, userAgent: null, country: null }
  const userId = Number(c.req.query('user') ?? 1)
  const found = c.env.DB.prepare('SELECT password_hash FROM user WHERE id = ?').bind(userId)
  const passwordHash = await found.first<string | null>('password_hash')
  const asked = { userId, passwordHash, isPersistent: false, kind: 'http', browser, replaces: null } as const
  const { token } = await createSession(c.env, { ...asked, now: Date.now() })
  return c.text(`session=${token}`)
})
