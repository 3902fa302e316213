import { control } from '../world/client.ts'
import type { App } from './app.ts'
import { knownSubject } from './seed.ts'

/** A section of the known subject, as the app loaded it. */
export interface KnownSection {
  id: number
  /** The school's own id. */
  number: string
  /** "CMSC 2300 - Data Structures": the app's name for it. */
  name: string
  /** "CMSC 2300-01": one section among others of its course. */
  code: string
  status: string
}

/** Sections of the known subject with this status that share their room with no other, by number. */
export async function sectionsThatAre(app: App, status: 'open' | 'waitlisted' | 'closed'): Promise<KnownSection[]> {
  const known = knownSubject(app)
  const alone = known.sections.filter(({ crossList }) => crossList === null).map(({ number }) => number)
  return app.sql<KnownSection>(
    `SELECT s.id, s.section_key AS number, s.status,
       c.code || ' ' || c.level || ' - ' || CASE WHEN s.topic = '' THEN c.title ELSE s.topic END AS name,
       c.code || ' ' || c.level || '-' || s.section AS code
     FROM section s JOIN course c ON c.id = s.course_id
     WHERE s.status = ? AND s.section_key IN (SELECT value FROM json_each(?)) ORDER BY s.section_key`,
    status,
    JSON.stringify(alone),
  )
}

/** The first of them; throws if there is none. */
export async function sectionWithStatus(app: App, status: 'open' | 'waitlisted' | 'closed'): Promise<KnownSection> {
  const [section] = await sectionsThatAre(app, status)
  if (!section) throw new Error(`The known subject has no section that is ${status}.`)
  return section
}

/** What the school says about the section from now on. */
export async function setSeats(
  app: App,
  { number }: Pick<KnownSection, 'number'>,
  change: { available?: number; status?: 'open' | 'waitlisted' | 'closed' },
): Promise<void> {
  const { school, term } = knownSubject(app)
  const answer = await control(app.world.url, 'POST', 'sections', {
    source: school,
    school,
    term,
    section: number,
    ...change,
  })
  if (!answer.ok) throw new Error(await answer.text())
}

export async function setFault(app: App, service: string, mode: string, times?: number): Promise<void> {
  const answer = await control(app.world.url, 'POST', 'faults', {
    service,
    mode,
    ...(times === undefined ? {} : { times }),
  })
  if (!answer.ok) throw new Error(await answer.text())
}

/** Sets the fault on every school system. Other systems that show a school's classes get the fault of that school. */
export async function setFaultEverywhere(app: App, mode: string): Promise<void> {
  const systems = new Set(app.world.world.catalog.schools.map(({ source }) => source))
  for (const system of systems) await setFault(app, system, mode)
}

export async function clearFaults(app: App): Promise<void> {
  await control(app.world.url, 'DELETE', 'faults')
}

/** The texts that arrived at a number. */
export async function textsTo(app: App, number: string): Promise<string[]> {
  const answer = await fetch(`${app.world.url}/_world/outbox`)
  const { sms } = (await answer.json()) as { sms: { to: string; body: string }[] }
  return sms.filter(({ to }) => to === number).map(({ body }) => body)
}

/** A watch that had its first look: only a change to open causes an alert. */
export async function watch(app: App, recipientId: number, { id }: Pick<KnownSection, 'id'>): Promise<void> {
  await app.sql(
    'INSERT INTO watch (recipient_id, section_id, created_at, is_new) VALUES (?, ?, ?, 0)',
    recipientId,
    id,
    Date.now(),
  )
}
