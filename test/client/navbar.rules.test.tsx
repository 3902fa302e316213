import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { MessagesBanner } from '../../client/components/messages-banner.tsx'
import { barOf, currentPlace } from '../../client/components/navbar-places.ts'
import { Navbar } from '../../client/components/navbar.tsx'
import { pageContext } from './samples.ts'

const anonymous = { is_authenticated: false, is_superuser: false, name: '', discord_user: null }
const labels = (context = pageContext()) => barOf(context).places.map(({ label }) => label)

test('only superusers see the links of the class tracker', () => {
  expect(labels()).toEqual(['Manage Courselist', 'Add Classes', 'Class Alerts', 'Admin', 'Home'])
  expect(labels(pageContext({ user: anonymous }))).toEqual([])
})

test('superusers can reach the scheduler from the front page, and its pages from each of them', () => {
  expect(labels(pageContext({ path: '/' }))).toEqual(['Class Tracker', 'Servers', 'Scheduler', 'Admin'])
  expect(labels(pageContext({ path: '/', user: anonymous }))).toEqual(['Servers'])
  const { places } = barOf(pageContext({ path: '/scheduler/queues/polls/failed/jobs' }))
  expect(places.map(({ label }) => label)).toEqual(['Queues', 'Workers', 'Audit log', 'Admin', 'Home'])
  expect(currentPlace(places, '/scheduler/queues/polls/failed/jobs')?.label).toBe('Queues')
  expect(currentPlace(places, '/scheduler/jobs/some-job/')?.label).toBe('Queues')
  expect(currentPlace(places, '/scheduler/nowhere/')).toBeNull()
  expect(currentPlace(places, '/scheduler/workers/some-worker/')?.label).toBe('Workers')
  expect(currentPlace(places, '/scheduler/audit/')?.label).toBe('Audit log')
  expect(labels(pageContext({ path: '/scheduler/nowhere', user: anonymous }))).toEqual(['Home'])
})

test('login and logout stay in the area of the page', () => {
  expect(barOf(pageContext())).toMatchObject({
    logIn: '/class_tracker/login_view/',
    logOut: '/class_tracker/logout_view/',
  })
  expect(barOf(pageContext({ path: '/classcords/all/' })).logOut).toBe('/accounts/logout/?next=/classcords/')
  expect(barOf(pageContext({ path: '/' }))).toMatchObject({ logIn: '/accounts/login/', logOut: '/accounts/logout/' })
})

test('everyone sees Log In or Log Out, and logging out is a form with the token', () => {
  expect(renderToString(<Navbar context={pageContext({ user: anonymous })} />)).toContain('Log In')
  const loggedIn = renderToString(<Navbar context={pageContext()} />)
  expect(loggedIn).toContain('Log Out')
  const logOut = loggedIn.slice(loggedIn.indexOf('<form'), loggedIn.indexOf('</form>'))
  expect(logOut).toContain('method="post"')
  expect(logOut).toContain('action="/class_tracker/logout_view/"')
  expect(logOut).toContain('<input type="hidden" name="csrf_token" value="token"/>')
})

test('the current link is marked, with and without the slash, and Home only on its own page', () => {
  const { places } = barOf(pageContext())
  expect(currentPlace(places, '/class_tracker/add_classes')?.label).toBe('Add Classes')
  expect(currentPlace(places, '/class_tracker/class_alerts/')?.label).toBe('Class Alerts')
  expect(currentPlace(places, '/class_tracker/')).toBeNull()
  expect(currentPlace(places, '/')?.label).toBe('Home')
})

test('an error is shown as danger, and every message can be dismissed without a script', () => {
  const messages = [
    { level_tag: 'error' as const, message: 'Bad <b>' },
    { level_tag: 'success' as const, message: 'Good' },
  ]
  const html = renderToString(<MessagesBanner messages={messages} />)
  expect(html).toContain('message-danger')
  expect(html).toContain('Bad &lt;b&gt;')
  expect(html.match(/<form method="dialog">/g)).toHaveLength(2)
  expect(renderToString(<MessagesBanner messages={[]} />)).toBe('')
})
