import { Hono } from 'hono'
import { readToday } from '../class-tracker/alerts/read-overview.ts'
import { readFront } from '../classcords/servers/newest-servers.ts'
import { sitemap } from '../classcords/servers/sitemap.ts'
import { edgeCached, everySchool } from '../web/edge/edge-cache.ts'
import { edgeText } from '../web/edge/edge-json.ts'
import { contextOf, showPage } from '../web/page/page.tsx'
import { queryId } from '../web/parse.ts'
import type { Share } from '../web/page/share.tsx'
import type { SiteContext, SiteEnv } from '../web/site.ts'
import { Dashboard, StaffDashboard } from './pages/dashboard.tsx'

export const home = new Hono<SiteEnv>()

const description = 'Find and join Discord servers for your college classes: search by course, code or school.'

home.get('/', edgeCached({ school: everySchool }), async (c) =>
  showPage(c, {
    page: 'Home',
    title: 'Dashboard',
    description,
    body: await bodyFor(c),
    share: shareHome(c.env.APP_URL),
  }),
)

/** What search engines may read and where to find it. Other pages that should not be indexed have their own noindex. */
home.get('/robots.txt', (c) =>
  c.text(`User-agent: *
${closedPaths.map((path) => `Disallow: ${path}`).join('\n')}

Sitemap: ${c.env.APP_URL}/sitemap.xml
`),
)

home.get('/sitemap.xml', (c) => {
  const file = queryId(c, 'page')
  const make = () => sitemap(c.env.DB, c.env.APP_URL, file)
  return edgeText(c, `sitemap/${file ?? 0}`, 'application/xml; charset=utf-8', make)
})

const closedPaths = ['/admin/', '/scheduler/', '/class_tracker/', '/classcords/ajax/', '/classcords/join/', '/notify/']

const shareHome = (origin: string): Share => ({
  path: '/',
  title: 'Class Cords: find the Discord for your class',
  picture: 'site',
  data: {
    '@type': 'WebSite',
    name: 'Class Cords',
    url: `${origin}/`,
    potentialAction: {
      '@type': 'SearchAction',
      target: `${origin}/classcords/all/?q={search_term_string}`,
      'query-input': 'required name=search_term_string',
    },
  },
})

async function bodyFor(c: SiteContext) {
  if (!c.get('user')?.is_superuser) return <Dashboard front={await readFront(c.env)} timeZone={c.get('timeZone')} />
  return <StaffDashboard {...await readToday(c.env, c.get('timeZone'), Date.now())} context={contextOf(c)} />
}
