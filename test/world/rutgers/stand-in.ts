import { gzipSync } from 'node:zlib'
import { escapeHtml, html, type Answer, type Call, type StandIn } from '../http.ts'
import { subjectsAmong } from '../schools/catalog.ts'
import { statusOf } from '../schools/seats.ts'
import type { Section, Term } from '../schools/types.ts'
import type { World } from '../world.ts'
import { CAMPUSES, sectionsAt } from './campuses.ts'
import { courseRow, courseString, indexOf, termNumber } from './courses.ts'

/** The Banner school whose classes it shows. */
const SCHOOL = 'Harbor State University'
/** How long the list of courses is cached (ms); the list of open sections is always current. */
const COPY_MS = 900_000

/** Rutgers' schedule of classes, beside the school's own system and with the same changes. */
export function rutgersStandIns(world: World): StandIn[] {
  const school = world.catalog.schools.find(({ name }) => name === SCHOOL)
  if (!school?.banner) return []
  /** What was open when the list of courses of a term was last made. */
  const copies = new Map<Term, { at: number; open: ReadonlySet<Section> }>()

  const termOf = (year: string | null, term: string | null): Term | undefined =>
    world.catalog.termsOf(school).find((one) => String(one.year) === year && String(termNumber(one)) === term)
  const sectionsOf = (term: Term): Section[] => world.catalog.of(school, term).filter(({ offered }) => offered)
  const isOpen = (section: Section, { listing }: Call): boolean => statusOf(listing?.get(section) ?? section) === 'open'

  const openSections = (term: Term, call: Call): string[] =>
    sectionsOf(term)
      .filter((section) => isOpen(section, call))
      .map(indexOf)

  const copyOf = (term: Term): ReadonlySet<Section> => {
    const kept = copies.get(term)
    if (kept !== undefined && world.now() - kept.at < COPY_MS) return kept.open
    const open = new Set(sectionsOf(term).filter((section) => statusOf(section) === 'open'))
    copies.set(term, { at: world.now(), open })
    return open
  }

  const courses = (term: Term, campus: string): object[] => {
    const open = copyOf(term)
    return [...Map.groupBy(sectionsAt(campus, sectionsOf(term)), courseString).values()].map((ofCourse) =>
      courseRow(campus, ofCourse, (section) => open.has(section)),
    )
  }

  const home = (): Answer => {
    const [current] = world.catalog
      .termsOf(school)
      .filter(({ past }) => !past)
      .toReversed()
    if (current === undefined) return html('<html><body></body></html>')
    const subjects = subjectsAmong(world.catalog.termsOf(school).flatMap(sectionsOf))
    const data = {
      subjects: subjects.map(({ code, name }) => ({ code, description: name, school: '01' })),
      units: [],
      currentTermDate: { year: current.year, term: termNumber(current), campus: CAMPUSES[0].code },
    }
    return html(`<!DOCTYPE html>
<html lang="en"><head><title>Schedule of Classes</title></head><body>
<div id="initJsonData" style="display:none">${escapeHtml(JSON.stringify(data))}</div>
<script>var wording = "no classes";</script></body></html>`)
  }

  const listed = (call: Call): Answer => {
    const { searchParams } = call.url
    const [year, number, campus] = [searchParams.get('year'), searchParams.get('term'), searchParams.get('campus')]
    if (year === null || number === null || campus === null) return { status: 400, headers: {}, body: '' }
    const term = termOf(year, number)
    if (term === undefined) return compressed([])
    // The list of open sections covers all campuses, whichever is requested.
    if (call.path === '/api/openSections.json') return compressed(openSections(term, call))
    return compressed(courses(term, campus))
  }

  const isList = ({ path }: Call): boolean => path === '/api/openSections.json' || path === '/api/courses.json'
  return [
    {
      service: school.source,
      prefix: `/schools/${school.banner.slug}/soc`,
      answer: (call) => {
        if (isList(call)) return listed(call)
        return call.path === '/' ? home() : html('<html><body><h1>404</h1></body></html>', 404)
      },
      emptyAnswer: (call) => (isList(call) ? compressed([]) : html('<html><body></body></html>')),
      lists: isList,
      errorBody: (status) => ({ type: 'text/html;charset=UTF-8', body: `<html><body>Error ${status}</body></html>` }),
    },
  ]
}

function compressed(value: unknown): Answer {
  return {
    status: 200,
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    body: gzipSync(JSON.stringify(value)),
  }
}
