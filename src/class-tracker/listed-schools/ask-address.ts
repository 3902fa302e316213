import { write } from '../../db/query.ts'
import { detectSource, refuseTyped } from '../../sources/detect.ts'
import { auditEntry } from '../../web/audit.ts'
import type { AskedAddress } from './contract.ts'
import { openLane } from '../polling/open-lane.ts'
import { MAX_CHECK_MS, whyStopped } from '../refresh/check-source.ts'
import { refuseUnlessSuperuser, type TrackerActor } from '../tracker-actor.ts'
import { MAX_REQUESTS_PER_MINUTE } from './check-listed-school.ts'
import { findSourceOf } from './listed-schools.ts'

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
