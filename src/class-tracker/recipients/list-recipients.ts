import { sql } from 'drizzle-orm'
import { pageOffset } from '../../db/page-offset.ts'
import { kept, query, readTogether } from '../../db/query.ts'
import { recipient } from '../../db/schema/index.ts'
import { pausedQueues } from '../../jobs/paused-queues.ts'
import { isoOrNull } from '../../lib/moment.ts'
import { notThere } from '../../web/refusal.ts'
import { paginate } from '../../web/pagination.ts'
import type { AddClassesProps, ListedRecipient, Recipient, WatchedSection } from '../contract.ts'
import { findSchools, findTerms } from '../courses/schools.ts'
import { pausedQueuesOf, problemsOf } from '../courses/tracker-problems.ts'
import { findUnreadSources, unreadSourcesOf } from '../courses/unread-sections.ts'
import { historyStart } from '../watches/watched-section.ts'
import {
  countWatchedSections,
  findContacts,
  findRecipients,
  findWatchedHistories,
  findWatchedSections,
  MAX_WATCHED,
  recipientsOf,
  SECTIONS_SHOWN,
} from './recipient-rows.ts'

const PAGE_SIZE = 25

const countRecipients = kept(() => query.select({ total: sql<number>`count(*)` }).from(recipient))

/** A page of ids, the last page when it is past the end: the size of the list is known only inside the statement. */
const pageOfIds = sql`SELECT ${recipient.id} FROM ${recipient} ORDER BY ${recipient.id} DESC LIMIT ${sql.raw(String(PAGE_SIZE))}
  OFFSET ${pageOffset(PAGE_SIZE, sql.placeholder('page'), sql`(SELECT count(*) FROM ${recipient})`)}`

const findPageOfRecipients = kept(() => findRecipients(pageOfIds))
const findContactsOfPage = kept(() => findContacts(pageOfIds))
const findSectionsOfPage = kept(() => findWatchedSections(pageOfIds, SECTIONS_SHOWN))
const findHistoriesOfPage = kept(() => findWatchedHistories(pageOfIds, SECTIONS_SHOWN, sql.placeholder('since')))
const countSectionsOfPage = kept(() => countWatchedSections(pageOfIds))

/** Everything the page *Add Classes* shows, in one round trip, with the queues it depends on asked meanwhile. */
export async function listRecipients(env: Env, page: number, now: number): Promise<AddClassesProps> {
  const pauses = pausedQueues(env, ['polls', 'alerts'])
  const [[size], unread, terms, schools, [watched], ...lists] = await readTogether(
    env.DB,
    countRecipients(),
    findUnreadSources({ now }),
    findTerms(),
    findSchools(),
    countSectionsOfPage({ page }),
    findPageOfRecipients({ page }),
    findContactsOfPage({ page }),
    findSectionsOfPage({ page }),
    findHistoriesOfPage({ page, since: historyStart(now) }),
  )
  const { pagination } = paginate({ page, size: PAGE_SIZE, total: size?.total ?? 0 })
  return {
    recipients: withSectionsOnce(recipientsOf(lists, now)),
    ...(size &&
      size.total > 0 &&
      watched && {
        totals: {
          recipients: size.total,
          sections: watched.sections,
          open: watched.open,
          observed_at: isoOrNull(watched.observed_at),
        },
      }),
    pagination,
    terms,
    schools,
    ...problemsOf({ paused_queues: pausedQueuesOf(await pauses), unread_sources: unreadSourcesOf(unread) }),
  }
}

/** The same recipients, each section given whole only where it comes first. */
function withSectionsOnce(recipients: readonly Recipient[]): ListedRecipient[] {
  const given = new Set<number>()
  return recipients.map((one) => ({
    ...one,
    watched_sections: one.watched_sections.map((section) => {
      if (given.has(section.id)) return { id: section.id }
      given.add(section.id)
      return section
    }),
  }))
}

/**
 * Everything watched for one recipient, open sections first.
 * @throws notThere for an unknown recipient
 */
export async function listWatchedSections(db: D1Database, recipientId: number, now: number): Promise<WatchedSection[]> {
  const id = sql`${recipientId}`
  const lists = await readTogether(
    db,
    findRecipients(id),
    findContacts(id),
    findWatchedSections(id, MAX_WATCHED),
    findWatchedHistories(id, MAX_WATCHED, historyStart(now)),
  )
  const [found] = recipientsOf(lists, now)
  if (!found) throw notThere(`Recipient id ${recipientId} not found`)
  return found.watched_sections
}
