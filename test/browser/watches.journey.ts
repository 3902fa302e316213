import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { journey } from './journey.ts'
import { enter } from './keyboard.ts'
import { sectionWithStatus, sectionsThatAre, watch } from './sections.ts'
import { knownSubject, seedCatalog } from './seed.ts'

journey(
  'a watched section is removed, brought back, and watched twice, and a school is off',
  seedCatalog,
  async ({ app, staff }) => {
    const [section, other] = await sectionsThatAre(app, 'closed')
    const listed = await sectionWithStatus(app, 'waitlisted')
    if (!section || !other) throw new Error('Two closed sections are needed.')
    await watch(app, 1, section)
    await watch(app, 1, listed)
    const visit = await staff('/class_tracker/add_classes/', { width: 390 })
    const { page } = visit
    const rowOf = (number: string) => page.getByRole('listitem').filter({ hasText: number })
    const row = rowOf(section.number)
    const more = row.getByRole('button', { name: /^More about / })
    const remove = async (): Promise<void> => {
      await more.click()
      await page.getByRole('button', { name: 'Stop watching', exact: true }).click()
    }
    const asking = page.getByRole('alertdialog', { name: `Stop watching ${section.code} ` })
    await rowOf(listed.number).getByText('Waitlisted', { exact: true }).waitFor()

    await remove()
    await asking.getByRole('button', { name: 'Cancel' }).click()
    await asking.waitFor({ state: 'detached' })
    expect(await visit.focused()).toMatch(/^More about /)
    expect(await row.count()).toBe(1)
    await remove()
    await asking.getByRole('button', { name: 'Stop watching' }).click()
    await row.waitFor({ state: 'detached' })
    expect(await app.sql('SELECT section_id FROM watch')).toEqual([{ section_id: listed.id }])
    expect(await visit.focused()).toBe('Robin Example')
    const said = page.getByText(`${section.code} is no longer watched for Robin Example.`)
    await said.waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await row.waitFor()
    await page.getByText(`${section.code} is watched again.`).waitFor()
    expect(await app.sql('SELECT 1 FROM watch')).toHaveLength(2)

    // Another user has watched the other one since this page was loaded.
    await watch(app, 1, other)
    visit.expectStatus(409)
    // Its school is not checked at present.
    const { school, term, subject } = knownSubject(app)
    await app.sql('UPDATE source SET is_enabled = id NOT IN (SELECT source_id FROM school WHERE name = ?)', school)
    await page.getByRole('button', { name: 'Add section for Robin Example' }).click()
    const dialog = page.getByRole('dialog', { name: 'Watch a section' })
    const off = dialog.getByRole('status').filter({ hasText: 'its source is off' })
    const choose = async (level: string, chosen: string): Promise<void> => {
      await dialog.getByRole('combobox', { name: level }).fill(chosen)
      await dialog.getByRole('option', { name: chosen }).click()
    }
    for (const [level, chosen] of [
      ['School', school],
      ['Term', term],
      ['Subject', subject],
    ] as const)
      await choose(level, chosen)
    await off.getByText(`${school} is not checked`).waitFor()
    const option = (number: string) => dialog.getByRole('option').filter({ hasText: number })
    await option(section.number).getByText('Already watched').waitFor()
    await option(other.number).click()
    await dialog.getByRole('button', { name: 'Add section' }).click()
    await dialog.getByText(`Section ${other.name} is already being watched`).waitFor()
    await visit.inspect('the refusal of a section that is watched already, at a school that is off')
    const [elsewhere] = await app.sql<{ name: string }>(
      'SELECT name FROM school WHERE name <> ? ORDER BY name LIMIT 1',
      school,
    )
    await choose('School', elsewhere?.name ?? '')
    await off.waitFor({ state: 'detached' })
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await visit.focused()).toBe('Add section for Robin Example')
  },
)

/** The page gets its animation frames late, as on a busy machine. */
async function drawLate(page: Page): Promise<void> {
  await page.evaluate(() => {
    const soon = requestAnimationFrame.bind(window)
    window.requestAnimationFrame = (draw) => Number(setTimeout(() => soon(draw), 1000))
  })
}

