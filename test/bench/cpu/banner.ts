import { readSearchPage } from '../../../src/sources/banner9/search-page.ts'
import type { SourceSection } from '../../../src/sources/source.ts'
import type { Figure } from '../report.ts'
import { generateTerm } from '../term-of-10000.ts'
import { formerStateOf, refreshOf } from './former-state.ts'
import { compareCpu, ratioFigure } from './pair.ts'

/** CPU of a term of 10 000 Banner sections against `JSON.parse` of the same bytes. */
export async function measureBannerCpu(): Promise<Figure[]> {
  const term = generateTerm()
  const pages = term.envelopes.map(({ subject, bytes }) => ({
    criteria: { term: term.code, subject },
    page: { url: 'http://localhost/', contentType: 'application/json', bytes },
  }))
  const understand = ({ page, criteria }: (typeof pages)[number]): SourceSection[] => {
    const answer = readSearchPage(page, criteria)
    if (!answer.known) throw new Error(answer.why)
    return answer.value.sections
  }
  const known = pages.map((page, index) => formerStateOf(index + 1, understand(page)))

  const justJson = (): void => {
    for (const { page } of pages) JSON.parse(new TextDecoder().decode(page.bytes))
  }
  const justUnderstand = (): void => {
    for (const page of pages) understand(page)
  }

  const spread = await compareCpu(justJson, justJson)
  const unchanged = await compareCpu(refreshOf(pages, understand, known, 0), justJson)
  const allNew = await compareCpu(refreshOf(pages, understand, [], term.sections), justJson)
  const parsed = await compareCpu(justUnderstand, justJson)
  return [
    ratioFigure('JSON.parse against itself (the spread)', spread),
    ratioFigure('parse, normalise, compare (unchanged)', unchanged, 2),
    ratioFigure('parse, normalise, compare (all of it new)', allNew, 2),
    ratioFigure('parse and normalise alone', parsed),
  ]
}
