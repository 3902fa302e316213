import {
  compareSections,
  judgedSection,
  type StoredSection,
  type GroupRead,
} from '../../../src/class-tracker/refresh/compare-sections.ts'
import { fingerprintOf } from '../../../src/class-tracker/refresh/fingerprint.ts'
import type { SourceSection } from '../../../src/sources/source.ts'

/** The catalog as a refresh of these sections would have left it. */
export function formerStateOf(groupId: number, sections: readonly SourceSection[]): StoredSection[] {
  return sections.map(judgedSection).map((section, index) => ({
    section_key: section.section_key,
    status: section.status,
    seats_available: section.seats_available,
    seats_for_anyone: null,
    capacity: section.capacity,
    waitlist_available: section.waitlist_available,
    id: groupId * 10_000 + index,
    group_id: groupId,
    version: 1,
    new_watch_count: 0,
    watch_count: 0,
    fingerprint: fingerprintOf(section.listed),
    missing_since: null,
    unknown_since: section.status === 'unknown' ? 0 : null,
    unlisted_at: null,
    created_at: 0,
  }))
}

/** A group's believed answer, as a refresh passes it to the comparison. */
export function readOf(
  groupId: number,
  sections: readonly SourceSection[],
  known: readonly StoredSection[],
): GroupRead {
  const all = sections.map(judgedSection)
  return { group_id: groupId, subject_id: groupId, asked_at: 0, seen_at: 0, known_at: 0, known, sections: all }
}

/**
 * Reads each page, the answer of one group, and compares its sections with those stored before.
 * @param expected how many differ; fails for any other number
 */
export function refreshOf<Page>(
  pages: readonly Page[],
  understand: (page: Page) => SourceSection[],
  former: readonly StoredSection[][],
  expected: number,
): () => void {
  return () => {
    let writes = 0
    for (const [index, page] of pages.entries()) {
      writes += compareSections([readOf(index + 1, understand(page), former[index] ?? [])]).writes.length
    }
    if (writes !== expected) throw new Error(`${writes} sections differ, not ${expected}.`)
  }
}
