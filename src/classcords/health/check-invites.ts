import * as z from 'zod/mini'
import { read } from '../../db/query.ts'
import { enqueue } from '../../jobs/enqueue.ts'
import { defineJob, runAgain, type Schedule } from '../../jobs/job.ts'
import { everyMinutes } from '../../jobs/schedules.ts'
import { MINUTE_MS } from '../../lib/time.ts'
import { lookUpInvite } from '../discord/look-up-invite.ts'
import { indexServers } from '../search/index-servers.ts'
import { findDueInvites, recordCheck, type Verdict } from './record-check.ts'

/** Invites checked in one run; each costs a call to Discord. */
const MAX_CHECKED = 25
/** A run ends with this much of its time left, because one lookup may take this long. */
const MARGIN_MS = 8000
const OUTAGE_PAUSE_MS = 10 * MINUTE_MS

/**
 * Checks the invites that are due: each once a day, a failing one twice. A 429 pauses the run for as long as Discord
 * asks. A run that continues later skips what it has checked, because each check sets the next due time.
 */
export const checkInvites = defineJob({
  name: 'check-invites',
  queue: 'maintenance',
  input: z.object({}),
  limit: { attempts: 3, run_seconds: 20, retry_seconds: [60, 300] },
  async run({ env, now, deadline, checkpoint, progress }) {
    const due = await read(env.DB, findDueInvites(now(), MAX_CHECKED))
    const verdicts: Partial<Record<Verdict, number>> = {}
    let done = 0
    let unsureInARow = 0
    for (const invite of due) {
      if (now() > deadline - MARGIN_MS) return runAgain(now(), {})
      await checkpoint()
      const lookup = await lookUpInvite(env, invite.code)
      if (lookup.kind === 'unsure' && lookup.retry_after_ms !== null) return runAgain(now() + lookup.retry_after_ms, {})
      const verdict = await recordCheck(env.DB, invite, lookup, now())
      verdicts[verdict] = (verdicts[verdict] ?? 0) + 1
      done += 1
      unsureInARow = verdict === 'unsure' ? unsureInARow + 1 : 0
      // Discord is at fault, not this invite.
      if (unsureInARow >= 3) return runAgain(now() + OUTAGE_PAUSE_MS, {})
      await progress(done, due.length, 'Checking invites')
    }
    await indexServers(env.DB, 100)
    return due.length < MAX_CHECKED ? { checked: due.length, ...verdicts } : runAgain(now(), {})
  },
})

/** Four times an hour, to spread the checks over the day. */
export const scheduleChecks: Schedule = {
  name: 'check-invites',
  every: 'every 15 minutes',
  nextAt: everyMinutes(15),
  async plan(env) {
    await enqueue(env, checkInvites, {}, { key: 'check-invites' })
  },
}
