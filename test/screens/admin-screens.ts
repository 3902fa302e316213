import { names } from '../browser/seed-extremes.ts'
import type { App } from '../browser/app.ts'
import { firstOf, longestName, type Screen } from './screen.ts'

const admin = (name: string, path: Screen['path'], more: Partial<Screen> = {}): Screen => ({
  name: `admin/${name}`,
  role: 'staff',
  path,
  ...more,
})

async function longestRecipient(app: App): Promise<string> {
  const name = await longestName(app)
  const found = await app.sql<{ id: number }>('SELECT id FROM recipient WHERE name = ?', name)
  return `/admin/recipients/${found[0]?.id ?? 0}/`
}

/** The admin: its front page, lists, rows, confirmations and audit log. */
export const adminScreens: readonly Screen[] = [
  admin('index', '/admin/'),
  admin('recipients', '/admin/recipients/'),
  admin('recipients chosen', '/admin/recipients/?q=re', {
    async act({ page }) {
      await page.locator('.admin-filters summary').click()
      await page.getByRole('checkbox').nth(1).check()
    },
  }),
  admin('nothing', '/admin/recipients/?q=nobody+at+all'),
  admin('sections', '/admin/sections/'),
  admin('sections watched', async (app) => {
    const term = await firstOf(
      app,
      'SELECT term_id AS id FROM school_term WHERE id = (SELECT school_term_id FROM section WHERE watch_count > 0 LIMIT 1)',
    )
    return `/admin/sections/?watched=yes&term=${term}&sort=number`
  }),
  admin('deliveries', '/admin/deliveries/'),
  admin('sources', '/admin/sources/'),
  admin('add', '/admin/recipients/add/'),
  admin('refused', '/admin/recipients/add/', {
    async act(visit) {
      visit.expectStatus(422)
      await visit.page.locator('[name=contacts-new-address]').fill('12')
      await visit.follow(visit.page.getByRole('button', { name: /^Add recipient/ }))
    },
  }),
  admin('recipient', longestRecipient),
  admin('section', async (app) => `/admin/sections/${await firstOf(app, 'SELECT min(id) AS id FROM section')}/`),
  admin('source', async (app) => `/admin/sources/${await firstOf(app, 'SELECT max(id) AS id FROM source')}/`),
  admin('delete', async (app) => `${await longestRecipient(app)}delete/`),
  admin('history', '/admin/recipients/1/history/', {
    async prepare(app) {
      await app.sql("UPDATE recipient SET description = 'Of the demo' WHERE id = 1")
    },
    async act(visit) {
      await visit.open('/admin/recipients/1/')
      await visit.page.getByLabel('Description').fill(names.wordy)
      await visit.follow(visit.page.getByRole('button', { name: 'Save', exact: true }))
      await visit.open('/admin/recipients/1/history/')
    },
  }),
  admin('audit', '/admin/audit/'),
  admin('audit entry', async (app) => `/admin/audit/${await firstOf(app, 'SELECT max(id) AS id FROM audit')}/`),
]
