import type { Locator } from 'playwright-core'
import { expect } from 'vitest'
import { journey } from './journey.ts'
import { seedPeople } from './seed.ts'
import { addJobs, harmless, seedFailures } from './seed-jobs.ts'
import type { Visit } from './visit.ts'

const queues = '/scheduler/queues/'
const failed = '/scheduler/queues/maintenance/failed/jobs'

journey('a failing job is found, read, retried, and seen to finish', seedFailures, async ({ staff }) => {
  const visit = await staff(queues)
  const { page } = visit
  await page.getByText('Live', { exact: true }).waitFor()
  const failures = page.getByRole('region', { name: 'Recent failures' })
  await failures.getByText('no such table: sign_in_code').waitFor()
  await visit.inspect('the queues')

  await visit.follow(page.getByRole('link', { name: /failed in maintenance/ }))
  await page.getByRole('heading', { name: '4 failed jobs in maintenance' }).waitFor()
  const rows = page.locator('tr[data-job]')
  expect(await rows.count()).toBe(4)
  await page.getByRole('searchbox', { name: 'Search' }).fill('sign_in_code')
  await page.waitForURL('**?q=sign_in_code')
  await expect.poll(() => rows.count()).toBe(1)
  await page.getByRole('link', { name: 'Requeue all that match' }).waitFor()
  // The search is in the address: after a reload it is the same.
  await visit.open(new URL(page.url()).pathname + new URL(page.url()).search)
  expect(await rows.count()).toBe(1)

  await visit.follow(rows.getByRole('link').first())
  await page.getByRole('heading', { name: 'Delete old account data', level: 1 }).waitFor()
  await page.getByRole('region', { name: 'Error' }).getByText('no such table: sign_in_code').first().waitFor()
  await visit.inspect('a failed job')
  await visit.follow(page.getByRole('button', { name: 'Requeue' }))
  await page.getByText(/^Job .* was re-queued\.$/).waitFor()
  const navigations: string[] = []
  page.on('framenavigated', (frame) => navigations.push(frame.url()))
  await page.getByRole('status').getByText('finished', { exact: true }).waitFor()
  await page.getByRole('region', { name: 'All results' }).getByText('successful').waitFor()
  await page.getByRole('region', { name: 'Last result' }).waitFor()
  await page.getByRole('button', { name: 'Enqueue' }).waitFor()
  expect(navigations).toEqual([])
  await visit.inspect('a finished job')
})

journey('a queue is paused, filled and resumed, and its row shows it live', seedPeople, async ({ app, staff }) => {
  const visit = await staff(queues, { width: 390, isDark: true })
  const { page } = visit
  const row = page.locator('tr[data-queue="maintenance"]')
  const count = (registry: string) => row.getByRole('link', { name: `${registry} in maintenance` })
  const counted = (jobs: number, registry: string) =>
    row.getByRole('link', { name: `${jobs} ${registry} in maintenance`, exact: true }).waitFor()
  await visit.follow(page.getByRole('link', { name: 'Pause maintenance' }))
  await page.getByText('No maintenance runs while it is paused.').waitFor()
  await visit.inspectScreen('the question before a pause')
  await visit.follow(page.getByRole('button', { name: 'Pause', exact: true }))
  await row.getByText('Paused', { exact: true }).waitFor()
  await page.getByText('Live', { exact: true }).waitFor()
  await addJobs(app, 'maintenance', { ...harmless, count: 7 })
  await counted(7, 'queued')
  await counted(0, 'finished')
  await visit.inspect('a paused queue')

  await visit.follow(count('queued'))
  await page.getByRole('heading', { name: '7 queued jobs in maintenance' }).waitFor()
  // No list of the queue is out of sight.
  for (const tab of await page.getByRole('navigation', { name: 'Jobs in maintenance' }).getByRole('link').all()) {
    const box = await tab.boundingBox()
    expect(box && box.x + box.width).toBeLessThanOrEqual(390)
  }
  await page.getByText('The maintenance queue was paused').waitFor()
  await page.getByText('Live', { exact: true }).waitFor()
  await addJobs(app, 'maintenance', { ...harmless, count: 2 })
  await page.getByText('2 jobs new').waitFor()
  expect(await page.locator('tr[data-job]').count()).toBe(7)
  await visit.inspect('news of a list')
  await page.getByRole('button', { name: 'Show' }).click()
  await expect.poll(() => page.locator('tr[data-job]').count()).toBe(9)
  // Resumed in another tab, so that this page changes without a reload.
  const other = await visit.tab()
  await other.open(queues)
  await other.follow(other.page.getByRole('row').getByRole('button', { name: 'Resume maintenance' }))
  await page.getByRole('heading', { name: '0 queued jobs in maintenance' }).waitFor()
  await page.getByText('No queued jobs in maintenance').waitFor()
})

