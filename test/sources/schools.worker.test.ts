import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { judge } from '../../src/sources/judge.ts'
import type { Group, Lane, Observation } from '../../src/sources/source.ts'
import { sources } from '../../src/sources/sources.ts'

/** What Node's tests cannot show: that the Workers runtime's own fetch, cookies and decoders serve the adapters as well. */
it.each([
  ['banner9', 'Harbor State University', '/schools/harbor/StudentRegistrationSsb/ssb', ''],
  ['colleague', 'Harbor State University', '/schools/harbor/Student', ''],
  ['hcx', 'Northfield Technical University', '/schools/northfield/hcx/psc/csprd/EMPLOYEE/SA/s', ''],
  ['banner8', 'Harbor State University', '/schools/harbor/pls/PROD', ''],
  ['fose', 'Cedar Valley Community College', '/schools/cedar-valley/classes/api', ''],
  ['rutgers', 'Harbor State University', '/schools/harbor/soc/api', 'NB'],
  ['collegescheduler', 'Maple Ridge University', '/collegescheduler/mapleridge', ''],
  ['cuny', 'Queens College', '/cuny/CFGlobalSearchTool', 'QNS01'],
])('%s is understood inside workerd, session, labels and all', async (kind, schoolName, path, school) => {
  const source = sources.get(kind)
  const lane = source?.openLane(
    { url: `${env.WORLD_URL}${path}`, settings: {} },
    { fetch, budget: () => Promise.resolve(), now: Date.now, timeout_ms: 5000 },
  )
  const offered = await lane?.termsAndSchools()
  if (lane === undefined || !offered?.known) throw new Error('the terms are unknown')
  const [term] = offered.value.terms
  if (term === undefined) throw new Error('there is no term')
  const scope = { school, school_name: school === '' ? '' : schoolName, term: term.code, term_name: term.name }
  const listed = await lane.subjects(scope)
  if (!listed.known) throw new Error(listed.why)
  const found: string[] = []
  for (const { key, name } of listed.value.subjects) {
    for (const career of listed.value.careers) {
      const group = { ...scope, subject: key, subject_name: name, career }
      const answer = await lane.sections(group)
      if (!answer.known) throw new Error(answer.why)
      const { sections } = answer.value
      const seen = source?.reads.status === 'section' ? await seatsOf(lane, group, sections) : sections
      found.push(...seen.map((section) => `${section.section_key} ${judge(section).status}`))
    }
  }
  const season = `${term.season.charAt(0).toUpperCase()}${term.season.slice(1)}`
  const filter = new URLSearchParams({ school: schoolName, term: `${term.year} ${season} Term` })
  const response = await fetch(`${env.WORLD_URL}/_world/sections?${filter}`)
  const there: { section: string; status: string; available: number }[] = await response.json()
  expect(there.length).toBeGreaterThan(50)
  const toldOf = ({ status, available }: (typeof there)[number]) => {
    // College Scheduler tells free seats, whoever they are kept for; Rutgers tells open from full, and no waiting list.
    if (kind === 'collegescheduler') return available > 0 ? 'open' : 'closed'
    return kind === 'rutgers' && status === 'waitlisted' ? 'closed' : status
  }
  expect(found.toSorted()).toEqual(there.map((report) => `${report.section} ${toldOf(report)}`).toSorted())
})

/** The seats of sections that the lists do not tell. */
async function seatsOf(lane: Lane, group: Group, sections: readonly Observation[]): Promise<Observation[]> {
  const watched = sections.map(({ section_key }) => ({ section_key, level: '' }))
  const seen: Observation[] = []
  for await (const { answer } of lane.seats([{ group, watched }], new Map())) {
    if (!answer.known) throw new Error(answer.why)
    seen.push(...answer.value.seen)
  }
  return seen
}
