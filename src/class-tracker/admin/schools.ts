import { count, eq, sql } from 'drizzle-orm'
import { isIn } from '../../db/json-argument.ts'
import { query, readFirst } from '../../db/query.ts'
import {
  discordUser,
  school,
  schoolTerm,
  section,
  sectionGroup,
  serverSchool,
  source,
  subject,
  term,
} from '../../db/schema/index.ts'
import { hasSchools } from '../../sources/source.ts'
import { sources } from '../../sources/sources.ts'
import type { AdminAct, AdminChange, AdminPlan } from '../../web/admin-change.ts'
import { belongsTo, columnsOf, countColumn, shownOnly } from '../../web/admin-fields.ts'
import type { AdminTable } from '../../web/admin-table.ts'
import { auditRows } from '../../web/audit.ts'
import { counted } from '../../lib/text.ts'
import { fullTermName } from '../refresh/write-terms.ts'
import { alertsAbout, refuseLarge, sectionsOf, serversOf, watchers } from './parts.ts'

const preferActions = [
  { name: 'prefer', label: 'Mark as preferred', set: { isPreferred: true } },
  { name: 'unprefer', label: 'Remove from preferred', set: { isPreferred: false } },
]

const unavailableWarning = 'Their sections can no longer be added to a watch list. Existing watches continue.'

/** Schools as their sources name them. */
export const schoolsTable: AdminTable<typeof school> = {
  name: 'schools',
  label: 'School',
  about: 'Schools are added automatically from their sources. Preferred schools are listed first.',
  table: school,
  title: school.name,
  joins: [school.sourceId],
  order: 'oldest_first',
  columns: [
    { column: school.name, isSortable: true },
    school.code,
    { name: 'source', column: source.name, link: source },
    school.isPreferred,
    countColumn('terms', sql`${schoolTerm} WHERE ${schoolTerm.schoolId} = ${school.id}`),
    countColumn('subjects', sql`${subject} WHERE ${subject.schoolId} = ${school.id}`),
  ],
  search: { label: 'Name or code', contains: [school.name, school.code] },
  filters: [school.sourceId, school.isPreferred],
  fields: [
    belongsTo(school.sourceId),
    {
      column: school.code,
      isRequired: false,
      maximum: 50,
      readOnly: 'after_adding',
      help: 'The code its source uses; leave empty if the source is a single school.',
    },
    { column: school.name, maximum: 200, help: 'The next refresh restores the name its source gives it.' },
    school.isPreferred,
  ],
  related: [
    { label: 'Terms', table: schoolTerm, filter: 'school_id' },
    subject.schoolId,
    { table: section, filter: 'school' },
  ],
  cascades: [
    { label: 'terms', through: [schoolTerm.schoolId], joins: [schoolTerm.termId], title: term.fullTermName },
    { through: [subject.schoolId], title: subject.name },
    sectionsOf(schoolTerm.schoolId, section.schoolTermId),
    watchers(schoolTerm.schoolId, sectionGroup.schoolTermId),
    alertsAbout(schoolTerm.schoolId, section.schoolTermId),
    serversOf(serverSchool.schoolId, serverSchool.serverId, 'kept, but no longer listed for this school'),
    { through: [discordUser.schoolId], title: discordUser.username, effect: 'kept, without a school' },
  ],
  actions: preferActions,
  refuse: refuseLarge(
    (key) => sql`${schoolTerm} JOIN ${section} ON ${section.schoolTermId} = ${schoolTerm.id}
      WHERE ${schoolTerm.schoolId} = ${key}`,
    'delete it one term at a time.',
  ),
  save: saveSchool,
}

async function saveSchool({ DB }: Env, { key, values }: AdminChange): Promise<AdminPlan> {
  const columns = columnsOf(school, values, 'name', 'isPreferred')
  const id = Number(key)
  if (key !== null) return { statements: [query.update(school).set(columns).where(eq(school.id, id))] }
  const own = columnsOf(school, values, 'sourceId', 'code')
  const found = await readFirst(DB, query.select({ kind: source.kind }).from(source).where(eq(source.id, own.sourceId)))
  const protocol = sources.get(found?.kind ?? '')
  const isShared = protocol !== undefined && hasSchools(protocol)
  if (isShared === (own.code === '')) {
    const message = isShared
      ? 'This source has several schools: enter the code it uses for this one.'
      : 'This source is a single school and has no codes.'
    return { errors: [{ field: 'code', message }] }
  }
  return { statements: [query.insert(school).values({ ...own, ...columns })] }
}

