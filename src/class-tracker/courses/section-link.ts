import { school, schoolTerm, section, source } from '../../db/schema/index.ts'
import { sources } from '../../sources/sources.ts'
import { settingsOf } from './host-share.ts'

/** What {@link sectionLink} needs to know about a section, its term, school and source. */
export const linkFields = {
  source_kind: source.kind,
  source_url: source.url,
  source_settings: source.settings,
  school_code: school.code,
  school_label: school.name,
  school_term_code: schoolTerm.code,
  section_key: section.sectionKey,
  section_session_code: section.sessionCode,
}

type LinkRow = Record<keyof typeof linkFields, string>

/** The section's page at the school, otherwise the registration page; null if the protocol is not supported. */
export function sectionLink(row: LinkRow): string | null {
  const protocol = sources.get(row.source_kind)
  if (!protocol) return null
  const address = { url: row.source_url, settings: settingsOf(row.source_settings) }
  return protocol.link(address, {
    school: row.school_code,
    school_name: row.school_label,
    term: row.school_term_code,
    section_key: row.section_key,
    session_code: row.section_session_code,
  })
}
