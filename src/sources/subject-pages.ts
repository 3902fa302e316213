import { known, unknown } from './answer.ts'
import type { Answer, GroupSections, SourceSection } from './source.ts'

/** The sections of an answer that has no pages. */
export interface FoundSections {
  /** Each section once, regardless of how often the answer named it. */
  sections: SourceSection[]
  /** The number of entries that do not identify their section. If there are any, sections may be missing. */
  unidentified: number
}

/** How many sections are returned at a time: as many as on a page of other systems. */
const SECTIONS_PER_PAGE = 500

/**
 * A term that came as one answer, as pages of whole subjects in the order of their codes. `from` is the `next` of an
 * earlier page: the first subject still to come, which stays right even if sections were added or removed since. All of
 * them were requested at `askedAt`, ms since epoch. If some entries do not say which section they are, the others are
 * still accepted, but the walk ends as incomplete.
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
  const { sections, unidentified } = found.value
  let warnings = found.warnings
  for (const page of cut(sections, from)) {
    yield known({ ...page, asked_at: askedAt }, warnings)
    warnings = []
  }
  if (unidentified > 0) yield unknown('incomplete', found.warnings.join(' '))
}

function* cut(sections: readonly SourceSection[], from: string | null) {
  const bySubject = Map.groupBy(sections, ({ subject }) => subject)
  const wanted = [...bySubject.keys()].filter((subject) => from === null || subject >= from)
  let page: SourceSection[] = []
  for (const subject of wanted.toSorted()) {
    const group = bySubject.get(subject) ?? []
    if (page.length > 0 && page.length + group.length > SECTIONS_PER_PAGE) {
      yield { sections: page, next: subject }
      page = []
    }
    // Not `push(...)`: a subject of very many sections would be more arguments than a call can have.
    for (const section of group) page.push(section)
  }
  if (page.length > 0) yield { sections: page, next: null }
}
