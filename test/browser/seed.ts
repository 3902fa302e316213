import { seedSql } from '../world/start/seed.ts'
import { Visitor } from '../world/client.ts'
import type { Section } from '../world/schools/types.ts'
import { statusOf } from '../world/schools/seats.ts'
import type { App, Statement } from './app.ts'
import { newSession } from './session.ts'

/** The school, term and subject of the journeys. Far enough ahead that the term does not end during them. */
interface KnownSubject {
  school: string
  term: string
  /** As the app shows it. */
  subject: string
  sections: readonly Section[]
}

const school = 'Harbor State University'
/** Ordered so that each may refer to those before it. */
const catalogTables = ['source', 'school', 'term', 'school_term', 'subject', 'section_group', 'course', 'section']

let people: Statement[] | null = null
/** The tables as the app had read them at that time (ms since epoch). */
let catalog: { tables: Statement[]; readAt: number } | null = null

/** The accounts, every source of the world, and one recipient with three contacts. */
export async function seedPeople(app: App): Promise<void> {
  people ??= seedSql(app.world.url, Date.now())
    .split(/;\n/)
    .map((text) => ({ text }))
  await app.sqlTogether(people)
  // One poll a minute: it is due at the very beginning of the minute that is ticked.
  await app.sql('UPDATE source SET poll_seconds = 60')
}

/** The subject of the journeys: small, with sections of every status. */
export function knownSubject(app: App): KnownSubject {
  const { catalog: world } = app.world.world
  const term = world.terms.at(-1)
  const harbor = world.schools.find(({ name }) => name === school)
  if (!term || !harbor) throw new Error('The world has lost its first school.')
  const bySubject = Map.groupBy(world.of(harbor, term), ({ course }) => course.subject.name)
  const count = (sections: readonly Section[], status: string): number =>
    sections.filter((section) => section.offered && !section.crossList && statusOf(section) === status).length
  const fitting = [...bySubject].filter(
    ([, sections]) =>
      count(sections, 'closed') >= 3 && count(sections, 'waitlisted') >= 1 && count(sections, 'open') >= 2,
  )
  const [subject, sections] = fitting.toSorted(([, one], [, other]) => one.length - other.length)[0] ?? []
  if (subject === undefined || sections === undefined) throw new Error('No subject of the world has all it takes.')
  return { school, term: term.name, subject, sections }
}

/** People, and a catalog that the app has just read: the first time really, then a copy with later times. */
export async function seedCatalog(app: App): Promise<void> {
  await seedPeople(app)
  if (catalog === null) {
    await learn(app)
    const readAt = Date.now()
    catalog = { tables: (await Promise.all(catalogTables.map((table) => keep(app, table)))).flat(), readAt }
    return
  }
  const { tables, readAt } = catalog
  const later = Date.now() - readAt
  await app.sql('DELETE FROM source')
  await app.sqlTogether(tables.map(({ text, values = [] }) => ({ text, values: [...values, later] })))
}

/** A table as statements that insert its rows again. Their last value, in ms, is added to each time. */
async function keep(app: App, table: string): Promise<Statement[]> {
  const rows = await app.sql<Record<string, unknown>>(`SELECT * FROM ${table}`)
  const columns = Object.keys(rows[0] ?? {})
  if (columns.length === 0) return []
  const values = columns.map(
    (column) => `json_extract(value, '$.${column}')${column.endsWith('_at') ? ' + later' : ''}`,
  )
  const text = `INSERT INTO ${table} (${columns.join(', ')}) SELECT ${values.join(', ')}
    FROM json_each(?) CROSS JOIN (SELECT ? AS later)`
  const pieces: Statement[] = []
  for (let at = 0; at < rows.length; at += 500)
    pieces.push({ text, values: [JSON.stringify(rows.slice(at, at + 500))] })
  return pieces
}

/** Terms of all schools, the subjects of one school, and the sections of one subject, by the app's own calls. */
async function learn(app: App): Promise<void> {
  const visitor = new Visitor(app.url)
  visitor.jar.set('session', await newSession(app, 'admin'))
  const token = /"csrf_token":"([^"]+)"/.exec(await visitor.page('/class_tracker/'))?.[1] ?? ''
  const headers = { origin: app.url, accept: 'application/json', 'x-csrftoken': token }
  const refresh = async (path: string): Promise<void> => {
    const answer = await visitor.request(`/class_tracker/${path}`, { method: 'POST', headers })
    if (answer.status === 200) return
    throw new Error([`${path} answered ${answer.status}: ${await answer.text()}`, ...app.failures()].join('\n'))
  }
  const idOf = async (table: string, column: string, name: string): Promise<number> => {
    const [row] = await app.sql<{ id: number }>(`SELECT id FROM ${table} WHERE ${column} = ?`, name)
    if (!row) throw new Error(`The app has learned no ${table} named ${name}.`)
    return row.id
  }
  const known = knownSubject(app)
  await refresh('refresh_available_terms')
  const schoolId = await idOf('school', 'name', known.school)
  const termId = await idOf('term', 'full_term_name', known.term)
  await refresh(`refresh_semester_data/${schoolId}/${termId}`)
  const subjectId = await idOf('subject', 'name', known.subject)
  await refresh(`fetch_new_semester_course_sections/${schoolId}/${termId}/${subjectId}`)
}
