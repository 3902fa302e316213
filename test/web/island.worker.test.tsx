import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { Document } from '../../src/web/page/document.tsx'
import { Island } from '../../src/web/page/island.tsx'
import type { PageContext } from '../../src/web/contract.ts'
import { withoutKeys } from '../worker/keys-script.ts'

const context: PageContext = {
  user: { is_authenticated: true, is_superuser: true, name: 'ada', discord_user: null },
  csrf_token: 'token',
  messages: [],
  path: '/class_tracker/add_classes/',
  static_url: '/assets/',
  time_zone: 'UTC',
}
const pagination = {
  current_page: 1,
  total_pages: 1,
  has_previous: false,
  has_next: false,
  previous_page_number: 0,
  next_page_number: 0,
}
const props = { recipients: [], pagination, terms: [], schools: [], paused_queues: [], unread_sources: [] }
const name = 'class-tracker/add-classes'

it("renders an island as a separate root, with ids that begin with the root's", () => {
  const html = renderToStaticMarkup(<Island name={name} props={props} context={context} />)
  expect(html).toMatch(
    /^<div id="island-class-tracker-add-classes" data-island="class-tracker\/add-classes">.+<\/div>$/s,
  )
  expect(html).toContain('No recipients found')
  for (const [, id] of html.matchAll(/ id="(_[^"]*)"/g)) expect(id).toContain('island-class-tracker-add-classes')
})

it('loads scripts only for a page with an island, and fetches its chunks sooner', () => {
  const page = (island?: typeof name) =>
    renderToStaticMarkup(
      <Document title="Add Classes" pageData={{ page: 'AddClasses', props, context }} island={island}>
        <p>body</p>
      </Document>,
    )
  expect(page(name)).toMatch(/<script type="module" src="\/assets\/main-[A-Z0-9]+\.js"><\/script>/)
  expect(page(name)).toMatch(/<link rel="modulepreload" href="\/assets\/add-classes-[A-Z0-9]+\.js"\/>/)
  expect(withoutKeys(page())).not.toContain('type="module"')
})
