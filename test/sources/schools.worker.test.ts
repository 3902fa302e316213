import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { judge } from '../../src/sources/judge.ts'
import { type Group, hasSchools, type Lane, type Observation } from '../../src/sources/source.ts'
import { addressOf, reportedStatus, WORLD_SCHOOLS, type WorldReport } from './world-schools.ts'

const oneOfEachKind = [...Map.groupBy(WORLD_SCHOOLS, ({ source }) => source.kind).values()].flatMap((schools) =>
  schools.slice(0, 1),
)

/**
 * What Node's tests cannot show: that the Workers runtime's own fetch, cookies and decoders also work for the adapters.
 */
it.each(oneOfEachKind)('$source.kind is understood inside workerd, including sessions and labels', async (world) => {
  const { source, sourceName, schoolName, school } = world
  const tools = { fetch, budget: () => Promise.resolve(), now: Date.now, timeout_ms: 5000 }
  const lane = source.openLane(addressOf(world, env.WORLD_URL), tools)
  const offered = await lane.termsAndSchools()
  if (!offered.known) throw new Error('the terms are unknown')
  const [term] = offered.value.terms
  if (term === undefined) throw new Error('there is no term')
  const school_name = hasSchools(source) ? schoolName : ''
  const scope = { school, school_name, term: term.code, term_name: term.name }
  const listed = await lane.subjects(scope)
  if (!listed.known) throw new Error(listed.why)
  const found: string[] = []
  for (const { key, name } of listed.value.subjects) {
    for (const career of listed.value.careers) {
      const group = { ...scope, subject: key, subject_name: name, career }
      const answer = await lane.sections(group)
      if (!answer.known) throw new Error(answer.why)
      const { sections } = answer.value
      const seen = source.reads.status === 'section' ? await seatsOf(lane, group, sections) : sections
      found.push(...seen.map((section) => `${section.section_key} ${judge(section).status}`))
    }
  }
  const season = `${term.season.charAt(0).toUpperCase()}${term.season.slice(1)}`
  const filter = new URLSearchParams({ source: sourceName, school: schoolName, term: `${term.year} ${season} Term` })
  const response = await fetch(`${env.WORLD_URL}/_world/sections?${filter}`)
  const there: WorldReport[] = await response.json()
  expect(there.length).toBeGreaterThan(50)
  expect(found.toSorted()).toEqual(
    there.map((report) => `${report.section} ${reportedStatus(world, report)}`).toSorted(),
  )
})

/** The seats of sections that are missing from the lists. */
async function seatsOf(lane: Lane, group: Group, sections: readonly Observation[]): Promise<Observation[]> {
  const watched = sections.map(({ section_key }) => ({ section_key, level: '' }))
  const seen: Observation[] = []
  for await (const { answer } of lane.seats([{ group, watched }], new Map())) {
    if (!answer.known) throw new Error(answer.why)
    seen.push(...answer.value.seen)
  }
  return seen
}
