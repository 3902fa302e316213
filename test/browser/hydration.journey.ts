import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { journey } from './journey.ts'
import { chooseInMenu } from './row-menu.ts'
import { addJobs, harmless } from './seed-jobs.ts'
import { names, seedExtremes } from './seed-extremes.ts'

const folder = '.build/development'
const pages = [
  '/class_tracker/add_classes/',
  '/class_tracker/class_alerts/',
  '/class_tracker/class_alerts/?q=nothing',
  '/class_tracker/manage_course_list/',
  '/classcords/',
  '/classcords/all/',
  '/scheduler/queues/',
  '/scheduler/queues/maintenance/failed/jobs',
  '/scheduler/queues/maintenance/finished/jobs',
  '/scheduler/workers/',
]

// Only React's development build reports mismatches in full, so the pages' scripts are replaced on their way.
journey('every page hydrates without a mismatch', seedExtremes, async ({ app, staff }) => {
  const [done = ''] = await addJobs(app, 'maintenance', { ...harmless, count: 3 })
  const [failed = ''] = await addJobs(app, 'maintenance', { task: 'bulk-act', input: {}, count: 1 })
  const ledger = await app.ledger('maintenance')
  for (const job of [done, failed]) await ledger.wait(job, 20_000)
  await promisify(execFile)('node', ['client/build.ts', '--development', '--into', folder])
  const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as { 'main.js': string }
  const visit = await staff('/class_tracker/')
  const { page } = visit
  await page.route('**/assets/*.js', async (route) => {
    const { pathname } = new URL(route.request().url())
    const wanted = basename(pathname).startsWith('main-') ? manifest['main.js'] : pathname
    const path = join(folder, 'client', wanted)
    if (existsSync(path)) await route.fulfill({ path, contentType: 'text/javascript' })
    else await route.continue()
  })
  // The last one stays open.
  for (const path of [
    ...pages,
    `/scheduler/jobs/${encodeURIComponent(failed)}/`,
    '/class_tracker/add_classes/?page=2',
  ]) {
    const isDevelopment = page.waitForEvent('console', (message) => message.text().includes('React DevTools'))
    await Promise.all([isDevelopment, visit.open(path)])
  }

  const dialog = page.locator('dialog[open]:not(.message)')
  const card = page.getByRole('article', { name: names.endless, exact: true })
  const acts = [
    () => chooseInMenu(card, 'Edit'),
    () => card.getByRole('button', { name: /^Add section/ }).click(),
    () => chooseInMenu(card, 'Remove'),
  ]
  for (const act of acts) {
    await act()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
  }
  await card.getByRole('button', { name: /^\d+ watched for/, expanded: false }).click()
  await card.getByRole('listitem').getByRole('button', { name: names.endless }).first().click()
  await dialog.getByText('Free seats, last 7 days').waitFor()
})
