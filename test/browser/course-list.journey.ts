import { expect } from 'vitest'
import type { App } from './app.ts'
import { journey } from './journey.ts'
import { enter, enterPage, tabTo } from './keyboard.ts'
import { clearFaults, setFault, setFaultEverywhere } from './sections.ts'
import type { Visit } from './visit.ts'
import { knownSubject, seedCatalog, seedPeople } from './seed.ts'

const path = '/class_tracker/manage_course_list/'

/** Every refresh of all schools asks for confirmation first. */
async function refreshTerms({ page }: Visit): Promise<void> {
  await page.getByRole('button', { name: 'Refresh terms and schools', exact: true }).click()
  const asking = page.getByRole('alertdialog', { name: 'Refresh data for all schools?' })
  await asking.getByRole('button', { name: 'Refresh all schools' }).click()
}

journey('terms, subjects and sections are fetched by hand', seedPeople, async ({ app, staff }) => {
  const known = knownSubject(app)
  const visit = await staff(path)
  const { page } = visit
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const count = async (table: string): Promise<number> => (await app.sql(`SELECT 1 FROM ${table}`)).length
  expect(await button('Refresh subjects').isDisabled()).toBe(true)
  expect(await button('Fetch new course sections').isDisabled()).toBe(true)
  await page.getByText('No terms yet: refresh terms and schools first.').waitFor()
  await visit.inspect('Manage Course List with nothing in it')

  await refreshTerms(visit)
  await page.getByText('Success! 2 new terms added').waitFor()
  expect(await count('term')).toBe(2)
  await page.getByText(`2 terms, ${await count('school')} schools available`).click()
  await visit.inspect('Manage Course List with new terms')
  await refreshTerms(visit)
  await page.getByText('Success! 0 new terms added').waitFor()

  // School and term came with the refresh, without a reload. A slow school shows that it is being asked.
  await page.getByLabel('School').selectOption(known.school)
  await page.getByLabel('Term', { exact: true }).selectOption(known.term)
  await setFault(app, known.school, 'slow')
  await button('Refresh subjects').click()
  await page.getByRole('progressbar').waitFor()
  await visit.inspect('a refresh under way')
  await page.getByText('Success! Subjects refreshed successfully.').waitFor()
  await clearFaults(app)
  expect(await page.getByRole('progressbar').count()).toBe(0)

  await page.getByRole('combobox', { name: 'Subject' }).fill(known.subject)
  await page.getByRole('option', { name: known.subject }).click()
  await button('Fetch new course sections').click()
  await page.getByText(/^Success! Found \d+ courses\.$/).waitFor()
  await page.getByText(`Success! Found ${await count('course')} courses.`).waitFor()
  expect(await count('section')).toBe(known.sections.filter(({ offered }) => offered).length)
  await page.getByText(`${await count('course')} courses`, { exact: true }).click()
  await visit.inspect('Manage Course List with new courses')

  // Results for one subject disappear with it; the subjects are the school's in its term.
  await page.getByRole('combobox', { name: 'Subject' }).fill('All Subjects')
  await page.getByRole('option', { name: 'All Subjects' }).click()
  expect(await page.getByText(/^Success! Found/).count()).toBe(0)
  await page.getByText('Success! Subjects refreshed successfully.').waitFor()
  await page.getByLabel('School').selectOption('All Schools')
  expect(await page.getByText('Success! Subjects refreshed successfully.').count()).toBe(0)
})

/** A refresh on a paused queue shows the pause at once. */
async function refreshPaused(app: App, visit: Visit): Promise<void> {
  const { page } = visit
  await (await app.ledger('refresh')).pause('test')
  await page.getByLabel('School').selectOption('All Schools')
  await enter(visit, 'Refresh subjects')
  // The dialog takes the focus from wherever it is when it opens, and returns it there.
  await page.getByRole('button', { name: 'Refresh all schools' }).waitFor()
  await enter(visit, 'Refresh all schools')
  const said = page.getByRole('status').filter({ hasText: 'so this waits until someone resumes it' })
  await said.waitFor()
  await visit.inspect('a refresh that waits for a paused queue')
  await enterPage(visit, said.getByRole('link', { name: 'View queue' }))
  expect(new URL(page.url()).pathname).toBe('/scheduler/queues/refresh/queued/jobs')
}

