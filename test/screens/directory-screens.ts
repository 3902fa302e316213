import { dialogOf } from '../browser/directory.ts'
import { schools } from '../browser/seed-directory.ts'
import { names } from '../browser/seed-extremes.ts'
import type { App } from '../browser/app.ts'
import type { Visit } from '../browser/visit.ts'
import { firstOf, type Role, type Screen } from './screen.ts'

/** Explore with the server of this name; in a gallery, with any. */
const exploreFor = (name: string) => async (app: App) => {
  const found = await firstOf(app, `SELECT name AS id FROM discord_server ORDER BY name = '${name}' DESC, id LIMIT 1`)
  return `/classcords/all/?${new URLSearchParams({ q: found.slice(0, 40) })}`
}

/** An invite of which Discord knows nothing. */
async function addDeadInvite(app: App): Promise<string> {
  await app.sql(
    `INSERT INTO invite (code, server_id, state, notes_md, privacy_level, created_at, decided_at, due_at)
     SELECT 'died-just-now', id, 'approved', '', 'public', 1, 1, 9e15 FROM discord_server WHERE name = 'Campus Commons'
     ON CONFLICT DO NOTHING`,
  )
  return `/classcords/join/${await firstOf(app, "SELECT id FROM invite WHERE code = 'died-just-now'")}/`
}

const callEveryoneEndless = (app: App): Promise<unknown> =>
  app.sql('UPDATE discord_user SET display_name = ?', names.endless)

async function openServer(visit: Visit): Promise<void> {
  await visit.page.getByRole('article').getByRole('heading').getByRole('link').first().click()
  await dialogOf(visit).getByRole('link', { name: 'Join' }).first().waitFor()
}

async function addInvite(visit: Visit): Promise<void> {
  await visit.page.getByRole('button', { name: 'Add Discord Invite' }).click()
  await dialogOf(visit).waitFor()
}

async function addClasses(visit: Visit): Promise<void> {
  await addInvite(visit)
  const { page } = visit
  // A draft from the previous variant is continued.
  const back = dialogOf(visit).getByRole('button', { name: 'Back' })
  if (await back.isVisible()) await back.click()
  await page.getByLabel('Discord invite URL').fill('https://discord.gg/harbor-state-statistics')
  await page.getByLabel('Notes').fill('x'.repeat(240))
  await page.getByRole('button', { name: 'Next', exact: true }).click()
  await page.getByLabel('School (required)').waitFor()
}

const at = (name: string, role: Role, path: Screen['path'], more: Partial<Screen> = {}): Screen => ({
  name: `directory/${name}`,
  role,
  path: typeof path === 'string' ? `/classcords/${path}` : path,
  ...more,
})
const isDialog = true

/** Class Cords, as each role sees it. */
export const directoryScreens: readonly Screen[] = [
  at('home for anyone', 'anyone', async () => '/'),
  at('home', 'member', async () => '/'),
  at('welcome for anyone', 'anyone', ''),
  at('welcome asks to log in', 'anyone', '', {
    isDialog,
    act: ({ page }) => page.getByRole('button', { name: 'Explore All Class Servers' }).first().click(),
  }),
  at('welcome', 'member', '', { prepare: callEveryoneEndless }),
  at('welcome for a manager', 'manager', ''),
  at('welcome as a list', 'member', '', {
    act: ({ page }) => page.getByRole('button', { name: 'List', exact: true }).click(),
  }),
  at('explore for anyone', 'anyone', 'all/'),
  at('explore', 'member', 'all/'),
  at('explore in groups', 'member', 'all/?page=2', {
    act: ({ page }) => page.getByRole('button', { name: 'Grouped' }).click(),
  }),
  at('explore nothing', 'member', 'all/?q=nothing+at+all'),
  at(
    'school',
    'member',
    async (app) =>
      `/classcords/school/${await firstOf(app, `SELECT id FROM school WHERE name = '${schools.harbor}'`)}/`,
  ),
  at(
    'server',
    'member',
    async (app) =>
      `/classcords/server/${await firstOf(app, "SELECT id FROM discord_server WHERE name = 'Campus Commons'")}/`,
  ),
  at('server with an endless name', 'member', async (app) => {
    const query = `SELECT id FROM discord_server ORDER BY name = '${names.endless}' DESC, id LIMIT 1`
    return `/classcords/server/${await firstOf(app, query)}/`
  }),
  at('server dialog endless', 'member', exploreFor(names.endless), { isDialog, act: openServer }),
  at('server dialog right to left', 'member', exploreFor(names.arabic), { isDialog, act: openServer }),
  at('server dialog', 'member', '', { isDialog, act: openServer }),
  at('server dialog for a manager', 'manager', '', { isDialog, act: openServer }),
  at('add invite dialog', 'member', '', { isDialog, act: addInvite }),
  at('add classes dialog', 'member', '', { isDialog, act: addClasses }),
  at('login', 'anyone', 'login/'),
  at('login with a referral', 'anyone', 'login/?referral=abc'),
  at('profile', 'member', 'profile/'),
  at('referrals', 'member', 'referrals/', {
    async act(visit) {
      await visit.follow(visit.page.getByRole('button', { name: 'Create Referral' }))
    },
  }),
  at('notices', 'member', 'notices/'),
  at('notices empty', 'manager', 'notices/'),
  at('unapproved invites', 'manager', 'unapproved-invites/'),
  at('unapproved for a member', 'member', 'unapproved-invites/', { status: 403 }),
  at('server not found', 'member', 'server/999999/', { status: 404 }),
  at('invite gone', 'anyone', addDeadInvite, { status: 410 }),
]