/** Presses Enter on the only checkbox that is selected: nothing is done yet, and no other job is meant. */
async function askWithEnter({ page }: Visit, box: Locator): Promise<void> {
  const name = (await box.getAttribute('value')) ?? ''
  await box.press('Enter')
  await page.getByText('Are you sure you want to requeue the 1 selected job of maintenance?').waitFor()
  await page.getByRole('link', { name, exact: true }).waitFor()
}

/** Requeues the first failed job of a list, which comes back. */
async function requeueFromMenu(visit: Visit): Promise<void> {
  const { page } = visit
  await page
    .getByRole('button', { name: /^More for / })
    .first()
    .click()
  const menu = page.locator('.row-menu:popover-open')
  await menu.getByRole('link', { name: 'View job' }).waitFor()
  await visit.inspect('the menu of a job')
  await visit.follow(menu.getByRole('button', { name: 'Requeue' }))
  await page.getByText(/^Job .* was re-queued\.$/).waitFor()
  // Back on the list, not on the job.
  expect(new URL(page.url()).pathname).toBe(failed)
}

journey(
  'jobs are selected by ranges, one is requeued from its menu, and every other scheduler page can be opened',
  seedFailures,
  async ({ app, staff }) => {
    const visit = await staff(failed)
    const { page } = visit
    const boxes = page.locator('input[name="_selected_action"]')
    await boxes.nth(3).check()
    await askWithEnter(visit, boxes.nth(3))
    await visit.open(failed)
    await boxes.nth(0).click()
    await boxes.nth(2).click({ modifiers: ['Shift'] })
    await page.getByText('3 jobs selected').waitFor()
    await page.getByRole('checkbox', { name: 'Select all jobs on this page' }).check()
    await page.getByText('4 jobs selected').waitFor()
    await boxes.nth(3).uncheck()
    await visit.inspect('chosen jobs')
    await visit.follow(page.getByRole('button', { name: 'Delete', exact: true }))
    await page
      .getByRole('heading', { name: 'Are you sure you want to delete the 3 selected jobs of maintenance?' })
      .waitFor()
    await visit.follow(page.getByRole('button', { name: 'Delete jobs' }))
    await page.getByRole('heading', { name: '1 failed job in maintenance' }).waitFor()
    expect((await (await app.ledger('maintenance')).stats()).counts.failed).toBe(1)
    await requeueFromMenu(visit)

    await visit.open('/scheduler/workers/?gone=1')
    await visit.inspectScreen('the workers')
    await visit.follow(page.locator('tbody').getByRole('link').first())
    await page.getByRole('heading', { name: /^Worker / }).waitFor()
    await visit.inspectScreen('a worker')
    await visit.open('/scheduler/queues/alerts/failed/jobs')
    await page.getByText('No failed jobs in alerts').waitFor()
    await visit.inspectScreen('an empty list')
    await visit.open('/scheduler/audit/')
    await page.getByRole('cell', { name: 'admin' }).first().waitFor()
    await visit.inspect('who did what')
  },
)

journey(
  'without JavaScript, jobs are listed, searched, selected, deleted and requeued',
  seedFailures,
  async ({ staff }) => {
    const visit = await staff(queues, { javaScriptEnabled: false, width: 390 })
    const { page } = visit
    await visit.follow(page.getByRole('link', { name: /failed in maintenance/ }))
    await page.getByRole('searchbox', { name: 'Search' }).fill('sign_in_code')
    await visit.follow(page.getByRole('button', { name: 'Search' }))
    expect(await page.locator('tr[data-job]').count()).toBe(1)
    await page.locator('input[name="_selected_action"]').check()
    await visit.inspect('a chosen job without a script')
    await visit.follow(page.getByRole('button', { name: 'Delete', exact: true }))
    await visit.follow(page.getByRole('button', { name: 'Delete job' }))
    await page.getByText('No jobs match the search').waitFor()
    await visit.follow(page.getByRole('link', { name: 'Show all failed jobs' }))
    expect(await page.locator('tr[data-job]').count()).toBe(3)
    await page.locator('input[name="_selected_action"]').nth(2).check()
    await askWithEnter(visit, page.locator('input[name="_selected_action"]').nth(2))
    // On a phone the rows of tables have no menus.
    await requeueFromMenu(await staff(failed, { javaScriptEnabled: false }))
    await visit.open(queues)
    await visit.inspect('the queues without a script')
  },
)
