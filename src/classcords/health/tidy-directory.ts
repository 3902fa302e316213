import { lt, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import * as z from 'zod'
import { kept, query, readFirst, writeTogether } from '../../db/query.ts'
import { discordServer, inviteLookup, inviteUse, notice } from '../../db/schema/index.ts'
import { enqueue } from '../../jobs/enqueue.ts'
import { defineJob, type Schedule } from '../../jobs/job.ts'
import { indexServers } from '../search/index-servers.ts'

const dayMs = 24 * 3600_000
/** Single uses are kept as long as the longest chart of them and a while longer; the counts stay. */
export const usesKeptMs = 90 * dayMs
const noticesKeptMs = 180 * dayMs
const batch = 200
const mostDeleted = 5000

/** Brings the search words of changed servers up to date, and lets go of what nobody looks at any more. */
export const tidyDirectory = defineJob({
  name: 'tidy-directory',
  queue: 'maintenance',
  input: z.object({}),
  limit: { attempts: 3, run_seconds: 20, retry_seconds: [60] },
  async run({ env, now, deadline, checkpoint }) {
    let indexed = 0
    for (let last = batch; last === batch && now() < deadline - 5000; indexed += last) {
      await checkpoint()
      last = await indexServers(env.DB, batch)
    }
    const at = now()
    const forgotten = await writeTogether(env.DB, [
      deleteOld(inviteUse, inviteUse.usedAt, at - usesKeptMs),
      deleteOld(notice, notice.createdAt, at - noticesKeptMs),
      query.delete(inviteLookup).where(lt(inviteLookup.fetchedAt, at - dayMs)),
    ])
    return { indexed, forgotten: forgotten.reduce((sum, { changes }) => sum + changes, 0) }
  },
})

/** Some rows of a table from before `moment`: one run need not delete all of them. */
const deleteOld = (table: typeof inviteUse | typeof notice, column: SQLiteColumn, moment: number) =>
  query
    .delete(table)
    .where(sql`${table.id} IN (SELECT ${table.id} FROM ${table} WHERE ${column} < ${moment} LIMIT ${mostDeleted})`)

const findUnindexed = kept(() =>
  query
    .select({ id: discordServer.id })
    .from(discordServer)
    .where(sql`${discordServer.version} <> ${discordServer.indexedVersion}`)
    .limit(1),
)

async function tidy(env: Env): Promise<void> {
  await enqueue(env, tidyDirectory, {}, { key: 'tidy-directory' })
}

/** Daily, and in any minute that finds servers whose words are old. */
export const scheduleTidying: Schedule = {
  name: 'tidy-directory',
  every: 'every day at 00:00 UTC, and in any minute that finds changed servers',
  nextAt: () => null,
  async plan(env, minute) {
    const isDue = minute % dayMs === 0 || (await readFirst(env.DB, findUnindexed())) !== null
    if (isDue) await tidy(env)
  },
  planNow: tidy,
}
