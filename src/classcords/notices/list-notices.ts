import { and, desc, eq, isNull, lte, sql } from 'drizzle-orm'
import {
  pageOffset,
  type Database,
  prepared,
  query,
  readTogether,
  type RowOf,
  template,
  write,
  writeThenRead,
  parameter,
  selectValues,
} from '../../db/query.ts'
import { notice } from '../../db/schema/index.ts'
import { iso, isoOrNull } from '../../lib/time.ts'
import { paginate } from '../../web/pagination.ts'
import { notFound } from '../../web/refusal.ts'
import type { Notice, Notices, NoticesProps } from '../contract.ts'

const NOTICES_PER_PAGE = 20
const NEWEST = 10

const fields = {
  id: notice.id,
  title: notice.title,
  body: notice.body,
  url: notice.url,
  created_at: notice.createdAt,
  read_at: notice.readAt,
}
const isOwn = eq(notice.discordUserId, parameter('owner'))
const total = sql<number>`(SELECT count(*) FROM ${notice} WHERE ${isOwn})`
const unread = sql<number>`(SELECT count(*) FROM ${notice} WHERE ${isOwn} AND ${notice.readAt} IS NULL)`

const newest = sql<number | null>`(SELECT max(${notice.createdAt}) FROM ${notice} WHERE ${isOwn})`

const countNotices = prepared(() => selectValues({ total, unread, newest }))

const findPage = prepared(() =>
  template(
    fields,
    (columns) => sql`SELECT ${columns} FROM ${notice} WHERE ${isOwn}
      ORDER BY ${notice.readAt} IS NOT NULL, ${notice.createdAt} DESC, ${notice.id} DESC
      LIMIT ${NOTICES_PER_PAGE} OFFSET ${pageOffset(NOTICES_PER_PAGE, parameter('page'), total)}`,
  ),
)

const countUnread = prepared(() => selectValues({ unread }))

const findNewest = prepared(() =>
  query.select(fields).from(notice).where(isOwn).orderBy(desc(notice.createdAt), desc(notice.id)).limit(NEWEST),
)

/** A page of someone's notices: unread first, then newest. One round trip. */
export async function listNotices(db: Database, owner: number, page: number): Promise<NoticesProps> {
  const [sizes, rows] = await readTogether(db, countNotices({ owner }), findPage({ owner, page }))
  return {
    notices: rows.map(noticeOf),
    unread_count: sizes[0]?.unread ?? 0,
    newest_at: isoOrNull(sizes[0]?.newest ?? null),
    pagination: paginate({ page, size: NOTICES_PER_PAGE, total: sizes[0]?.total ?? 0 }),
  }
}

/** The newest notices and how many are unread. One round trip. */
export async function newestNotices(db: Database, owner: number): Promise<Notices> {
  const [sizes, rows] = await readTogether(db, countUnread({ owner }), findNewest({ owner }))
  return { notices: rows.map(noticeOf), unread_count: sizes[0]?.unread ?? 0 }
}

/** Marks the viewer's notice as read; a second time changes nothing. @throws notFound */
export async function readNotice(db: Database, discordUserId: number, noticeId: number, now: number): Promise<void> {
  const readAt = sql`COALESCE(${notice.readAt}, ${now})`
  const isOne = and(eq(notice.id, noticeId), eq(notice.discordUserId, discordUserId))
  const { changes } = await write(db, query.update(notice).set({ readAt }).where(isOne))
  if (changes === 0) throw notFound('There is no such notification.')
}

/**
 * Marks the viewer's notices as read that their page counted, not those that came later. Not by id, because a notice of
 * an undone decision passes its id on. @param until ms since epoch; null: all of them
 * @returns how many are still unread
 */
export async function readAllNotices(
  db: Database,
  discordUserId: number,
  until: number | null,
  now: number,
): Promise<number> {
  const isKnown = until === null ? undefined : lte(notice.createdAt, until)
  const isUnread = and(eq(notice.discordUserId, discordUserId), isNull(notice.readAt), isKnown)
  const reading = query.update(notice).set({ readAt: now }).where(isUnread)
  const [sizes] = await writeThenRead(db, [reading], countUnread({ owner: discordUserId }))
  return sizes[0]?.unread ?? 0
}

const noticeOf = ({ read_at, created_at, ...row }: RowOf<ReturnType<typeof findPage>>): Notice => ({
  ...row,
  is_read: read_at !== null,
  datetime_created: iso(created_at),
})
