import { desc, eq, sql } from 'drizzle-orm'
import { query, read } from '../../db/query.ts'
import { session, user } from '../../db/schema/index.ts'
import type { AdminChange, AdminFault, AdminPlan, AdminRemoval } from '../../web/admin-table.ts'
import { type EndedSession, forgetEnded } from '../../web/session-records.ts'
import { endTokens } from '../discord/sealed-tokens.ts'
import { newAccountMail } from '../mails/mails.ts'
import { enqueueMails, prepareMail } from '../mails/post-mail.ts'
import { siteAddress } from '../mails/site-address.ts'
import { makeResetKey } from '../password/password-resets.ts'
import { endAllSessions } from '../sessions/sessions.ts'
import { isUsername, notAUsername } from '../username.ts'
import { insistOnSuperuser, selfRefusals } from './superuser-rules.ts'
import { ownAlready, ownedByAnother, planAddresses } from './user-addresses.ts'

/** Sessions whose records are let go of at once; those of more end with the first look at the database. */
const mostSessions = 200

export const checkUsername = (username: string | number): string | null =>
  isUsername(String(username)) ? null : notAUsername

/** Nobody locks themselves out. */
export async function refuseUser(
  _env: Env,
  act: { add: AdminChange } | { change: AdminChange } | { remove: AdminRemoval },
): Promise<string[]> {
  if ('add' in act) return []
  if ('remove' in act) return act.remove.key === act.remove.actor.userId ? [selfRefusals.deleted] : []
  const { key, values, actor } = act.change
  if (key !== actor.userId) return []
  return (['is_superuser', 'is_active'] as const).flatMap((name) => (values[name] === 1 ? [] : [selfRefusals[name]]))
}

export async function saveUser(env: Env, change: AdminChange): Promise<AdminPlan> {
  return change.key === null ? addUser(env, change) : changeUser(env, Number(change.key), change)
}

/** The password is never typed by anybody else: whoever has the mailbox chooses it. */
async function addUser(env: Env, change: AdminChange): Promise<AdminPlan> {
  const { values, now, actor } = change
  const username = String(values['username'])
  const id = await env.DB.prepare('SELECT coalesce(max(id), 0) + 1 AS id FROM user').first<number>('id')
  if (id === null) throw new Error('There is no number for a user.')
  const { faults, primary, statements } = planAddresses(env.DB, id, change)
  if (faults.length > 0) return { faults }
  const isActive = values['is_active'] === 1
  const key = await makeResetKey({ id, last_sign_in_at: null, address: primary }, now)
  const mail = newAccountMail(username, siteAddress(env, key.path))
  const waiting = await prepareMail(env, { kind: 'account_added', address: primary, userId: id, mail }, now)
  return {
    statements: [
      env.DB.prepare(
        'INSERT INTO user (id, username, password_hash, is_superuser, is_active, created_at) VALUES (?, ?, NULL, ?, ?, ?)',
      ).bind(id, username, values['is_superuser'] ?? 0, isActive ? 1 : 0, now),
      ...statements,
      ...(isActive ? [key.adding, waiting.statement] : []),
      insistOnSuperuser(env.DB, actor),
    ],
    addedKey: sql.raw(String(id)),
    said: isActive
      ? `${username} was added, and a link to choose a password is on its way to ${primary}.`
      : `${username} was added, disabled.`,
    ...(isActive && { afterwards: () => enqueueMails(env, [waiting]) }),
  }
}

async function changeUser(env: Env, id: number, change: AdminChange): Promise<AdminPlan> {
  const { before, values, actor } = change
  const { faults, statements } = planAddresses(env.DB, id, change)
  if (faults.length > 0) return { faults }
  const isEnded = before?.['is_active'] === 1 && values['is_active'] === 0
  const isDemoted = before?.['is_superuser'] === 1 && values['is_superuser'] === 0
  const sessions = isEnded || isDemoted ? await sessionsOf(env, id) : []
  return {
    statements: [
      ...(isEnded ? [endAllSessions(id)] : []),
      env.DB.prepare('UPDATE user SET username = ?, is_superuser = ?, is_active = ? WHERE id = ?').bind(
        values['username'] ?? '',
        values['is_superuser'] ?? 0,
        values['is_active'] ?? 0,
        id,
      ),
      ...statements,
      insistOnSuperuser(env.DB, actor),
    ],
    // A demoted person stays logged in; only what they watched live is over. Their record comes back by itself.
    afterwards: () => forgetEnded(env, sessions),
  }
}

async function sessionsOf(env: Env, userId: number): Promise<EndedSession[]> {
  return read(
    env.DB,
    query
      .select({ id_hash: session.idHash, is_superuser: user.isSuperuser })
      .from(session)
      .innerJoin(user, eq(user.id, session.userId))
      .where(eq(session.userId, userId))
      .orderBy(desc(session.createdAt))
      .limit(mostSessions),
  )
}

/** Everything that is somebody's goes with them; their sessions end at once, and their tokens at Discord. */
export async function removeUser(env: Env, { key, actor }: AdminRemoval): Promise<AdminPlan> {
  const id = Number(key)
  const [sessions, chat] = await Promise.all([
    sessionsOf(env, id),
    env.DB.prepare('SELECT discord_id, sealed_tokens FROM discord_user WHERE user_id = ? AND unlinked_at IS NULL')
      .bind(id)
      .first<{ discord_id: string; sealed_tokens: string | null }>(),
  ])
  return {
    statements: [
      endAllSessions(id),
      env.DB.prepare('DELETE FROM user WHERE id = ?').bind(id),
      insistOnSuperuser(env.DB, actor),
    ],
    afterwards: () =>
      Promise.all([forgetEnded(env, sessions), chat ? endTokens(env, chat.discord_id, chat.sealed_tokens) : null]),
  }
}

/** The words of signing up, for what the database refuses. */
export async function explainUser(_env: Env, error: string, change: AdminChange): Promise<AdminFault[] | null> {
  const prefix = change.inlines['addresses']?.find(({ key }) => key === null)?.prefix
  const field = prefix === undefined ? {} : { field: `${prefix}-address` }
  if (error.includes("index 'user_username'"))
    return [{ field: 'username', message: 'A user with that username already exists.' }]
  if (error.includes("index 'email_address_verified'")) return [{ message: ownedByAnother }]
  if (error.includes("index 'email_address_of_user'")) return [{ ...field, message: ownAlready }]
  if (error.includes('UNIQUE constraint failed: user.id'))
    return [{ message: 'Somebody else added a user at the same moment. Please save again.' }]
  return null
}
