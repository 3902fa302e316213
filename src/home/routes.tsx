import { Hono } from 'hono'
import { edgeCached } from '../web/edge-cache.ts'
import { showPage } from '../web/page.tsx'
import type { SiteEnv } from '../web/site.ts'
import { Dashboard } from './pages/dashboard.tsx'

export const home = new Hono<SiteEnv>()

home.get('/', edgeCached({}), (c) =>
  showPage(c, {
    page: 'Home',
    title: 'Dashboard',
    props: {},
    body: <Dashboard isSuperuser={c.get('user')?.is_superuser ?? false} />,
  }),
)
