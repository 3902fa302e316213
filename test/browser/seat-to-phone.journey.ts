import { expect } from 'vitest'
import type { App } from './app.ts'
import { journey } from './journey.ts'
import { sectionWithStatus, setSeats, textsTo, type KnownSection } from './sections.ts'
import { knownSubject, seedCatalog } from './seed.ts'
import type { Visit } from './visit.ts'

const number = '+12025550177'
/** The page requests updates every 15 s. */
const untilNews = 16_000

/** Adds Sam with a phone: first with errors, which are shown at their fields with everything as typed. */
async function addRecipient(visit: Visit): Promise<void> {
  const { page } = visit
  await page.getByRole('button', { name: 'Add recipient' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add recipient' })
  const name = dialog.getByLabel('Name', { exact: true })
  const typed = dialog.getByLabel('Phone Number')
  const save = dialog.getByRole('button', { name: 'Add recipient' })
  await name.waitFor()
  await expect.poll(() => name.evaluate((field) => field === document.activeElement)).toBe(true)

  const complaint = async (): Promise<string> =>
    dialog.locator(`#${await typed.getAttribute('id')}-error`).innerText({ timeout: 3000 })
  await save.click()
  await dialog.getByRole('link', { name: 'Name: This field is required.' }).click()
  expect(await name.evaluate((field) => field === document.activeElement)).toBe(true)
  await name.fill('Sam Okafor')
  await dialog.getByLabel('Description').fill('Waits for a seat')
  await typed.fill('555-12')
  await save.click()
  await expect.poll(complaint).toBe('Enter a valid phone number, e.g. (212) 555-0123.')
  expect(await name.inputValue()).toBe('Sam Okafor')
  expect(await dialog.getByLabel('Description').inputValue()).toBe('Waits for a seat')
  expect(await typed.inputValue()).toBe('555-12')
  await visit.inspect('a refused recipient form')
  await dialog.getByLabel('Kind').selectOption('email')
  await dialog.getByLabel('Email Address').waitFor()
  await dialog.getByText('Such as name@example.com.').waitFor()
  expect(await dialog.getByLabel('Email Address').getAttribute('inputmode')).toBe('email')
  await dialog.getByLabel('Kind').selectOption('phone')
  await typed.fill('(202) 555-0143')
  await save.click()
  await expect.poll(complaint).toBe('This contact already belongs to Robin Example.')
  await typed.fill('(202) 555-0177')
  await save.click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('status').filter({ hasText: 'Sam Okafor was added.' }).waitFor()
}

/** Watches the section, which is listed as closed in the last list of the cascade. */
async function addSection(app: App, visit: Visit, section: KnownSection): Promise<void> {
  const { page } = visit
  const { school, term, subject } = knownSubject(app)
  await page.getByRole('button', { name: 'Add section for Sam Okafor' }).click()
  const dialog = page.getByRole('dialog', { name: 'Watch a section' })
  const add = dialog.getByRole('button', { name: 'Add section' })
  await dialog.getByRole('option').first().waitFor()
  for (const [level, chosen] of [
    ['School', school],
    ['Term', term],
    ['Subject', subject],
  ] as const) {
    await dialog.getByRole('combobox', { name: level }).fill(chosen.slice(0, -1).toLowerCase())
    await dialog.getByRole('option', { name: chosen }).click()
  }
  await dialog.getByRole('option').first().waitFor()
  await add.click()
  await dialog.getByText('Choose the section to watch.').waitFor()
  await visit.inspect('the cascade at its last level')
  await dialog.getByRole('combobox', { name: 'Section' }).fill(section.number)
  const option = dialog.getByRole('option').filter({ hasText: section.number })
  await expect.poll(() => dialog.getByRole('option').count()).toBe(1)
  expect(await option.innerText()).toContain('Closed')
  await option.click()
  await add.click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByText(`${section.code} is now watched for Sam Okafor.`).waitFor()
}

journey('a seat opens and a phone buzzes', seedCatalog, async ({ app, staff }) => {
  const section = await sectionWithStatus(app, 'closed')
  const visit = await staff('/class_tracker/')
  const { page, clock } = visit
  visit.expectStatus(422)
  await clock.install()
  await visit.follow(page.getByRole('main').getByRole('link', { name: 'Add Classes' }))

  await addRecipient(visit)
  await addSection(app, visit, section)
  const card = page.getByRole('article', { name: 'Sam Okafor' })
  const row = card.getByRole('listitem').filter({ hasText: section.number })
  await row.getByText('Closed', { exact: true }).waitFor()
  await visit.inspect('Add Classes with a watched section')

  // The first look at a new watch is over before the seat opens, so only a change causes an alert.
  await expect.poll(async () => (await app.sql('SELECT 1 FROM watch WHERE is_new')).length).toBe(0)
  expect(await textsTo(app, number)).toEqual([])
  await setSeats(app, section, { available: 2, status: 'open' })
  await app.tick()
  await expect.poll(() => textsTo(app, number)).toHaveLength(1)
  const [text] = await textsTo(app, number)
  expect(text).toMatch(/^Class Cords: seat open\. .+ 2 left\. \S+\/s\/[0-9A-Za-z]{10} Reply STOP to end\.$/)
  expect(text).toContain(` ${section.number}, 2 left.`)

  const phones = await page.context().newPage()
  await phones.goto(app.world.url)
  await phones
    .getByRole('region', { name: `Phone ${number}` })
    .getByText(section.number)
    .waitFor()
  await phones.close()

  await clock.fastForward(untilNews)
  await row.getByText('Open', { exact: true }).waitFor()
  await visit.inspect('Add Classes with an open section')
  await row.getByRole('button', { name: section.name.split(' - ').at(-1) ?? '' }).click()
  await page.getByRole('dialog', { name: section.name }).getByText('Free seats, last 7 days').waitFor()
  await visit.inspect('the details of a section')
  await page.keyboard.press('Escape')

  await expect.poll(async () => (await app.sql("SELECT 1 FROM delivery WHERE state <> 'delivered'")).length).toBe(0)
  await visit.follow(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Class Alerts' }))
  const alert = page.getByRole('article').filter({ hasText: section.number })
  expect(await alert.locator('.step-label').allTextContents()).toEqual(['accepted', 'delivered'])
  expect(await alert.locator('.step[title]').getAttribute('title')).toMatch(/^queued → accepted .+ → delivered .+s, /)
  expect(await alert.innerText()).toMatch(/Sent .+ after we saw it · open at most \d+ s before that/)
  await alert.getByRole('button', { name: /^More about/ }).click()
  await alert.getByText('First accepted by a provider').waitFor()
  await visit.inspect('Class Alerts with one alert')
})
