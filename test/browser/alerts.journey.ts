import { expect } from 'vitest'
import type { App } from './app.ts'
import { journey } from './journey.ts'
import { alertSections, howMany, seedAlerts, unreachable } from './seed-alerts.ts'
import { textsTo } from './sections.ts'
import type { Visit } from './visit.ts'

const path = '/class_tracker/class_alerts/'
const untilNews = 16_000
const debounce = 300

/** A failed message is sent again, from the first page of all alerts. */
async function sendAgain(app: App, { page, clock }: Visit): Promise<void> {
  const { even } = await alertSections(app)
  const failed = page.getByRole('article').first()
  const steps = (): Promise<string[]> => failed.locator('.step-label').allTextContents()
  expect(await steps()).toEqual(['failed'])
  await failed.getByRole('listitem').getByText('The provider answered 500').waitFor()
  await page.getByRole('article').nth(2).getByText('may have arrived twice').waitFor()
  expect(await page.getByRole('button', { name: 'Retry' }).count()).toBe(1)
  await failed.getByRole('button', { name: 'Retry' }).click()
  await page.getByText('The message is being sent again').waitFor()
  await expect.poll(() => textsTo(app, '+12025550143')).toHaveLength(1)
  expect((await textsTo(app, '+12025550143'))[0]).toContain(even.number)
  await expect.poll(async () => (await app.sql("SELECT 1 FROM delivery WHERE state <> 'delivered'")).length).toBe(0)
  await clock.fastForward(untilNews)
  await expect.poll(steps).toEqual(['accepted', 'delivered'])
  expect(await page.getByRole('button', { name: 'Retry' }).count()).toBe(0)
}

journey(
  'alerts are searched, filtered and paged, and a failed message is sent again',
  seedAlerts,
  async ({ app, staff }) => {
    const { even, course } = await alertSections(app)
    const visit = await staff('/class_tracker/')
    const { page, clock } = visit
    const alerts = page.getByRole('article')
    const search = page.getByRole('searchbox', { name: 'Search' })
    const recipient = page.getByRole('combobox', { name: 'Recipient' })
    const found = `${path}?q=${course.replace(' ', '+')}`
    const where = (): string => page.url().slice(app.url.length)
    await clock.install()
    await visit.open(path)
    expect(await alerts.count()).toBe(50)
    await visit.inspect('a full page of alerts')

    await page.getByRole('link', { name: 'Next' }).click()
    await page.getByText('Page 2 of 3').waitFor()
    expect(where()).toBe(`${path}?page=2`)
    await page.getByRole('link', { name: 'Next' }).click()
    await page.getByText('Page 3 of 3').waitFor()
    expect(await alerts.count()).toBe(howMany - 100)
    expect(await page.getByRole('link', { name: 'Next' }).count()).toBe(0)
    await page.reload()
    await visit.settle()
    await page.getByText('Page 3 of 3').waitFor()
    await page.getByRole('link', { name: 'Previous' }).click()
    await page.getByText('Page 2 of 3').waitFor()

    // Typing searches once, 300 ms after the last key; clearing searches at once.
    const asked: string[] = []
    page.on('request', (request) => {
      if (request.resourceType() === 'fetch') asked.push(request.url().slice(app.url.length))
    })
    await clock.pauseAt(Date.now() + 60_000)
    asked.length = 0
    await search.pressSequentially(course)
    await clock.runFor(debounce - 1)
    expect(asked).toEqual([])
    await clock.runFor(1)
    await expect.poll(() => asked).toEqual([found])
    await expect.poll(() => alerts.filter({ hasText: even.number }).count()).toBe(0)
    expect(await alerts.count()).toBe(50)
    await page.getByText('Page 1 of 2').waitFor()
    expect(where()).toBe(found)
    // A pending search is dropped at the next key, not at the next search.
    const slow = `${path}?q=slow`
    const abandonClaim: string[] = []
    page.on('requestfailed', (request) => abandonClaim.push(request.url().slice(app.url.length)))
    await page.route(`**${slow}`, () => new Promise(() => {}))
    await search.fill('slow')
    await clock.runFor(debounce)
    await expect.poll(() => asked).toEqual([found, slow])
    await search.fill('slower')
    await expect.poll(() => abandonClaim).toEqual([slow])
    await page.getByRole('button', { name: 'Clear search' }).click()
    await clock.runFor(1)
    await expect.poll(() => asked).toEqual([found, slow, path])
    await clock.resume()
    await page.getByText('Page 1 of 3').waitFor()
    expect(await visit.focused()).toBe('Search')

    // Only failures, counted in total and by day.
    await page.getByText(`${howMany} alerts`, { exact: true }).waitFor()
    await page.getByText(/^\d+ sections? · \d+ alerts? · \d+ messages? · 1 failed/).waitFor()
    await page.getByRole('combobox', { name: 'Result' }).selectOption('failed')
    await expect.poll(() => alerts.count()).toBe(1)
    expect(where()).toBe(`${path}?result=failed`)
    await page.getByText('1 section · 1 alert · 1 message · 1 failed', { exact: true }).waitFor()
    await alerts.getByRole('button', { name: /^More about/ }).click()
    await page.getByRole('link', { name: 'All alerts of this recipient' }).waitFor()
    await visit.inspect('the menu of an alert')
    await page.keyboard.press('Escape')
    await page.getByRole('combobox', { name: 'Result' }).selectOption('')
    await page.getByText('Page 1 of 3').waitFor()

    await recipient.selectOption(unreachable)
    await expect.poll(() => alerts.count()).toBe(1)
    await alerts.getByText('not sent: no contact').waitFor()
    expect(where()).toBe(`${path}?recipient_id=2`)
    await visit.inspect('an alert nobody could be sent')
    await search.fill('no such course')
    await page.getByRole('heading', { name: 'No alerts match the current search filter' }).waitFor()
    await visit.inspect('a search that finds nothing')
    await page.reload()
    await visit.settle()
    await page.getByRole('heading', { name: 'No alerts match the current search filter' }).waitFor()
    expect(await search.inputValue()).toBe('no such course')
    await page.getByRole('link', { name: 'Show all alerts' }).click()
    await page.getByText('Page 1 of 3').waitFor()
    expect(await search.inputValue()).toBe('')
    await sendAgain(app, visit)
  },
)
