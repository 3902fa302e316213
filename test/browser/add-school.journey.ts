import { expect } from 'vitest'
import { journey } from './journey.ts'
import { seedPeople } from './seed.ts'

journey('a school is added by its name', seedPeople, async ({ app, staff }) => {
  // The school itself is not asked.
  const ledger = await app.ledger('refresh')
  await ledger.pause('test')

  const visit = await staff('/class_tracker/manage_course_list/', { width: 390 })
  const { page } = visit
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  await visit.follow(page.getByRole('link', { name: 'Add a school', exact: true }))
  expect(await visit.focused()).toBe("School's name")
  await page.getByRole('searchbox').fill('athens st')
  await visit.follow(button('Search'))
  await visit.inspect('schools found')
  await visit.follow(page.getByRole('link', { name: 'Athens State University' }))
  await page.getByText('America/Chicago').waitFor()
  await visit.inspect('a listed school')
  await visit.follow(button('Add'))
  await page.getByText('Athens State University is added.').waitFor()
  expect(await app.sql('SELECT name, kind, url FROM source ORDER BY id DESC LIMIT 1')).toEqual([
    {
      name: 'Athens State University',
      kind: 'banner9',
      url: 'https://bear-den.athens.edu/StudentRegistrationSsb/ssb',
    },
  ])

  await visit.open('/class_tracker/schools/athens-state-university/')
  await page.getByText('Already added.').waitFor()
  expect(await button('Add').count()).toBe(0)
  await visit.open(`/class_tracker/schools/?q=${'x'.repeat(100)}`)
  await page.getByText(/^No school matches/).waitFor()
  await visit.measure('a search for one long word')
  await visit.open('/class_tracker/schools/?q=brightpoint')
  await visit.follow(page.getByRole('link', { name: 'Brightpoint Community College' }))
  await page.getByText('It can’t be added.').waitFor()
  expect(await button('Add').count()).toBe(0)
  await visit.inspect('a school that cannot be read yet')

  const address = page.getByLabel('Address of its class search')
  await visit.open('/class_tracker/schools/')
  await address.fill('brightpoint')
  await visit.follow(button('Detect system'))
  await page.getByText(/^This is not an address/).waitFor()
  expect(await visit.focused()).toBe('Address of its class search')
  await visit.inspect('a name typed as an address')
  await address.fill(`${app.world.url}/schools/northfield/StudentRegistrationSsb/ssb/classSearch/classSearch`)
  await visit.follow(button('Detect system'))
  await page.getByText(/^Ellucian Banner 9 answers there/).waitFor()
  await visit.inspect('a detected system')

  await ledger.bulk({ act: 'delete', filter: { registry: 'queued' }, by: 'test' })
  await ledger.resume('test')
})
