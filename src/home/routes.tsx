import { Hono } from 'hono'
import { readOverview } from '../class-tracker/alerts/read-overview.ts'
import { readFront } from '../classcords/servers/front-servers.ts'
import { edgeCached } from '../web/edge-cache.ts'
import { showPage } from '../web/page.tsx'
import type { SiteContext, SiteEnv } from '../web/site.ts'
import { Dashboard, StaffDashboard } from './pages/dashboard.tsx'

export const home = new Hono<SiteEnv>()

const description = 'Find and join Discord servers for your college classes: search by course, code or school.'
const everySchool = () => 0

home.get('/', edgeCached({ school: everySchool }), async (c) =>
  showPage(c, { page: 'Home', title: 'Dashboard', description, props: {}, body: await bodyFor(c) }),
)

async function bodyFor(c: SiteContext) {
  if (!c.get('user')?.is_superuser) return <Dashboard front={await readFront(c.env)} />
  const { today } = await readOverview(c.env, c.get('timeZone'), Date.now())
  return <StaffDashboard today={today} />
}
