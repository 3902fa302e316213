import { sql } from 'drizzle-orm'
import {
  findInvitesByCode,
  findServersByName,
  invitesGroup,
  serversGroup,
} from '../classcords/servers/palette-entries.ts'
import { beginsFolded, beginsWith, MAX_BEYOND_ASCII } from '../db/search-words.ts'
import { constant, readTogether, type RowOf, template } from '../db/query.ts'
import { course, recipient, school, schoolTerm, section } from '../db/schema/index.ts'
import { queueOfJob } from '../jobs/job.ts'
import { typedSearch } from '../lib/text.ts'
import type { Palette, PaletteGroup } from '../web/contract.ts'
import type { Tables } from './table.ts'

const MAX_ENTRIES = 5
const most = constant(MAX_ENTRIES)

/** Finds sections by the school's number or by the course: "10065", "cmis 2300". @param typed in lower case */
function findSections(typed: string) {
  return template(
    {
      id: section.id,
      number: section.sectionKey,
      section: section.section,
      code: course.code,
      level: course.level,
      title: course.title,
      school: school.name,
    },
    (columns) => sql`WITH numbered AS MATERIALIZED (
        SELECT ${section.id} AS id FROM ${section} WHERE ${beginsWith(sql`lower(${section.sectionKey})`, typed)} LIMIT ${most}),
      named AS MATERIALIZED (
        SELECT ${course.id} AS id FROM ${course}
        WHERE ${beginsWith(sql`lower(${course.code} || ' ' || ${course.level})`, typed)} LIMIT ${most}),
      found AS MATERIALIZED (
        SELECT id FROM numbered UNION
        SELECT id FROM (SELECT ${section.id} AS id FROM named CROSS JOIN ${section} ON ${section.courseId} = named.id LIMIT ${most}))
      SELECT ${columns} FROM found CROSS JOIN ${section} ON ${section.id} = found.id
      JOIN ${course} ON ${course.id} = ${section.courseId}
      JOIN ${schoolTerm} ON ${schoolTerm.id} = ${section.schoolTermId}
      JOIN ${school} ON ${school.id} = ${schoolTerm.schoolId}
      ORDER BY ${section.sectionKey} = ${typed} DESC, ${section.id} LIMIT ${most}`,
  )
}

/** @param typed in lower case */
function findRecipientsNamed(typed: string) {
  return template(
    { name: recipient.name, description: recipient.description },
    (columns) => sql`SELECT ${columns} FROM ${recipient} WHERE ${recipient.id} IN (
        SELECT id FROM (SELECT ${recipient.id} AS id FROM ${recipient}
          WHERE ${beginsWith(sql`lower(${recipient.name})`, typed)} ORDER BY lower(${recipient.name}) LIMIT ${most})
        UNION SELECT id FROM (SELECT ${recipient.id} AS id, ${recipient.name} AS name FROM ${recipient}
          WHERE octet_length(${recipient.name}) > length(${recipient.name}) ORDER BY ${recipient.id} DESC LIMIT ${constant(MAX_BEYOND_ASCII)})
          WHERE ${beginsFolded(sql`name`, typed)})
      ORDER BY lower(${recipient.name}) LIMIT ${most}`,
  )
}

/** At most five of each kind; without a search, the tables. One round trip. @param search any text */
export async function findPalette(db: D1Database, tables: Tables, search: string): Promise<Palette> {
  const q = typedSearch(search)
  const typed = q.toLowerCase()
  const named = tablesGroup(tables, typed)
  if (typed === '') return { groups: [named] }
  const [sections, recipients, servers, invites] = await readTogether(
    db,
    findSections(typed),
    findRecipientsNamed(typed),
    findServersByName(typed),
    findInvitesByCode(typed),
  )
  const groups = [
    sectionsGroup(sections),
    recipientsGroup(recipients),
    serversGroup(servers),
    invitesGroup(invites, ({ id }) => `/admin/invites/${id}/`),
    jobsGroup(q),
    named,
  ]
  return { groups: groups.filter(({ entries }) => entries.length > 0) }
}

function sectionsGroup(found: readonly RowOf<ReturnType<typeof findSections>>[]): PaletteGroup {
  const entries = found.map(({ id, number, section: code, school: at, ...of }) => ({
    title: `${[of.code, of.level].filter(Boolean).join(' ')}${code && `-${code}`} ${of.title}`,
    detail: [number, at].join(' · '),
    href: `/admin/sections/${id}/`,
  }))
  return { label: 'Sections', entries }
}

function recipientsGroup(found: readonly RowOf<ReturnType<typeof findRecipientsNamed>>[]): PaletteGroup {
  const entries = found.map(({ name, description }) => ({
    title: name,
    detail: description,
    href: `/class_tracker/add_classes/?${new URLSearchParams({ q: name })}`,
  }))
  return { label: 'Recipients', entries }
}

/** A job is found by its full name, as in logs and messages. */
function jobsGroup(name: string): PaletteGroup {
  const queue = queueOfJob(name)
  const entries =
    queue === null ? [] : [{ title: name, detail: queue, href: `/scheduler/jobs/${encodeURIComponent(name)}/` }]
  return { label: 'Jobs', entries }
}

function tablesGroup(tables: Tables, typed: string): PaletteGroup {
  const entries = tables.places
    .filter(({ labels }) => labels.toLowerCase().includes(typed))
    .map(({ name, labels, area }) => ({ title: labels, detail: area, href: `/admin/${name}/` }))
  return { label: 'Admin', entries: typed === '' ? entries : entries.slice(0, MAX_ENTRIES) }
}
