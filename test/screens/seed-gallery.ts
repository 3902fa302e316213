import type { App } from '../browser/app.ts'
import { seedPeople } from '../browser/seed.ts'
import { fillCatalog } from '../world/start/fill.ts'
import { afternoonZone } from './gallery/afternoon-zone.ts'
import { keepTicking, seedLedgers } from './gallery/ledgers.ts'
import { messagesSql } from './gallery/messages.ts'
import { peopleSql } from './gallery/people.ts'
import { seatsSql, sectionsOf } from './gallery/seats.ts'
import { sourcesSql, stayFresh } from './gallery/sources.ts'

/**
 * Schools on an ordinary day: what is watched and by whom, what opened and the outcome of each message, a school that
 * does not answer, and a day of jobs. Nothing is random, and nothing keeps running.
 */
export async function seedGallery(app: App): Promise<void> {
  await seedPeople(app)
  await fillCatalog(app.url, () => undefined)
  const now = Date.now()
  const sections = await sectionsOf(app)
  await app.sqlTogether([
    ...peopleSql(now),
    ...seatsSql(sections, now),
    ...messagesSql(sections, now),
    ...sourcesSql(now, afternoonZone(now)),
  ])
  await seedLedgers(app, now)
  await renewGallery(app)
}

/** The gallery's time stands still, however long its pictures take. */
export async function renewGallery(app: App): Promise<void> {
  await stayFresh(app)
  await keepTicking(app)
}
