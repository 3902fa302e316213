import { sources } from '../../sources/sources.ts'
import { settingsOf } from '../polling/watched-groups.ts'

/** Where a section is found: columns for a SELECT that joins `school h` and `source o`. */
export const linkColumns = `o.kind AS source_kind, o.url AS source_url, o.settings AS source_settings,
  h.code AS school_code, h.name AS school_label, st.code AS school_term_code`

export interface LinkRow {
  source_kind: string
  source_url: string
  source_settings: string
  school_code: string
  school_label: string
  school_term_code: string
  section_key: string
}

/** The section at the school, else the school's registration page; null when nothing of ours speaks the source's protocol. */
export function sectionLink(row: LinkRow): string | null {
  const source = sources.get(row.source_kind)
  if (!source) return null
  const address = { url: row.source_url, settings: settingsOf(row.source_settings) }
  return source.link(address, {
    school: row.school_code,
    school_name: row.school_label,
    term: row.school_term_code,
    section_key: row.section_key,
  })
}