const seasons = [
  { value: 'winter', label: 'Winter' },
  { value: 'spring', label: 'Spring' },
  { value: 'summer', label: 'Summer' },
  { value: 'fall', label: 'Fall' },
] as const

const isOffered = sql`EXISTS (SELECT 1 FROM ${schoolTerm} WHERE ${schoolTerm.termId} = ${term.id} AND ${schoolTerm.isAvailable})`

/** Years and seasons, shared by all schools. */
export const termsTable: AdminTable<typeof term> = {
  name: 'terms',
  label: 'Term',
  about: 'A year and season, shared by all schools. Preferred terms are listed first.',
  table: term,
  title: term.fullTermName,
  columns: [
    term.fullTermName,
    { column: term.year, kind: 'text', isSortable: true },
    term.season,
    term.isPreferred,
    {
      ...countColumn(
        'available',
        sql`${schoolTerm} WHERE ${schoolTerm.termId} = ${term.id} AND ${schoolTerm.isAvailable}`,
      ),
      label: 'Schools offering it',
    },
    { ...countColumn('schools', sql`${schoolTerm} WHERE ${schoolTerm.termId} = ${term.id}`), label: 'All schools' },
  ],
  search: { label: 'Name', contains: [term.fullTermName] },
  filters: [
    term.season,
    term.isPreferred,
    {
      name: 'available',
      choices: [
        { value: 'yes', label: 'At one or more schools', where: isOffered },
        { value: 'no', label: 'At no schools', where: sql`NOT ${isOffered}` },
      ],
    },
  ],
  fields: [
    { column: term.year, minimum: 2000, maximum: 2100 },
    { column: term.season, choices: seasons },
    { column: term.fullTermName, label: 'Name', readOnly: 'always' },
    term.isPreferred,
  ],
  related: [{ label: 'Schools', table: schoolTerm, filter: 'term_id' }],
  actions: [
    ...preferActions,
    {
      name: 'make_available',
      label: 'Make available at every school',
      run: (_env, act) => setAvailable(act, true),
    },
    {
      name: 'make_unavailable',
      label: 'Make unavailable at every school',
      confirm: unavailableWarning,
      run: (_env, act) => setAvailable(act, false),
    },
  ],
  async refuse({ DB }, intent) {
    if (!('remove' in intent)) return []
    const isOfTerm = eq(schoolTerm.termId, Number(intent.remove.key))
    const found = await readFirst(DB, query.select({ schools: count() }).from(schoolTerm).where(isOfTerm))
    const schools = found?.schools ?? 0
    if (schools === 0) return []
    return [`${counted(schools, 'school has', 'schools have')} this term: delete it there first.`]
  },
  save: saveTerm,
}

async function saveTerm(_env: Env, { key, values }: AdminChange): Promise<AdminPlan> {
  const season = seasons.find(({ value }) => value === values['season'])?.value ?? 'fall'
  const { year, isPreferred } = columnsOf(term, values, 'year', 'isPreferred')
  const columns = { year, season, fullTermName: fullTermName(year, season), isPreferred }
  const id = Number(key)
  const saving =
    key === null ? query.insert(term).values(columns) : query.update(term).set(columns).where(eq(term.id, id))
  return { statements: [saving] }
}

/** What staff set is kept, even if the school reports something else later. */
async function setAvailable({ keys, actor, now, write }: AdminAct, isAvailable: boolean): Promise<string> {
  // D1 binds numbers as floating-point ones, which JSON writes as 1.0.
  const value = sql.raw(isAvailable ? '1' : '0')
  const differs = sql`${isIn(schoolTerm.termId, keys)}
    AND (${schoolTerm.isAvailable} <> ${value} OR NOT ${schoolTerm.isAvailabilityKept})`
  const [, { changes }] = await write([
    auditRows(
      actor,
      { act: 'changed', area: 'class_tracker', table: 'school_term' },
      sql`SELECT ${schoolTerm.id} AS row_key, ${school.name} || ', ' || ${schoolTerm.name} AS title,
          json_object('is_available', ${schoolTerm.isAvailable}, 'is_availability_kept', ${schoolTerm.isAvailabilityKept}) AS before,
          json_object('is_available', ${value}, 'is_availability_kept', 1) AS after
        FROM ${schoolTerm} JOIN ${school} ON ${school.id} = ${schoolTerm.schoolId} WHERE ${differs}`,
      now,
    ),
    query.update(schoolTerm).set({ isAvailable, isAvailabilityKept: true }).where(differs),
  ])
  return `Now ${isAvailable ? 'available' : 'unavailable'} at ${counted(changes, 'more school')}, until staff change it.`
}

