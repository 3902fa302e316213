import { write } from '../../db/query.ts'
import { judge } from '../../sources/judge.ts'
import { type ListedSchool, whyNotRead } from '../../sources/schools/directory.ts'
import { auditEntry } from '../../web/audit.ts'
import { unprocessable } from '../../web/refusal.ts'
import type { ListedSchoolCheck } from './contract.ts'
import { checkSource } from '../refresh/check-source.ts'
import { refuseUnlessSuperuser, type TrackerActor } from '../tracker-actor.ts'

/** Requests per minute for checks of a host that no source reads; if a source does, its limit applies to checks too. */
export const MAX_REQUESTS_PER_MINUTE = 60

const SHOWN_SECTIONS = 3
const SHOWN_WARNINGS = 5

/** Stores nothing but an audit entry. @throws forbidden; unprocessable where the school cannot be read yet */
export async function checkListedSchool(
  env: Env,
  by: TrackerActor,
  listed: ListedSchool,
  clock: () => number,
): Promise<ListedSchoolCheck> {
  refuseUnlessSuperuser(by)
  const refusal = whyNotRead(listed)
  if (refusal !== null) throw unprocessable(`${listed.name} was not checked. ${refusal}`)
  const lane = { ...listed, id: null, requests_per_minute: MAX_REQUESTS_PER_MINUTE }
  const { why, warnings, requests, terms, asked, subjects, subject, sections } = await checkSource(env, lane, clock)
  const figures = { why, requests, terms: terms.length, subjects: subjects.length, sections: sections.length }
  const entry = { act: 'checked', area: 'class_tracker', table: 'source', key: '', title: listed.name, after: figures }
  await write(env.DB, auditEntry(by.audit, entry, clock()))
  return {
    why,
    warnings: [...new Set(warnings)].slice(0, SHOWN_WARNINGS),
    requests,
    terms_count: terms.length,
    term_name: asked?.term.name ?? null,
    subjects_count: subjects.length,
    subject_name: subject?.name ?? null,
    sections_count: sections.length,
    sections: sections.slice(0, SHOWN_SECTIONS).map((section) => {
      const { status, seats_available, capacity } = judge(section)
      const { number, code, level, title } = section
      return { number, course: `${code} ${level}`, title, section: section.section, status, seats_available, capacity }
    }),
  }
}
