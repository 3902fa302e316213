import type { GroupSections, SourceSection } from './source.ts'

/** Sections handed over at a time, as many as a page of other systems has. */
const SECTIONS_A_PAGE = 500

/**
 * Cuts a term that came as one answer into pages of whole subjects, in the order of their codes. `from` is the `next` of an
 * earlier page: the first subject that is still wanted, which holds even if sections came or went since. All of them were asked
 * for at `askedAt`, ms since epoch.
 */
export function* subjectPages(
  sections: readonly SourceSection[],
  from: string | null,
  askedAt: number,
): Generator<GroupSections> {
  const wanted = sections.filter(({ subject }) => from === null || subject >= from)
  const bySubject = [...Map.groupBy(wanted, ({ subject }) => subject)].toSorted(([one], [other]) =>
    one < other ? -1 : 1,
  )
  let page: SourceSection[] = []
  for (const [subject, group] of bySubject) {
    if (page.length > 0 && page.length + group.length > SECTIONS_A_PAGE) {
      yield { sections: page, stated_count: null, next: subject, asked_at: askedAt }
      page = []
    }
    page.push(...group)
  }
  if (page.length > 0) yield { sections: page, stated_count: null, next: null, asked_at: askedAt }
}
