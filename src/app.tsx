import { reactRenderer } from '@hono/react-renderer'
import { Hono } from 'hono'
import { discordRoutes } from './accounts/discord/routes.tsx'
import { accounts } from './accounts/routes.tsx'
import { adminRoutes } from './admin/routes.tsx'
import { adminTables } from './admin/tables.ts'
import { schedules } from './background-jobs.ts'
import { admit } from './classcords/referrals/admit.ts'
import { classcords } from './classcords/routes.tsx'
import { notifyRoutes } from './class-tracker/deliveries/routes.tsx'
import { linkRoutes } from './class-tracker/links/routes.tsx'
import { ownPageRoutes, pushRoutes } from './class-tracker/own-page/routes.tsx'
import { classTracker } from './class-tracker/routes.tsx'
import { home } from './home/routes.tsx'
import { schedulerRoutes } from './scheduler/routes.tsx'
import { csrfProtection } from './web/security/csrf.ts'
import { Document } from './web/page/document.tsx'
import { answerError, answerNotFound } from './web/page/errors.tsx'
import { flashMessages } from './web/session/flash.ts'
import { requireHttps, securityHeaders } from './web/security/headers.ts'
import { expireVersions } from './web/edge/site-version.ts'
import { logRequest } from './web/request-log.ts'
import { mount, pathOf, requireRoute } from './web/routing.ts'
import { readSession } from './web/session/session.ts'
import { requireSetUp } from './web/set-up.ts'
import type { SiteEnv } from './web/site.ts'
import { readTimeZone } from './web/security/client-address.ts'

export const app = new Hono<SiteEnv>({ getPath: pathOf })

app.use(
  logRequest,
  securityHeaders,
  requireHttps,
  reactRenderer(({ children, ...page }) => <Document {...page}>{children}</Document>),
  requireSetUp(),
  readTimeZone,
  flashMessages,
  readSession,
  requireRoute(() => app.router),
  csrfProtection,
  expireVersions,
)
app.onError(answerError)
app.notFound(answerNotFound)

mount(app, '/', home)
mount(app, '/accounts', accounts)
mount(app, '/accounts', discordRoutes(admit))
mount(app, '/class_tracker', classTracker)
mount(app, '/classcords', classcords)
mount(app, '/notify', notifyRoutes)
mount(app, '/s', linkRoutes)
mount(app, '/r', ownPageRoutes)
mount(app, '/push', pushRoutes)
mount(app, '/scheduler', schedulerRoutes(schedules))
mount(app, '/admin', adminRoutes(adminTables))