journey(
  'all schools are refreshed, a reload loses nothing, and a pause is shown',
  seedCatalog,
  async ({ app, staff }) => {
    const visit = await staff(path, { width: 390 })
    const { page } = visit
    const asking = page.getByRole('alertdialog', { name: 'Refresh data for all schools?' })
    const refresh = page.getByRole('button', { name: 'Refresh subjects' })
    const asked: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST') asked.push(request.url())
    })
    await tabTo(visit, page.getByLabel('School'))
    await page.keyboard.type('All')
    await enter(visit, refresh)
    await asking.waitFor()
    await visit.inspect('the question before all schools are refreshed')
    await enter(visit, asking.getByRole('button', { name: 'Cancel' }))
    await asking.waitFor({ state: 'detached' })
    expect(asked).toEqual([])
    expect(await visit.focused()).toBe('Refresh subjects')

    await setFaultEverywhere(app, 'slow')
    await enter(visit, refresh)
    await enter(visit, asking.getByRole('button', { name: 'Refresh all schools' }))
    await page.getByText(/^Reading subjects of .+, \d{4} \w+ Term · \d+ of \d+$/).waitFor()
    await visit.inspect('a refresh of all schools')
    await page.reload()
    await visit.settle()
    await page.getByText(/^Reading subjects of .+ · [1-9]\d* of \d+$/).waitFor()
    expect(asked).toHaveLength(1)
    await clearFaults(app)
    await page.getByText('Success! Subjects refreshed successfully.').waitFor()
    expect(await app.sql('SELECT DISTINCT school_id FROM subject')).toHaveLength(
      (await app.sql('SELECT 1 FROM school')).length,
    )
    await refreshPaused(app, visit)
  },
)

journey('a failing school is reported under its own heading', seedCatalog, async ({ app, staff }) => {
  const known = knownSubject(app)
  const visit = await staff(path, { isDark: true })
  const { page } = visit
  const errorUnder = (heading: string) => page.getByRole('alert').filter({ hasText: heading })
  visit.expectStatus(502)
  visit.expectStatus(500)
  const sources = await app.sql<{ name: string }>('SELECT name FROM source ORDER BY id')
  await setFaultEverywhere(app, 'http_500')

  await refreshTerms(visit)
  await errorUnder('Error refreshing schools and terms:').getByText(known.school).waitFor()
  expect(await errorUnder('Error refreshing schools and terms:').getByRole('listitem').allInnerTexts()).toEqual([
    sources.map(({ name }) => `${name}: The school returned status 500.`).join(' · '),
  ])
  await page.getByLabel('School').selectOption(known.school)
  await page.getByLabel('Term', { exact: true }).selectOption(known.term)
  await page.getByRole('button', { name: 'Refresh subjects' }).click()
  await errorUnder('Error refreshing subjects:').getByText(known.school).waitFor()
  await page.getByRole('combobox', { name: 'Subject' }).fill(known.subject)
  await page.getByRole('option', { name: known.subject }).click()
  await page.getByRole('button', { name: 'Fetch new course sections' }).click()
  await errorUnder('Error fetching new courses:').waitFor()
  expect(await app.sql("SELECT 1 FROM section WHERE status <> 'unknown'")).toHaveLength(known.sections.length)

  await page.route('**/get_subjects/**', (route) => route.fulfill({ status: 500, json: ['The subjects are away.'] }))
  await page.getByLabel('School').selectOption('All Schools')
  await errorUnder('Error loading subjects:').getByText('The subjects are away.').waitFor()
  await visit.inspect('every error of Manage Course List')

  // And again, when the schools work.
  await page.unroute('**/get_subjects/**')
  await clearFaults(app)
  await refreshTerms(visit)
  await page.getByText('Success! 0 new terms added').waitFor()
  expect(await errorUnder('Error refreshing schools and terms:').count()).toBe(0)
})