journey('a section is watched with the keyboard alone', seedCatalog, async ({ app, staff }) => {
  const section = await sectionWithStatus(app, 'closed')
  const { school, term, subject } = knownSubject(app)
  const visit = await staff('/class_tracker/add_classes/', { width: 390 })
  const { page } = visit
  const { keyboard } = page
  const dialog = page.getByRole('dialog', { name: 'Watch a section' })
  await keyboard.press('Tab')
  expect(await visit.focused()).toBe('Skip to content')
  await keyboard.press('Enter')
  await enter(visit, 'Add section for Robin Example')
  for (const [level, chosen, next] of [
    ['School', school, 'Term'],
    ['Term', term, 'Subject'],
    ['Subject', subject, 'Section'],
  ] as const) {
    await expect.poll(() => visit.focused()).toBe(level)
    await keyboard.type(chosen.slice(0, -1))
    await dialog.getByRole('option', { name: chosen }).waitFor()
    await keyboard.press('Enter')
    await expect.poll(() => visit.focused()).toBe(next)
  }
  await dialog.getByRole('option').nth(1).waitFor()
  await keyboard.press('ArrowDown')
  const active = async (): Promise<string> => {
    const id = await dialog.getByRole('combobox', { name: 'Section' }).getAttribute('aria-activedescendant')
    return id === null ? '' : dialog.locator(`[id="${id}"]`).innerText()
  }
  expect(await active()).toBe(await dialog.getByRole('option').nth(1).innerText())
  await keyboard.type(section.number)
  await expect.poll(active).toContain(section.number)
  await keyboard.press('Enter')
  expect(await dialog.getByRole('combobox', { name: 'Section' }).inputValue()).toContain(section.number)
  await drawLate(page)
  await enter(visit, 'Add section')
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('listitem').filter({ hasText: section.number }).waitFor()
  // The address has an anchor since the skip link, and the dialog's history entry is gone.
  await page.waitForFunction(() => history.state === null)
  expect(await visit.focused()).toBe('Add section for Robin Example')
  await page.getByText('0 open now of 1 watched section · 1 recipient').waitFor()

  // The next time it begins with the last choice. A change of one level clears those below it; Escape closes a list
  // first.
  await keyboard.press('Enter')
  await expect.poll(() => visit.focused()).toBe('Section')
  expect(await dialog.getByRole('combobox', { name: 'Subject' }).inputValue()).toBe(subject)
  await dialog.getByRole('combobox', { name: 'School' }).focus()
  await keyboard.type('Queens')
  await dialog.getByRole('option', { name: 'Queens College' }).waitFor()
  await keyboard.press('Escape')
  await dialog.getByRole('option', { name: 'Queens College' }).waitFor({ state: 'detached' })
  expect(await dialog.getByRole('combobox', { name: 'School' }).inputValue()).toBe(school)
  await keyboard.press('Control+A')
  await keyboard.type('Queens')
  await dialog.getByRole('option', { name: 'Queens College' }).waitFor()
  await keyboard.press('Enter')
  await expect.poll(() => visit.focused()).toBe('Term')
  for (const level of ['Term', 'Subject', 'Section'])
    expect(await dialog.getByRole('combobox', { name: level }).inputValue()).toBe('')
  expect(await dialog.getByRole('combobox', { name: 'Section' }).isDisabled()).toBe(true)
  await keyboard.press('Escape')
  await keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  expect(await visit.focused()).toBe('Add section for Robin Example')
})

journey(
  'every section that is watched already is marked, however many there are',
  seedCatalog,
  async ({ app, staff }) => {
    const { school, term, subject } = knownSubject(app)
    await app.sql('INSERT INTO watch (recipient_id, section_id, created_at, is_new) SELECT 1, id, 0, 0 FROM section')
    const [count] = await app.sql<{ watched: number }>('SELECT count(*) AS watched FROM watch')
    const { page } = await staff('/class_tracker/add_classes/')
    await page.getByRole('button', { name: 'Add section for Robin Example' }).click()
    const dialog = page.getByRole('dialog', { name: 'Watch a section' })
    for (const [level, chosen] of [
      ['School', school],
      ['Term', term],
      ['Subject', subject],
    ] as const) {
      await dialog.getByRole('combobox', { name: level }).fill(chosen)
      await dialog.getByRole('option', { name: chosen, exact: true }).click()
    }
    await expect.poll(() => dialog.getByText('Already watched').count()).toBe(count?.watched)
    expect(count?.watched).toBeGreaterThan(8)
  },
)
