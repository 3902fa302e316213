import { type SQL, sql } from 'drizzle-orm'
import { accountChangedMail, adminChangeMail } from '../../accounts/mails/admin-change.ts'
import { type WaitingMail, prepareMail } from '../../accounts/mails/prepare-mail.ts'
import { constant, readTogether, template } from '../../db/query.ts'
import { audit, user } from '../../db/schema/index.ts'
import { truncated } from '../../lib/text.ts'
import type { AdminRequest, AdminKey, AdminValue } from '../../web/admin-change.ts'
import { emptyStatement, type Table } from '../table.ts'

/** An action touches at most 50 rows, and a site has few superusers. */
const MAX_NOTIFIED = 100
const MAX_NAMED = 5
const MAX_NAME_LENGTH = 60
/** The action's own audit entries are among this many of the newest. */
const MAX_ENTRIES_BACK = 200

export interface GuardedAct extends AdminRequest {
  /** The rows it is about; none for a row that is being added. */
  keys: readonly AdminKey[]
  /** For a row that is being added: the user it is about, if it is not a user itself. */
  addedFor?: AdminValue
  what: string
  changes: readonly string[]
}

/**
 * The emails about a guarded action, to the users concerned and to all superusers, as statements for the end of its
 * batch: they are stored only if the action wrote its audit entries, and go to addresses that were verified before it.
 */
export async function noticesOf(env: Env, table: Table, act: GuardedAct): Promise<WaitingMail[]> {
  const { actor, now, what, changes } = act
  const facts = { what, changes, actor, at: now }
  const notices = (await notifiedOf(env.DB, table, act)).map(({ row_key, username, email }) => {
    const mail = row_key === null ? adminChangeMail(facts) : accountChangedMail(username, facts)
    const notice = { kind: 'admin_change', address: email, userId: null, mail } as const
    const isAdded = row_key === null || row_key === ''
    const ofRow = isAdded ? sql`` : sql` AND ${audit.rowKey} = ${row_key}`
    const isDone = sql`EXISTS (SELECT 1 FROM ${audit} WHERE ${audit.userId} IS ${actor.userId}
      AND ${audit.id} > (SELECT max(${audit.id}) FROM ${audit}) - ${constant(MAX_ENTRIES_BACK)}
      AND ${audit.at} = ${now} AND ${audit.tableName} = ${table.table}${ofRow})`
    return prepareMail(env, notice, now, isDone)
  })
  return Promise.all(notices)
}

/** `row_key`: the row that concerns the user; null for a superuser, unless they are concerned themselves. */
async function notifiedOf(db: D1Database, table: Table, act: GuardedAct) {
  const isVerified = sql`${user.email} IS NOT NULL AND ${user.emailVerifiedAt} IS NOT NULL`
  const isReachable = sql`${user.isActive} AND ${isVerified}`
  const found = (rowKey: SQL<string | null>, rest: SQL) =>
    template(
      { row_key: rowKey, username: user.username, email: sql<string>`${user.email}` },
      (columns) => sql`SELECT ${columns} FROM ${rest} LIMIT ${constant(MAX_NOTIFIED)}`,
    )
  const [superusers, concerned, added] = await readTogether(
    db,
    found(sql`NULL`, sql`${user} WHERE ${user.isSuperuser} AND ${isReachable}`),
    table.guard?.users
      ? found(
          sql`g.row_key`,
          sql`(${table.guard.users(JSON.stringify(act.keys))}) g JOIN ${user} ON ${user.id} = g.user_id WHERE ${isVerified}`,
        )
      : emptyStatement,
    act.addedFor === undefined
      ? emptyStatement
      : found(sql`''`, sql`${user} WHERE ${user.id} = ${act.addedFor} AND ${isReachable}`),
  )
  const users = [...concerned, ...added]
  const addresses = new Set(users.map(({ email }) => email))
  return [...users, ...superusers.filter(({ email }) => !addresses.has(email))]
}

/** "robin, kim and 3 more" */
export function namesText(names: readonly string[]): string {
  const named = names.slice(0, MAX_NAMED).map((name) => truncated(name, MAX_NAME_LENGTH))
  const more = names.length - named.length
  return named.join(', ') + (more > 0 ? ` and ${more} more` : '')
}
