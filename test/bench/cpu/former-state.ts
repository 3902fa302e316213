import type { CataloguedSection, GroupRead } from '../../../src/class-tracker/refresh/compare-sections.ts'
import { fingerprintOf } from '../../../src/class-tracker/refresh/fingerprint.ts'
import type { SourceSection } from '../../../src/sources/source.ts'

/** The catalogue as a refresh of these sections would have left it. */
export function formerStateOf(groupId: number, sections: readonly SourceSection[]): CataloguedSection[] {
  return sections.map((section, index) => ({
    id: groupId * 10_000 + index,
    section_key: section.section_key,
    group_id: groupId,
    status: section.status,
    seats_available: section.seats_available,
    capacity: section.capacity,
    waitlist_available: section.waitlist_available,
    version: 1,
    new_watch_count: 0,
    watch_count: 0,
    fingerprint: fingerprintOf(section),
    missing_since: null,
  }))
}

/** A group's believed answer, as a refresh hands it to the comparison. */
export function readOf(groupId: number, sections: readonly SourceSection[]): GroupRead {
  return { group_id: groupId, subject_id: groupId, at: 0, sections }
}
