import { sql } from 'drizzle-orm'
import { pageOffset } from '../../db/page-offset.ts'
import { kept, query, readTogether } from '../../db/query.ts'
import { recipient } from '../../db/schema/index.ts'
import { pausedQueues } from '../../jobs/paused-queues.ts'
import { paginate } from '../../web/pagination.ts'
import type { AddClassesProps } from '../contract.ts'
import { findSchools, findTerms } from '../courses/schools.ts'
import { pausedQueuesOf, problemsOf } from '../courses/tracker-problems.ts'
import { findUnreadSources, unreadSourcesOf } from '../courses/unread-sections.ts'
import { historyStart } from '../watches/watched-section.ts'
import {
  findContacts,
  findRecipients,
  findWatchedHistories,
  findWatchedSections,
  recipientsOf,
} from './recipient-rows.ts'

const PAGE_SIZE = 50

const countRecipients = kept(() => query.select({ total: sql<number>`count(*)` }).from(recipient))

/** A page of ids, the last page when it is past the end: the size of the list is known only inside the statement. */
const pageOfIds = sql`SELECT ${recipient.id} FROM ${recipient} ORDER BY ${recipient.id} DESC LIMIT ${sql.raw(String(PAGE_SIZE))}
  OFFSET ${pageOffset(PAGE_SIZE, sql.placeholder('page'), sql`(SELECT count(*) FROM ${recipient})`)}`

const findPageOfRecipients = kept(() => findRecipients(pageOfIds))
const findContactsOfPage = kept(() => findContacts(pageOfIds))
const findSectionsOfPage = kept(() => findWatchedSections(pageOfIds))
const findHistoriesOfPage = kept(() => findWatchedHistories(pageOfIds, sql.placeholder('since')))

/** Everything the page *Add Classes* shows, in one round trip, with the queues it depends on asked meanwhile. */
export async function listRecipients(env: Env, page: number, now: number): Promise<AddClassesProps> {
  const pauses = pausedQueues(env, ['polls', 'alerts'])
  const [[size], unread, terms, schools, ...lists] = await readTogether(
    env.DB,
    countRecipients(),
    findUnreadSources({ now }),
    findTerms(),
    findSchools(),
    findPageOfRecipients({ page }),
    findContactsOfPage({ page }),
    findSectionsOfPage({ page }),
    findHistoriesOfPage({ page, since: historyStart(now) }),
  )
  const { pagination } = paginate({ page, size: PAGE_SIZE, total: size?.total ?? 0 })
  return {
    recipients: recipientsOf(lists, now),
    pagination,
    terms,
    schools,
    ...problemsOf({ paused_queues: pausedQueuesOf(await pauses), unread_sources: unreadSourcesOf(unread) }),
  }
}
