import { desc, eq, sql } from 'drizzle-orm'
import { prepared, query, read, parameter } from '../../db/query.ts'
import { school, schoolTerm, source, term } from '../../db/schema/index.ts'
import type { School } from './contract.ts'

/** The most schools or terms in a list: more than anyone could choose from. */
const MAX_CHOICES = 2000

const PREFERRED_FIRST = [desc(school.isPreferred), sql`${school.name} COLLATE NOCASE`, school.id]

/** Every school by name, preferred ones first. Rows are `School`. */
export const findSchools = prepared(() =>
  query
    .select({ id: school.id, name: school.name })
    .from(school)
    .orderBy(...PREFERRED_FIRST)
    .limit(MAX_CHOICES),
)

/** Terms that some school offers: preferred ones first, then the last to end. Rows are `Term`. */
export const findTerms = prepared(() =>
  query
    .select({ id: term.id, full_term_name: term.fullTermName })
    .from(term)
    .innerJoin(schoolTerm, sql`${schoolTerm.termId} = ${term.id} AND ${schoolTerm.isAvailable}`)
    .groupBy(term.id)
    .orderBy(desc(term.isPreferred), sql`max(${schoolTerm.endsAt}) DESC`, desc(term.id))
    .limit(MAX_CHOICES),
)

const findSchoolsWithSource = prepared(() => {
  const { id, name } = school
  return query
    .select({ id, name, is_enabled: source.isEnabled })
    .from(school)
    .innerJoin(source, eq(source.id, school.sourceId))
    .orderBy(...PREFERRED_FIRST)
    .limit(MAX_CHOICES)
})

/** Like {@link findSchools}, marking schools whose source is turned off. */
export async function getSchools(db: D1Database): Promise<School[]> {
  const rows = await read(db, findSchoolsWithSource())
  return rows.map(({ id, name, is_enabled: isEnabled }) => (isEnabled ? { id, name } : { id, name, is_off: true }))
}

export const findSchool = prepared(() =>
  query
    .select({ id: school.id, name: school.name })
    .from(school)
    .where(eq(school.id, parameter('id'))),
)

export const findTerm = prepared(() =>
  query
    .select({ id: term.id, full_term_name: term.fullTermName })
    .from(term)
    .where(eq(term.id, parameter('id'))),
)
