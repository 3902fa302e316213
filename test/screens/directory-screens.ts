import { dialogOf } from '../browser/directory.ts'
import { schools } from '../browser/seed-directory.ts'
import type { Visit } from '../browser/visit.ts'
import { firstOf, type Role, type Screen } from './screen.ts'

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
  at('welcome', 'member', ''),
  at('welcome for a manager', 'manager', ''),
  at('welcome as a list', 'member', '', {
    act: ({ page }) => page.getByRole('button', { name: 'List', exact: true }).click(),
  }),
  at('explore for anyone', 'anyone', 'all/'),
  at('explore', 'member', 'all/'),
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
]
