import * as z from 'zod'
import { read } from '../../db/query.ts'
import { enqueue } from '../../jobs/enqueue.ts'
import { defineJob, runAgain, type Schedule } from '../../jobs/job.ts'
import { everyMinutes } from '../../jobs/schedule-times.ts'
import { lookUpInvite } from '../discord/look-up-invite.ts'
import { indexServers } from '../search/index-servers.ts'
import { findDueInvites, recordCheck, type Verdict } from './record-check.ts'

/** Invites one run looks at; each costs a call to Discord. */
const most = 25
/** A run hands back with this much of its time left: one look-up may take as long. */
const marginMs = 8000
const longestPauseMs = 3600_000
const outagePauseMs = 10 * 60_000

/**
 * Looks at the invites that are due: each once a day, one that failed twice. A 429 ends the run until the moment Discord names;
 * what it has done stays done, because every invite carries its own next time.
 */
export const checkInvites = defineJob({
  name: 'check-invites',
  queue: 'maintenance',
  input: z.object({}),
  limit: { attempts: 3, run_seconds: 20, retry_seconds: [60, 300] },
  async run({ env, now, deadline, checkpoint, progress }) {
    const due = await read(env.DB, findDueInvites(now(), most))
    const verdicts: Partial<Record<Verdict, number>> = {}
    let done = 0
    let unsureInARow = 0
    for (const invite of due) {
      if (now() > deadline - marginMs) return runAgain(now(), {})
      await checkpoint()
      const looked = await lookUpInvite(env, invite.code)
      if (looked.kind === 'unsure' && looked.retry_after_ms !== null)
        return runAgain(now() + Math.min(looked.retry_after_ms, longestPauseMs), {})
      const verdict = await recordCheck(env.DB, invite, looked, now())
      verdicts[verdict] = (verdicts[verdict] ?? 0) + 1
      done += 1
      unsureInARow = verdict === 'unsure' ? unsureInARow + 1 : 0
      // Discord itself is in trouble, not one invite.
      if (unsureInARow >= 3) return runAgain(now() + outagePauseMs, {})
      await progress(done, due.length, 'Checking invites')
    }
    await indexServers(env.DB, 100)
    return due.length < most ? { checked: due.length, ...verdicts } : runAgain(now(), {})
  },
})

/** Four times an hour whatever is due, so that a day's checks are spread over the day. */
export const scheduleChecks: Schedule = {
  name: 'check-invites',
  every: 'every quarter of an hour',
  nextAt: everyMinutes(15),
  async plan(env) {
    await enqueue(env, checkInvites, {}, { key: 'check-invites' })
  },
}
