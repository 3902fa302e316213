import { write } from '../../db/query.ts'
import { judge } from '../../sources/judge.ts'
import { type ListedSchool, whyNotRead } from '../../sources/schools/directory.ts'
import { auditEntry } from '../../web/audit.ts'
import { unprocessable } from '../../web/refusal.ts'
import type { ListedSchoolCheck, AskedAddress } from './contract.ts'
import { checkSource, MAX_CHECK_MS, whyStopped } from '../refresh/check-source.ts'
import { refuseUnlessSuperuser, type TrackerActor } from '../tracker-actor.ts'
import { detectSource, refuseTyped } from '../../sources/detect.ts'
import { openLane } from '../polling/open-lane.ts'
import { findSourceOf } from './listed-schools.ts'

/** Requests per minute for checks of a host that no source reads; if a source does, its limit applies to checks too. */
const MAX_REQUESTS_PER_MINUTE = 60

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

/** The longest wait for one answer, in ms: an address that hangs leaves time for others. */
const MAX_ANSWER_MS = 4000

/**
 * Finds the system behind an address. Stores nothing but an audit entry; requests count against the host's limit.
 * @throws forbidden
 */
export async function askAddress(
  env: Env,
  by: TrackerActor,
  typed: string,
  clock: () => number,
): Promise<AskedAddress> {
  refuseUnlessSuperuser(by)
  const refusal = refuseTyped(typed)
  if (refusal !== null) return { ...nothingAt(typed), why: refusal }
  const deadline = clock() + MAX_CHECK_MS
  const answer = await detect(env, typed, { now: clock, deadline, timeout_ms: MAX_ANSWER_MS })
  const { kind, why } = answer
  const entry = { act: 'checked', area: 'class_tracker', table: 'source', key: '', title: typed, after: { kind, why } }
  await write(env.DB, auditEntry(by.audit, entry, clock()))
  return answer
}

/** An address at which no system is known to answer. */
export function nothingAt(typed: string) {
  return { typed, kind: null, system: null, url: null, terms_count: 0, source: null }
}

async function detect(env: Env, typed: string, tools: Parameters<typeof openLane>[2]): Promise<AskedAddress> {
  const nothing = nothingAt(typed)
  try {
    const { found, why } = await detectSource(typed, async ({ kind }, address) => {
      const source = { ...address, kind, id: null, requests_per_minute: MAX_REQUESTS_PER_MINUTE }
      return (await openLane(env, source, tools)).lane
    })
    if (found) {
      const { url, terms } = found
      const { kind, label: system } = found.source
      const source = await findSourceOf(env.DB, { kind, url })
      return { typed, kind, system, url, terms_count: terms.length, source, why: null }
    }
    return { ...nothing, why }
  } catch (error) {
    return { ...nothing, why: whyStopped(error, tools.now(), tools.deadline) }
  }
}
