import { cuny } from '../../../src/sources/cuny/cuny.ts'
import type { AskedLabels } from '../../../src/sources/cuny/results-page.ts'
import type { Page } from '../../../src/sources/http.ts'
import type { RunningWorld } from '../../world/server.ts'

/** A page of results as the site sent it, and the request it answers. */
export interface RecordedPage {
  page: Page
  asked: AskedLabels
}

/** Every page of results of every college in the current term, fetched by the adapter itself. */
export async function recordResultPages(world: RunningWorld): Promise<RecordedPage[]> {
  const pages: RecordedPage[] = []
  const asked: AskedLabels = { school: '', term: '', subject: '', career: '' }
  const recorder = async (input: string, init: RequestInit): Promise<Response> => {
    const form = new URLSearchParams(init.body instanceof URLSearchParams ? init.body : '')
    const response = await fetch(input, init)
    if (form.has('next_btn')) {
      asked.school = form.get('selectedInstName')?.replace(/ \| $/, '') ?? ''
      asked.term = form.get('selectedTermName') ?? ''
    }
    if (form.has('search_btn_search')) {
      asked.subject = form.get('selectedSubjectName') ?? ''
      asked.career = form.get('selectedCCareerName') ?? ''
      const bytes = await response.clone().bytes()
      const contentType = response.headers.get('content-type') ?? ''
      const page = { url: input, contentType, bytes }
      if (new TextDecoder('latin1').decode(bytes).includes('classfound_msg')) pages.push({ page, asked: { ...asked } })
    }
    return response
  }
  const lane = cuny.openLane(
    { url: `${world.url}/cuny/CFGlobalSearchTool`, settings: {} },
    { fetch: recorder, budget: async () => {}, now: () => Date.now(), timeout_ms: 10_000 },
  )
  const offered = await lane.termsAndSchools()
  if (!offered.known) throw new Error(offered.why)
  const current = world.world.catalog.terms[1]?.name
  const term = offered.value.terms.find(({ name }) => name === current)
  if (!term) throw new Error(`The site does not offer ${current}.`)
  for (const school of offered.value.schools) {
    const scope = { school: school.code, school_name: school.name, term: term.code, term_name: term.name }
    const subjects = await lane.subjects(scope)
    if (!subjects.known) throw new Error(subjects.why)
    for (const { key, name } of subjects.value.subjects) {
      for (const career of subjects.value.careers) {
        const answer = await lane.sections({ ...scope, subject: key, subject_name: name, career })
        if (!answer.known) throw new Error(answer.why)
      }
    }
  }
  return pages
}
