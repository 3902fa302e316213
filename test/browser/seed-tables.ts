import { fillTables } from '../admin/fill-tables.ts'
import type { App } from './app.ts'
import { seedPeople } from './seed.ts'

const phone = '+12025550199'
/** Values that forms require, and kinds that other things depend on. */
const known = {
  'class_alert.kind': 'opening',
  'contact.kind': 'phone',
  'contact.address': phone,
  'contact.address_key': phone,
  'delivery.channel': 'phone',
  'delivery.state': 'failed',
  'email_address.address': 'filled@example.com',
  'section.status': 'closed',
  'setting.name': 'school_timeout_ms',
  'setting.value': '9000',
  'source.kind': 'banner9',
  'source.is_enabled': 0,
  'source.time_zone': 'America/New_York',
  'source.url': 'https://banner.example.edu/StudentRegistrationSsb/ssb',
  'term.season': 'fall',
  'user.username': 'filled-person',
  'user.email': 'filled@example.com',
}
/** Longer than a phone is wide, with nowhere to break, and in both directions. */
const difficult = (table: string, column: string): string =>
  `${table}.${column}${'W'.repeat(column === 'code' || column === 'key' || column === 'level' ? 10 : 60)} مرحبا & <b>`

/** People, and in every table of the database a row that is difficult to show. */
export async function seedTables(app: App): Promise<void> {
  await seedPeople(app)
  await fillTables((text, ...values) => app.sql(text, ...values), { text: difficult, known }, Date.now())
}
