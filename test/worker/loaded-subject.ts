import { refreshSections } from '../../src/class-tracker/refresh/refresh-sections.ts'
import { refreshSubjects } from '../../src/class-tracker/refresh/refresh-subjects.ts'
import { refreshTerms } from '../../src/class-tracker/refresh/refresh-terms.ts'
import { makeRecipient, makeWatch } from './catalog.ts'
import { rows } from './rows.ts'
import { addSource, runJob, world, type WorldSection, type worldSources } from './world.ts'

/** A subject of a school in its latest term, loaded through the app's own refresh. */
export interface LoadedSubject {
  source_id: number
  school_id: number
  term_id: number
  subject_id: number
  group_id: number
  /** Its sections as in the world, with our ids. */
  sections: (WorldSection & { id: number })[]
}

/**
 * `term`: how many terms before the last; default: 0. `ourName`: the name that its system shows for the world's school.
 * `career` (default: any).
 */
export async function loadSubject(
  which: keyof typeof worldSources,
  school: string,
  subject: string,
  {
    source,
    term = 0,
    ourName = school,
    career,
  }: { source?: number; term?: number; ourName?: string; career?: string } = {},
): Promise<LoadedSubject> {
  const source_id = source ?? (await addSource(which))
  if (source === undefined) {
    await runJob(refreshTerms, { by: 'test', source_ids: [source_id] })
  }
  const places = await rows<{ school_id: number; term_id: number; full_term_name: string }>(
    `SELECT t.school_id, t.term_id, e.full_term_name
     FROM school s JOIN school_term t ON t.school_id = s.id JOIN term e ON e.id = t.term_id
     WHERE s.source_id = ? AND s.name = ? AND t.is_available ORDER BY t.ends_at DESC`,
    source_id,
    ourName,
  )
  const place = places[term]
  if (!place) throw new Error(`${school} was not loaded`)
  const { full_term_name, ...scope } = place
  await runJob(refreshSubjects, { by: 'test', ...scope })
  const [group] = await rows<{ id: number; subject_id: number }>(
    `SELECT g.id, g.subject_id FROM section_group g JOIN subject j ON j.id = g.subject_id
     JOIN school_term t ON t.id = g.school_term_id WHERE t.school_id = ? AND t.term_id = ? AND j.key = ? AND g.career = coalesce(?, g.career)`,
    place.school_id,
    place.term_id,
    subject,
    career ?? null,
  )
  if (!group) throw new Error(`${subject} was not loaded`)
  const { id: group_id, subject_id } = group
  await runJob(refreshSections, { ...scope, by: 'test', subject_id })
  const known = new Map(
    (
      await rows<{ id: number; section_key: string }>(
        'SELECT id, section_key FROM section WHERE group_id = ?',
        group_id,
      )
    ).map((one) => [one.section_key, one.id]),
  )
  const sections = (await world.sections({ school, term: full_term_name })).flatMap((section) => {
    const id = known.get(section.section)
    return id === undefined || section.subject !== subject ? [] : [{ ...section, id }]
  })
  return { source_id, ...scope, subject_id, group_id, sections }
}

/** Three subjects of Harbor State University, all read from one source. */
export async function loadHarbor(): Promise<[LoadedSubject, LoadedSubject, LoadedSubject]> {
  const learnHere = (subject: string, by: { source?: number } = {}) =>
    loadSubject('harbor', 'Harbor State University', subject, by)
  const first = await learnHere('CSCI')
  const onSame = { source: first.source_id }
  return [first, await learnHere('MATH', onSame), await learnHere('ENG', onSame)]
}

let people = 0

export interface Waiting {
  section: LoadedSubject['sections'][number]
  recipient: number
  phone: string
  email: string
}

export type Kind = 'phone' | 'email'

/**
 * A recipient with a phone and a mailbox (or other contacts) waits for the next loaded section, which is closed and
 * known to be. No one else waits for it anymore.
 */
export async function wait(loaded: LoadedSubject, kinds: readonly Kind[] = ['phone', 'email']): Promise<Waiting> {
  const section = loaded.sections.shift()
  if (!section) throw new Error('there is no section')
  loaded.sections.push(section)
  for (const table of ['watch', 'opening']) await rows(`DELETE FROM ${table} WHERE section_id = ?`, section.id)
  await world.set(section, { status: 'closed' })
  await rows("UPDATE section SET status = 'closed', seats_available = 0 WHERE id = ?", section.id)
  people += 1
  const phone = `+1202556${String(people).padStart(4, '0')}`
  const email = `waiting${people}@example.com`
  const recipient = await makeRecipient(kinds.map((kind) => ({ kind, address: kind === 'phone' ? phone : email })))
  await makeWatch(recipient, section.id)
  return { section, recipient, phone, email }
}

/** Everything that has arrived for a recipient. */
export async function arrivedFor(waiting: Pick<Waiting, 'phone' | 'email'>): Promise<{ sms: number; email: number }> {
  const { sms, email } = await world.outbox()
  return {
    sms: sms.filter(({ to }) => to === waiting.phone).length,
    email: email.filter(({ to }) => to === waiting.email).length,
  }
}
