import { escapeHtml, html, json, jsonObjectOf, type Answer, type Call, type StandIn } from '../http.ts'
import { subjectsAmong } from '../schools/catalog.ts'
import { type Listing, offeredOf } from '../schools/listing.ts'
import type { School, Section } from '../schools/types.ts'
import type { World } from '../world.ts'
import { codeOf, detailsOf, type FoseStyle, rowOf, termCode } from './rows.ts'

/** One school has no other system; the others can be read by this protocol as well as by their own. */
const STYLES: readonly FoseStyle[] = [
  {
    school: 'Maple Ridge University',
    termList: 'script',
    seats: 'words',
    hasEnrollmentLetter: true,
    wantsBrowser: true,
  },
  {
    school: 'Northfield Technical University',
    termList: 'script',
    seats: 'words',
    hasEnrollmentLetter: true,
    wantsBrowser: false,
  },
  {
    school: 'Cedar Valley Community College',
    termList: 'choice',
    seats: 'elements',
    hasEnrollmentLetter: false,
    wantsBrowser: true,
  },
]

/** All terms as one: the rows of an answer say which term they belong to. */
const EVERY_TERM = '999999'

/** CourseLeaf's class search at the schools that have it; a second system gets the same changes as the first. */
export function foseStandIns(world: World): StandIn[] {
  return STYLES.flatMap((style) => {
    const school = world.catalog.schools.find(({ name }) => name === style.school)
    const slug = school?.only?.slug ?? school?.banner?.slug
    return school && slug !== undefined ? [foseStandIn(world, school, slug, style)] : []
  })
}

function foseStandIn(world: World, school: School, slug: string, style: FoseStyle): StandIn {
  const terms = () => world.catalog.termsOf(school).map((term) => ({ term, code: termCode(term) }))

  const sectionsOf = (srcdb: unknown, listing?: Listing): Section[] | null => {
    const wanted = terms().filter(({ code }) => srcdb === code || srcdb === EVERY_TERM)
    if (wanted.length === 0) return null
    return offeredOf(
      wanted.flatMap(({ term }) => world.catalog.of(school, term)),
      listing,
    )
  }

  const home = (choices: readonly { code: string; name: string }[], sections: readonly Section[]): Answer => {
    const options = choices.map(({ code, name }) => `<option value="${code}">${escapeHtml(name)}</option>`).join('\n')
    const subjects = subjectsAmong(sections).map(
      ({ code, name }) => `<option value="${code}">${escapeHtml(`${name} (${code})`)}</option>`,
    )
    const list =
      style.termList === 'script' ? `<script>var search={srcDBs:${JSON.stringify(choices)},x:{}};</script>` : ''
    return html(`<!DOCTYPE html>
<html lang="en"><head><title>Class Search</title>${list}</head><body><form>
<select id="crit-srcdb" name="srcdb">${options}</select>
<select id="crit-subject" name="subject"><option value="">Any Subject</option>${subjects.join('')}</select>
</form></body></html>`)
  }

  const wholeHome = (): Answer => {
    const listed = terms().map(({ term, code }) => ({ code, name: `${term.season} ${term.year}` }))
    const joined = { code: '5999', name: 'Summer 2026 & Fall 2026' }
    return home([{ code: EVERY_TERM, name: 'Any Term (2025-2027)' }, ...listed, joined], sectionsOf(EVERY_TERM) ?? [])
  }

  const list = (srcdb: unknown, sections: readonly Section[]): Answer => {
    const totals = Map.groupBy(sections, codeOf)
    const results = sections.map((section, index) =>
      rowOf(section, index + 1, totals.get(codeOf(section))?.length ?? 1, style),
    )
    return json({ srcdb, count: results.length, results })
  }

  const search = (call: Call): Answer => {
    const body = bodyOf(call)
    const srcdb = isObject(body?.['other']) ? body['other']['srcdb'] : undefined
    const found = sectionsOf(srcdb, call.listing)
    if (found === null) return noTerm(srcdb)
    const criteria = Array.isArray(body?.['criteria']) ? body['criteria'].filter(isObject) : []
    const wanted = (field: string): unknown => criteria.find((one) => one['field'] === field)?.['value']
    const [subject, crn] = [wanted('subject'), wanted('crn')]
    const fits = ({ course, number }: Section): boolean =>
      (subject === undefined || course.subject.code === subject) && (crn === undefined || number === crn)
    return list(srcdb, found.filter(fits))
  }

  const details = (call: Call): Answer => {
    const body = bodyOf(call)
    const every = sectionsOf(body?.['srcdb'])
    if (every === null) return noTerm(body?.['srcdb'])
    const section = every.find(({ number }) => `crn:${number}` === body?.['key'])
    if (!section)
      return json({ srcdb: body?.['srcdb'], key: '', code: '', crn: '', title: '', seats: '', allInGroup: [] })
    const siblings = every.filter((other) => codeOf(other) === codeOf(section))
    return json(detailsOf(section, siblings, style))
  }

  const routeOf = ({ path, url }: Call): string | null =>
    path.replace(/\/+$/, '') === '/api' && url.searchParams.get('page') === 'fose'
      ? url.searchParams.get('route')
      : null

  return {
    service: school.source,
    prefix: `/schools/${slug}/classes`,
    answer: (call) => {
      const isBrowser = /Mozilla/.test(call.headers['user-agent'] ?? '')
      if (style.wantsBrowser && !isBrowser) return { status: 202, headers: {}, body: '' }
      const route = routeOf(call)
      if (route === 'search') return search(call)
      if (route === 'details') return details(call)
      return call.path === '/' ? wholeHome() : html('<html><body><h1>404</h1></body></html>', 404)
    },
    emptyAnswer: (call) => {
      const route = routeOf(call)
      if (route === 'details') return json({})
      if (route !== 'search') return home([], [])
      const body = bodyOf(call)
      return list(isObject(body?.['other']) ? body['other']['srcdb'] : '', [])
    },
    lists: (call) => routeOf(call) === 'search',
    errorBody: (status) => ({ type: 'text/plain;charset=UTF-8', body: `Error ${status}` }),
  }
}

function noTerm(srcdb: unknown): Answer {
  return json({ fatal: `cannot open database ${String(srcdb)}`, count: 0 })
}

/** JSON, or the same escaped as a part of an address, which browsers send. */
function bodyOf(call: Call): Record<string, unknown> | null {
  return jsonObjectOf(call.body.startsWith('%') ? { ...call, body: decodeURIComponent(call.body) } : call)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
