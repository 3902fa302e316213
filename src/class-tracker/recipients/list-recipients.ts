import { offsetOf } from '../../db/page-offset.ts'
import { readTogether } from '../../db/read-together.ts'
import { pausedQueues } from '../../jobs/paused-queues.ts'
import { paginate } from '../../web/pagination.ts'
import { pausedQueuesOf } from '../courses/paused-queues-of.ts'
import { standingOf } from '../courses/standing.ts'
import { unreadSourcesOf, unreadSourcesStatement, type UnreadSourceRow } from '../courses/unread-sections.ts'
import { schoolsStatement, termsStatement } from '../courses/schools.ts'
import type { AddClassesProps, School, Term } from '../contract.ts'
import { recipientsOf, recipientStatements, type RecipientLists } from './recipient-rows.ts'

const recipientsAPage = 50

/** A page of ids, the last page when it is past the end: the size of the list is known only inside the statement. */
const pageOfIds = `SELECT id FROM recipient ORDER BY id DESC LIMIT ${recipientsAPage}
  OFFSET ${offsetOf(recipientsAPage, '?', '(SELECT count(*) FROM recipient)')}`

/** Everything the page *Add Classes* shows, in one round trip, with the queues it depends on asked meanwhile. */
export async function listRecipients(env: Env, page: number, now: number): Promise<AddClassesProps> {
  const db = env.DB
  const pauses = pausedQueues(env, ['polls', 'alerts'])
  const [sizes, unread, terms, schools, ...lists] = await readTogether<
    [{ total: number }[], UnreadSourceRow[], Term[], School[], ...RecipientLists]
  >(
    db,
    db.prepare('SELECT count(*) AS total FROM recipient'),
    unreadSourcesStatement(db, now),
    termsStatement(db),
    schoolsStatement(db),
    ...recipientStatements(db, { ids: pageOfIds, values: [page] }, now),
  )
  const { pagination } = paginate({ page, size: recipientsAPage, total: sizes[0]?.total ?? 0 })
  return {
    recipients: recipientsOf(lists, now),
    pagination,
    terms,
    schools,
    ...standingOf({ paused_queues: pausedQueuesOf(await pauses), unread_sources: unreadSourcesOf(unread) }),
  }
}
