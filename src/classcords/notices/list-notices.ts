import { offsetOf } from '../../db/page-offset.ts'
import { readTogether } from '../../db/read-together.ts'
import { iso } from '../../web/moment.ts'
import { paginate } from '../../web/pagination.ts'
import { notThere } from '../../web/refusal.ts'
import type { Notice, Notices, NoticesProps } from '../contract.ts'

const noticesAPage = 20
const newest = 10

interface Row {
  id: number
  title: string
  body: string
  url: string
  created_at: number
  read_at: number | null
}

const unread = '(SELECT count(*) FROM notice WHERE discord_user_id = ?1 AND read_at IS NULL)'
const columns = 'id, title, body, url, created_at, read_at'

/** A page of somebody's notices: unread first, then newest. One round trip. */
export async function listNotices(db: D1Database, chatId: number, page: number): Promise<NoticesProps> {
  const total = '(SELECT count(*) FROM notice WHERE discord_user_id = ?1)'
  const [sizes, rows] = await readTogether<[{ total: number; unread: number }[], Row[]]>(
    db,
    db.prepare(`SELECT ${total} AS total, ${unread} AS unread`).bind(chatId),
    db
      .prepare(
        `SELECT ${columns} FROM notice WHERE discord_user_id = ?1 ORDER BY read_at IS NOT NULL, created_at DESC, id DESC
         LIMIT ${noticesAPage} OFFSET ${offsetOf(noticesAPage, '?2', total)}`,
      )
      .bind(chatId, page),
  )
  return {
    notices: rows.map(noticeOf),
    unread_count: sizes[0]?.unread ?? 0,
    pagination: paginate({ page, size: noticesAPage, total: sizes[0]?.total ?? 0 }).pagination,
  }
}

/** The newest notices and how many are unread. One round trip. */
export async function newestNotices(db: D1Database, chatId: number): Promise<Notices> {
  const [sizes, rows] = await readTogether<[{ unread: number }[], Row[]]>(
    db,
    db.prepare(`SELECT ${unread} AS unread`).bind(chatId),
    db
      .prepare(
        `SELECT ${columns} FROM notice WHERE discord_user_id = ? ORDER BY created_at DESC, id DESC LIMIT ${newest}`,
      )
      .bind(chatId),
  )
  return { notices: rows.map(noticeOf), unread_count: sizes[0]?.unread ?? 0 }
}

/** Marks one's own notice as read; twice is once. @throws notThere */
export async function readNotice(db: D1Database, chatId: number, noticeId: number, now: number): Promise<void> {
  const { meta } = await db
    .prepare('UPDATE notice SET read_at = COALESCE(read_at, ?3) WHERE id = ?1 AND discord_user_id = ?2')
    .bind(noticeId, chatId, now)
    .run()
  if (meta.changes === 0) throw notThere('There is no such notice.')
}

export async function readAllNotices(db: D1Database, chatId: number, now: number): Promise<void> {
  await db
    .prepare('UPDATE notice SET read_at = ? WHERE discord_user_id = ? AND read_at IS NULL')
    .bind(now, chatId)
    .run()
}

function noticeOf(row: Row): Notice {
  return {
    id: row.id,
    title: row.title,
    body: row.body,
    url: row.url,
    is_read: row.read_at !== null,
    datetime_created: iso(row.created_at),
  }
}
