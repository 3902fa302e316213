import type { Catalog } from './catalog.ts'
import type { CrossList, Section } from './types.ts'

/** Sections as a source showed them at some time, by the sections of the catalog, which have changed since. */
export type Listing = ReadonlyMap<Section, Section>

/** A copy of all sections of a source as they are now. */
export function listingOf(catalog: Catalog, source: string): Listing {
  const listing = new Map<Section, Section>()
  const groups = new Map<CrossList, CrossList>()
  for (const section of catalog.sections) {
    if (section.school.source !== source) continue
    const copy: Section = { ...section, seats: { ...section.seats } }
    listing.set(section, copy)
    if (section.crossList === null) continue
    const group = groups.get(section.crossList) ?? { ...section.crossList, members: [] }
    groups.set(section.crossList, group)
    group.members.push(copy)
    copy.crossList = group
  }
  return listing
}

/** The sections that a school offers, as they are now or as a listing shows them. */
export function offeredOf(sections: readonly Section[], listing?: Listing): Section[] {
  return sections.map((section) => listing?.get(section) ?? section).filter(({ offered }) => offered)
}
