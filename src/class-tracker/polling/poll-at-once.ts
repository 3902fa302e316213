import { eq } from 'drizzle-orm'
import { query, readFirst } from '../../db/query.ts'
import { section, sectionGroup, source } from '../../db/schema/index.ts'
import { enqueue } from '../../jobs/enqueue.ts'
import { pollSource } from './poll-source.ts'
import { planRestOfMinute } from './schedule-polls.ts'

/**
 * Asks the school about a newly watched section's group now, so that its watcher is notified within seconds if it is
 * open. It waits behind a running poll and costs one search of the source's budget. The next poll makes up for a
 * failure, which is only logged.
 */
export async function pollAtOnce(env: Env, sectionId: number): Promise<void> {
  try {
    const group = await readFirst(
      env.DB,
      query
        .select({ id: sectionGroup.id, source_id: sectionGroup.sourceId, poll_seconds: source.pollSeconds })
        .from(section)
        .innerJoin(sectionGroup, eq(sectionGroup.id, section.groupId))
        .innerJoin(source, eq(source.id, sectionGroup.sourceId))
        .where(eq(section.id, sectionId)),
    )
    if (!group) return
    const input = { source_id: group.source_id, group_id: group.id, may_walk_term: false }
    const exclusive = { name: `poll:${group.source_id}`, when_held: 'wait' as const }
    await enqueue(env, pollSource, input, { key: `at-once:${group.id}`, exclusive, priority: 10 })
    await planRestOfMinute(env, { id: group.source_id, poll_seconds: group.poll_seconds }, Date.now())
  } catch (error) {
    console.error({ event: 'poll_not_queued', section_id: sectionId, error: String(error) })
  }
}
