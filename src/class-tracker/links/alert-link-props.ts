import { iso, isoOrNull } from '../../lib/moment.ts'
import type { AlertLinkProps } from './contract.ts'
import { sectionLink } from '../courses/section-link.ts'
import { courseSectionOf } from '../courses/section-row.ts'
import type { LinkRow } from './find-link.ts'

/** What the page of a message's link shows. */
export function alertLinkProps(rows: readonly LinkRow[], canPush: boolean): AlertLinkProps {
  return {
    alerts: rows.map((row) => {
      const section = courseSectionOf(row, row.source_kind)
      const { status, seats_available } = section
      return {
        course_section: { ...section, school: { id: row.school_id, name: row.school_label } },
        kind: row.kind,
        opened_at: iso(row.seen_open_at),
        now: { status, seats_available, observed_at: isoOrNull(row.section_observed_at) },
        register_url: sectionLink(row),
      }
    }),
    can_push: canPush,
  }
}
