import { expect } from 'vitest'
import { journey } from './journey.ts'
import { seedPeople } from './seed.ts'

journey(
  'a reference field suggests rows while typing, and a second press sends the form once',
  seedPeople,
  async ({ staff }) => {
    const visit = await staff('/admin/watches/add/')
    const { page } = visit
    const search = page.getByLabel('Search for Recipient')
    await search.pressSequentially('robin')
    const found = page.locator('datalist option').first()
    await found.waitFor({ state: 'attached' })
    const label = (await found.getAttribute('value')) ?? ''
    expect(label).toMatch(/^Robin Example \(\d+\)$/)
    await search.fill(label)
    const chosen = page.getByLabel('Recipient', { exact: true }).locator('option:checked')
    expect(await chosen.innerText()).toBe(label)
    expect(await search.inputValue()).toBe('')
    await visit.inspect('a field whose row was suggested')

    await page.evaluate(() => {
      const { dataset } = document.body
      addEventListener('submit', (event) => {
        if (!event.defaultPrevented) dataset['sent'] = `${dataset['sent'] ?? ''}1`
        event.preventDefault()
      })
    })
    const add = page.getByRole('button', { name: 'Add watch' })
    await add.click()
    await add.click()
    expect(await page.evaluate(() => document.body.dataset['sent'])).toBe('1')
  },
)

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? '' : ' without a script'
  journey(`a superuser adds and changes a recipient in the admin${how}`, seedPeople, async (scene) => {
    const visit = await scene.staff('/admin/', { javaScriptEnabled })
    const { page } = visit
    await page.getByRole('heading', { name: 'Admin', level: 1 }).waitFor()
    await visit.inspect('the front page of the admin')
    expect(await page.locator('script[src]:not([data-palette])').count()).toBe(0)

    await visit.follow(page.getByRole('link', { name: 'Add recipient' }))
    await page.getByLabel('Name').fill('Grace Hopper')
    const address = page.locator('[name=contacts-new-address]')
    const label = page.locator('label[for=contacts-new-address]')
    if (javaScriptEnabled) {
      await page.locator('[name=contacts-new-kind]').selectOption('email')
      await label.getByText('Email address').waitFor()
      expect(await address.getAttribute('inputmode')).toBe('email')
      await page.locator('[name=contacts-new-kind]').selectOption('phone')
      await label.getByText('Phone number').waitFor()
    }
    await address.fill('12')
    visit.expectStatus(422)
    await visit.follow(page.getByRole('button', { name: 'Add recipient' }))
    await page.getByRole('alert').getByText('Address: Enter a valid phone number').waitFor()
    await visit.inspect('a refused recipient')
    await page.locator('[name=contacts-new-address]').fill('(212) 555-0177')
    await visit.follow(page.getByRole('button', { name: 'Add recipient' }))
    await page.getByText('Grace Hopper was added.').waitFor()

    await page.getByLabel('Description').fill('Compiles')
    await page.keyboard.press('Tab')
    await visit.follow(page.getByRole('button', { name: 'Save', exact: true }))
    await page.getByText('Grace Hopper was saved.').waitFor()
    await visit.follow(page.getByRole('link', { name: 'History' }))
    await page.getByText(/^description\s+Compiles$/).waitFor()
    await visit.inspect('the history of a recipient')
    if (javaScriptEnabled) return
    // Its search has a button.
    await visit.open('/admin/recipients/')
    await page.getByRole('button', { name: 'Search', exact: true }).waitFor()
    await visit.measure('a list without a script')
  })
}

journey('a superuser finds and deletes a recipient in the admin', seedPeople, async (scene) => {
  await scene.app.sql("INSERT INTO recipient (id, name, created_at) VALUES (700, 'Grace Hopper', 0)")
  await scene.app.sql(
    `INSERT INTO contact (recipient_id, kind, address, address_key, created_at)
     VALUES (700, 'phone', '+12125550177', '+12125550177', 0)`,
  )
  const visit = await scene.staff('/admin/recipients/')
  const { page } = visit
  const search = page.getByRole('searchbox', { name: /^Search/ })
  await search.fill('5550177')
  await Promise.all([page.waitForEvent('domcontentloaded'), search.press('Enter')])
  await visit.settle()
  await page.getByText('1 recipient', { exact: true }).waitFor()
  await page.getByRole('checkbox', { name: 'Select Grace Hopper' }).check()
  await page.locator('.admin-filters summary').click()
  await visit.inspect('a list with its filters open and a row selected')
  await visit.follow(page.getByRole('button', { name: 'Delete' }))
  await page.getByText('Contacts: 1').waitFor()
  await visit.inspect('what is deleted together with a recipient')
  await visit.follow(page.getByRole('button', { name: 'Delete' }))
  await page.getByText('Grace Hopper was deleted.').waitFor()
  expect(new URL(page.url()).search).toBe('?q=5550177')
  await page.getByText('No matches').waitFor()

  await visit.open('/admin/audit/?q=hopper')
  await page.getByText('1 audit entry', { exact: true }).waitFor()
  await visit.follow(page.getByRole('main').getByRole('table').getByRole('link').first())
  await page.getByText('Before and after').waitFor()
})