/** One school's own term, under its own code. */
export const schoolTermsTable: AdminTable<typeof schoolTerm> = {
  name: 'school-terms',
  label: 'School term',
  about:
    'Which terms each school offers. Sections in an available term can be watched; watches end with the term. Availability comes from the school unless staff set it.',
  table: schoolTerm,
  title: sql`${school.name} || ', ' || ${schoolTerm.name}`,
  joins: [schoolTerm.schoolId, schoolTerm.termId],
  columns: [
    schoolTerm.name,
    { name: 'school', column: school.name, link: school },
    { name: 'term', column: term.fullTermName, link: term },
    schoolTerm.code,
    schoolTerm.isAvailable,
    schoolTerm.isAvailabilityKept,
    schoolTerm.endsAt,
    schoolTerm.sectionCount,
    { column: schoolTerm.sectionsRefreshedAt, label: 'Last read' },
  ],
  search: {
    label: 'Name, code or school',
    contains: [schoolTerm.name, schoolTerm.code, school.name],
  },
  filters: [
    schoolTerm.schoolId,
    schoolTerm.termId,
    schoolTerm.isAvailable,
    schoolTerm.isAvailabilityKept,
    schoolTerm.endsAt,
  ],
  fields: [
    belongsTo(schoolTerm.schoolId),
    schoolTerm.termId,
    {
      column: schoolTerm.code,
      maximum: 50,
      readOnly: 'after_adding',
      help: 'The school’s own code, such as 202610 or 1269.',
    },
    {
      column: schoolTerm.name,
      maximum: 200,
      help: 'The name exactly as the school shows it, since some schools require it in searches. The next refresh restores it.',
    },
    { column: schoolTerm.isAvailable, initial: 1 },
    {
      column: schoolTerm.isAvailabilityKept,
      label: 'Set by staff',
      initial: 1,
      help: 'Off: the next refresh sets availability from the school. Changing availability turns it on.',
    },
    { column: schoolTerm.endsAt, help: 'Watches are archived on this date. The next term refresh resets it.' },
    ...shownOnly([
      { column: schoolTerm.endsOn, label: 'Last day, as the school reports it' },
      { column: schoolTerm.subjectsRefreshedAt, label: 'Subjects last read' },
      { column: schoolTerm.sectionsRefreshedAt, label: 'Sections last read' },
      { column: schoolTerm.sectionCount, label: 'Sections' },
    ]),
  ],
  related: [section.schoolTermId],
  cascades: [sectionsOf(section.schoolTermId), watchers(sectionGroup.schoolTermId), alertsAbout(section.schoolTermId)],
  actions: [
    { name: 'make_available', set: { isAvailable: true, isAvailabilityKept: true } },
    {
      name: 'make_unavailable',
      set: { isAvailable: false, isAvailabilityKept: true },
      confirm: unavailableWarning,
    },
    { name: 'follow_school', label: 'Use the school’s setting', set: { isAvailabilityKept: false } },
  ],
  refuse: refuseLarge(
    (key) => sql`${section} WHERE ${section.schoolTermId} = ${key}`,
    'delete some of its sections first.',
  ),
  save: saveSchoolTerm,
}

/** An availability that staff change is kept, unless they decide otherwise in the same form. */
async function saveSchoolTerm(_env: Env, { key, before, values }: AdminChange): Promise<AdminPlan> {
  const columns = columnsOf(schoolTerm, values, 'termId', 'name', 'isAvailable', 'isAvailabilityKept', 'endsAt')
  const isChanged = (name: string) => before !== null && before[name] !== values[name]
  if (isChanged('is_available') && !isChanged('is_availability_kept')) columns.isAvailabilityKept = true
  const saving =
    key === null
      ? query.insert(schoolTerm).values({ ...columnsOf(schoolTerm, values, 'schoolId', 'code'), ...columns })
      : query
          .update(schoolTerm)
          .set(columns)
          .where(eq(schoolTerm.id, Number(key)))
  return { statements: [saving], written: { is_availability_kept: Number(columns.isAvailabilityKept) } }
}
