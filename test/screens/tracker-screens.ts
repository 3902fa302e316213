import type { Locator } from 'playwright-core'
import { control } from '../world/client.ts'
import { chooseInMenu } from '../browser/row-menu.ts'
import { knownSubject } from '../browser/seed.ts'
import type { Visit } from '../browser/visit.ts'
import type { App } from '../browser/app.ts'
import { longestName, type Screen } from './screen.ts'

const dialog = 'dialog[open]:not(.message)'
const addClasses = '/class_tracker/add_classes/'
/** Add Classes with one recipient, whose name is long. */
const longRecipient = async (app: App): Promise<string> =>
  `${addClasses}?${new URLSearchParams({ q: (await longestName(app)).slice(0, 40) })}`

const cardOf = ({ page }: Visit, name: string): Locator => page.getByRole('article', { name, exact: true })

async function press(visit: Visit, label: RegExp, name: string): Promise<void> {
  await cardOf(visit, name).getByRole('button', { name: label }).first().click()
  await visit.page.locator(dialog).waitFor()
}

async function openByMenu(visit: Visit, app: App, act: 'Edit' | 'Remove'): Promise<void> {
  await chooseInMenu(cardOf(visit, await longestName(app)), act)
  await visit.page.locator(dialog).waitFor()
}

async function openSection(visit: Visit, app: App): Promise<void> {
  const recipient = await longestName(app)
  const [section] = await app.sql<{ shown: string }>(
    `SELECT iif(s.topic = '', c.title, s.topic) AS shown FROM watch w JOIN section s ON s.id = w.section_id
      JOIN course c ON c.id = s.course_id JOIN recipient r ON r.id = w.recipient_id
      WHERE r.name = ? ORDER BY length(shown) DESC, instr(shown, ' ') LIMIT 1`,
    recipient,
  )
  await cardOf(visit, recipient)
    .getByRole('listitem')
    .getByRole('button', { name: section?.shown ?? '' })
    .first()
    .click()
  await visit.page.locator(dialog).getByText('Free seats, last 7 days').waitFor()
}

async function chooseSection(visit: Visit, app: App): Promise<void> {
  await press(visit, /^Add section/, await longestName(app))
  const within = visit.page.locator(dialog)
  const { school, term, subject } = knownSubject(app)
  for (const [level, chosen] of [
    ['School', school],
    ['Term', term],
    ['Subject', subject],
  ] as const) {
    await within.getByRole('combobox', { name: level }).fill(chosen)
    await within.getByRole('option', { name: chosen }).click()
  }
  await within.getByRole('option').nth(1).waitFor()
}

async function chooseSchool({ page }: Visit, app: App): Promise<string> {
  const { school, term } = knownSubject(app)
  await page.getByLabel('School').selectOption(school)
  await page.getByLabel('Term', { exact: true }).selectOption(term)
  return school
}

async function refresh(visit: Visit, app: App): Promise<void> {
  await chooseSchool(visit, app)
  await visit.page.getByRole('button', { name: 'Refresh subjects' }).click()
  await visit.page.getByText('Success!').waitFor()
}

async function refreshSlowly(visit: Visit, app: App): Promise<void> {
  const school = await chooseSchool(visit, app)
  await control(app.world.url, 'POST', 'faults', { service: school, mode: 'slow' })
  await visit.page.getByRole('button', { name: 'Refresh subjects' }).click()
  await visit.page.getByRole('progressbar').waitFor()
}

/** The page of a message about a section that now has this status. */
const linkTo = (status: 'open' | 'closed' | 'unknown') => async (app: App) => {
  const [found] = await app.sql<{ delivery_id: number; section_id: number }>(
    'SELECT l.delivery_id, a.section_id FROM delivery_alert l JOIN class_alert a ON a.id = l.alert_id ORDER BY a.created_at DESC LIMIT 1',
  )
  if (!found) throw new Error('There is no message to look at.')
  const code = status.padEnd(10, '0')
  await app.sql('UPDATE delivery SET link_code = ?, created_at = ? WHERE id = ?', code, Date.now(), found.delivery_id)
  await app.sql(
    `UPDATE section SET status = ?, seats_available = ?, capacity = 120, missing_since = NULL, unknown_since = NULL WHERE id = ?`,
    status,
    status === 'open' ? 3 : 0,
    found.section_id,
  )
  return `/s/${code}`
}

async function openInvitation({ page }: Visit): Promise<void> {
  await chooseInMenu(page, 'Copy invitation')
  await page.locator(dialog).getByRole('button', { name: 'Copy' }).waitFor()
}

