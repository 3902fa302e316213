import { lt } from 'drizzle-orm'
import * as z from 'zod/mini'
import { deleteSome, MAX_DELETED } from '../../db/delete-some.ts'
import { prepared, query, readFirst, writeTogether } from '../../db/query.ts'
import { inviteLookup, inviteUse, notice } from '../../db/schema/index.ts'
import { enqueue } from '../../jobs/enqueue.ts'
import { defineJob, type Schedule } from '../../jobs/job.ts'
import { DAY_MS } from '../../lib/time.ts'
import { theServer } from '../aliases.ts'
import { indexServers, isUnindexed } from '../search/index-servers.ts'

/** How long single uses are kept: longer than any chart shows. Their totals are kept permanently. */
export const KEEP_USES_MS = 90 * DAY_MS
const KEEP_NOTICES_MS = 180 * DAY_MS
const INDEXED_TOGETHER = 200

/** Updates the search words of changed servers and deletes old uses, notices and lookups. */
export const tidyDirectory = defineJob({
  name: 'tidy-directory',
  queue: 'maintenance',
  input: z.object({}),
  limit: { attempts: 3, run_seconds: 20, retry_seconds: [60] },
  async run({ env, now, deadline, checkpoint }) {
    let indexed = 0
    for (let last = INDEXED_TOGETHER; last === INDEXED_TOGETHER && now() < deadline - 5000; indexed += last) {
      await checkpoint()
      last = await indexServers(env.DB, INDEXED_TOGETHER)
    }
    let forgotten = 0
    for (let isOver = false; !isOver;) {
      await checkpoint()
      const at = now()
      const [uses, notices, lookups] = await writeTogether(env.DB, [
        deleteSome(inviteUse, lt(inviteUse.usedAt, at - KEEP_USES_MS)),
        deleteSome(notice, lt(notice.createdAt, at - KEEP_NOTICES_MS)),
        query.delete(inviteLookup).where(lt(inviteLookup.fetchedAt, at - DAY_MS)),
      ])
      forgotten += uses.changes + notices.changes + lookups.changes
      isOver = Math.max(uses.changes, notices.changes) < MAX_DELETED || now() >= deadline - 5000
    }
    return { indexed, forgotten }
  },
})

const findUnindexed = prepared(() => query.select({ id: theServer.id }).from(theServer).where(isUnindexed).limit(1))

async function tidy(env: Env): Promise<void> {
  await enqueue(env, tidyDirectory, {}, { key: 'tidy-directory' })
}

/** Daily, and every minute if there are servers with outdated search words. */
export const scheduleTidying: Schedule = {
  name: 'tidy-directory',
  every: 'daily at 12:00 AM UTC, and within a minute after servers change',
  deletes: true,
  nextAt: () => null,
  async plan(env, minute) {
    const isDue = minute % DAY_MS === 0 || (await readFirst(env.DB, findUnindexed())) !== null
    if (isDue) await tidy(env)
  },
  planNow: tidy,
}
