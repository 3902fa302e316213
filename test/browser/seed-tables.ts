import { difficultText, fillTables, validValues } from '../admin/fill-tables.ts'
import type { App } from './app.ts'
import { seedPeople } from './seed.ts'

/** People, and in every table of the database a row that is difficult to show. */
export async function seedTables(app: App): Promise<void> {
  await seedPeople(app)
  const texts = { text: difficultText, known: validValues }
  await fillTables((text, ...values) => app.sql(text, ...values), texts, Date.now())
}