/** Opens the page of the recipient with the most to show, by the link that staff copy. */
async function openOwnPage(visit: Visit, app: App): Promise<void> {
  const [found] = await app.sql<{ id: number }>(
    'SELECT recipient_id AS id FROM contact GROUP BY recipient_id ORDER BY count(*) DESC LIMIT 1',
  )
  const answer = await visit.page.request.get(`/class_tracker/get_recipient_link/${found?.id}`)
  const { url } = (await answer.json()) as { url: string }
  await visit.open(url)
}

/** A recipient with a device, quiet hours and a pause. */
const chooseEverything = (app: App): Promise<unknown> =>
  app.sqlTogether([
    {
      text: `UPDATE recipient SET quiet_from = 1320, quiet_until = 420, time_zone = 'America/New_York', paused_until = ?`,
      values: [Date.now() + 24 * 3600_000],
    },
    {
      text: `INSERT INTO contact (recipient_id, kind, address, address_key, device, created_at)
        SELECT recipient_id, 'push', 'https://web.push.apple.com/' || recipient_id, 'https://web.push.apple.com/' || recipient_id,
          'Safari on iPhone', 0 FROM contact GROUP BY recipient_id ON CONFLICT DO NOTHING`,
    },
  ])

const at = (name: string, path: Screen['path'], more: Partial<Screen> = {}): Screen => ({
  name: `tracker/${name}`,
  role: 'staff',
  path,
  ...more,
})

/** Home, what no one may see, and the class tracker. */
export const trackerScreens: readonly Screen[] = [
  at('home', '/'),
  at('not found', '/no-such-page/', { role: 'anyone', status: 404 }),
  at('restricted', addClasses, { role: 'student', status: 403 }),
  at('menu', '/class_tracker/', {
    isDialog: true,
    async act({ page }) {
      // On a phone the links are behind a button; on a desktop there is only the profile's.
      await page.getByRole('button', { name: 'Account of admin' }).click()
    },
  }),
  at('index for anyone', '/class_tracker/', { role: 'anyone' }),
  at('index', '/class_tracker/'),
  at('log in', '/class_tracker/login_view/', { role: 'anyone' }),
  at('log out', '/class_tracker/logout_view/'),
  at('add classes', addClasses),
  at('add classes end', `${addClasses}?page=3`),
  at('add classes difficult', `${addClasses}?page=2`),
  at('add classes filtered', `${addClasses}?status=closed`),
  at('add classes nothing', addClasses, {
    act: async ({ page }) => {
      await page.getByRole('searchbox').fill('nobody at all')
      await page.getByText('Nothing matches').waitFor()
    },
  }),
  at('recipient dialog', longRecipient, { isDialog: true, act: (visit, app) => openByMenu(visit, app, 'Edit') }),
  at('remove dialog', longRecipient, { isDialog: true, act: (visit, app) => openByMenu(visit, app, 'Remove') }),
  at('section dialog', longRecipient, { isDialog: true, act: openSection }),
  at('watch dialog', longRecipient, { isDialog: true, act: chooseSection }),
  at('alerts', '/class_tracker/class_alerts/'),
  at('alerts figures', '/class_tracker/class_alerts/', {
    act: async ({ page }) => page.getByText('From seat to message').click(),
  }),
  at('alerts nothing', '/class_tracker/class_alerts/?q=no+such+course'),
  at('course list', '/class_tracker/manage_course_list/'),
  at('add school', '/class_tracker/schools/'),
  at('add school found', '/class_tracker/schools/?q=university+north+carolina'),
  at('add school nothing', '/class_tracker/schools/?q=no+such+school'),
  at('listed school', '/class_tracker/schools/athens-state-university/'),
  at('listed school shared', '/class_tracker/schools/hunter-college/'),
  at('listed school not yet', '/class_tracker/schools/ivy-tech-community-college/'),
  at('course list refreshed', '/class_tracker/manage_course_list/', { act: refresh }),
  at('course list busy', '/class_tracker/manage_course_list/', { act: refreshSlowly }),
  at('alert link open', linkTo('open'), { role: 'anyone' }),
  at('alert link gone', linkTo('closed'), { role: 'anyone' }),
  at('alert link uncertain', linkTo('unknown'), { role: 'anyone' }),
  at('alert link unknown', '/s/0000000000', { role: 'anyone', status: 404 }),
  at('unsubscribe broken', '/notify/unsubscribe/x', { role: 'anyone', status: 404 }),
  at('invitation', addClasses, { isDialog: true, act: openInvitation }),
  at('own page', addClasses, { act: openOwnPage }),
  at('own page with everything', addClasses, { prepare: chooseEverything, act: openOwnPage }),
]
