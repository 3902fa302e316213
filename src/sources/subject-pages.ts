import { known, unknown } from './answer.ts'
import type { Answer, GroupSections, SourceSection } from './source.ts'

/** The sections of an answer that has no pages. */
export interface FoundSections {
  /** Each once, however often the answer named it. */
  sections: SourceSection[]
  /** What does not say which section it is. With any, sections may be missing. */
  nameless: number
}

/** Sections handed over at a time, as many as a page of other systems has. */
const SECTIONS_A_PAGE = 500

/**
 * A term that came as one answer, as pages of whole subjects in the order of their codes. `from` is the `next` of an earlier
 * page: the first subject that is still wanted, which holds even if sections came or went since. All of them were asked for at
 * `askedAt`, ms since epoch. What is nameless leaves the others believed, and the walk without its end.
 */
export function* subjectPages(
  found: Answer<FoundSections>,
  from: string | null,
  askedAt: number,
): Generator<Answer<GroupSections>> {
  if (!found.known) {
    yield found
    return
  }
  const { sections, nameless } = found.value
  let warnings = found.warnings
  for (const page of cut(sections, from)) {
    yield known({ ...page, stated_count: null, asked_at: askedAt }, warnings)
    warnings = []
  }
  if (nameless > 0) yield unknown('incomplete', found.warnings.join(' '))
}

function* cut(sections: readonly SourceSection[], from: string | null) {
  const wanted = sections.filter(({ subject }) => from === null || subject >= from)
  const bySubject = [...Map.groupBy(wanted, ({ subject }) => subject)].toSorted(([one], [other]) =>
    one < other ? -1 : 1,
  )
  let page: SourceSection[] = []
  for (const [subject, group] of bySubject) {
    if (page.length > 0 && page.length + group.length > SECTIONS_A_PAGE) {
      yield { sections: page, next: subject }
      page = []
    }
    page.push(...group)
  }
  if (page.length > 0) yield { sections: page, next: null }
}
