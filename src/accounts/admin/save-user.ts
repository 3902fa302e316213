import { desc, eq } from 'drizzle-orm'
import { constant, query, read, readTogether } from '../../db/query.ts'
import { readNewId } from '../../db/read-new-id.ts'
import { session, user } from '../../db/schema/index.ts'
import type { AdminChange, AdminIntent, AdminPlan, AdminRemoval } from '../../web/admin-change.ts'
import { columnsOf } from '../../web/admin-fields.ts'
import { isLinkedTo } from '../discord/discord-account.ts'
import { endTokens, sealedTokensWhere } from '../discord/sealed-tokens.ts'
import { newAccountMail } from '../mails/mails.ts'
import { enqueueMails, prepareMail } from '../mails/prepare-mail.ts'
import { isMet, isVerifiedByAny } from '../email/address-conditions.ts'
import { siteAddress } from '../mails/links.ts'
import { makeResetKey } from '../password/password-resets.ts'
import { deleteSessionsOf, deleteSessionRecords } from '../sessions/sessions.ts'
import { isUsername, notAUsername, usernameTaken } from '../find-user.ts'
import { addressesInline, newAddressField, ownAlready, ownedByAnother, planAddresses } from './user-addresses.ts'
import type { FormError } from '../../web/refusal.ts'

/** The most sessions whose cached records are deleted immediately; the others end when the database is next read. */
const MAX_SESSIONS = 200

/** Why people may not do this to themselves. */
export const selfRefusals = {
  is_superuser: 'You cannot remove your own superuser rights. Ask another superuser.',
  is_active: 'You cannot disable your own account. Ask another superuser.',
  deleted: 'You cannot delete your own account. Ask another superuser.',
} as const

export const checkUsername = (username: string | number): string | null =>
  isUsername(String(username)) ? null : notAUsername

/** People cannot lock themselves out. */
export async function refuseUser(_env: Env, intent: AdminIntent): Promise<string[]> {
  if ('add' in intent) return []
  if ('remove' in intent) return intent.remove.key === intent.remove.actor.userId ? [selfRefusals.deleted] : []
  const { key, values, actor } = intent.change
  if (key !== actor.userId) return []
  return (['is_superuser', 'is_active'] as const).flatMap((name) => (values[name] === 1 ? [] : [selfRefusals[name]]))
}

export async function saveUser(env: Env, change: AdminChange): Promise<AdminPlan> {
  return change.key === null ? addUser(env, change) : changeUser(env, Number(change.key), change)
}

/** The owner of the mailbox chooses the password, through a mailed link. */
async function addUser(env: Env, change: AdminChange): Promise<AdminPlan> {
  const { values, now } = change
  const username = String(values['username'])
  const id = await readNewId(env.DB, 'user')
  const { errors, primary, statements } = planAddresses(id, change)
  if (errors.length > 0) return { errors }
  // The mailed link could never give its reader the account.
  if (await isMet(env, isVerifiedByAny(primary)))
    return { errors: [{ field: newAddressField, message: ownedByAnother }] }
  const isActive = values['is_active'] === 1
  const key = await makeResetKey({ id, last_login_at: null, address: primary }, now)
  const mail = newAccountMail(username, siteAddress(env, key.path))
  const waiting = await prepareMail(env, { kind: 'account_added', address: primary, userId: id, mail }, now)
  return {
    statements: [
      query
        .insert(user)
        .values({ id, createdAt: now, ...columnsOf(user, values, 'username', 'isSuperuser', 'isActive') }),
      ...statements,
      ...(isActive ? [key.adding, waiting.statement] : []),
    ],
    addedKey: constant(id),
    message: isActive
      ? `${username} was added. A link to choose a password is on its way to ${primary}.`
      : `${username} was added as disabled.`,
    ...(isActive && { afterwards: () => enqueueMails(env, [waiting]) }),
  }
}

async function changeUser(env: Env, id: number, change: AdminChange): Promise<AdminPlan> {
  const { before, values } = change
  const { errors, statements } = planAddresses(id, change)
  if (errors.length > 0) return { errors }
  const isEnded = before?.['is_active'] === 1 && values['is_active'] === 0
  const isDemoted = before?.['is_superuser'] === 1 && values['is_superuser'] === 0
  const sessions = isEnded || isDemoted ? await read(env.DB, newestSessions(id)) : []
  return {
    statements: [
      ...(isEnded ? [deleteSessionsOf(id)] : []),
      query
        .update(user)
        .set(columnsOf(user, values, 'username', 'isSuperuser', 'isActive'))
        .where(eq(user.id, id)),
      ...statements,
    ],
    // A demoted person stays logged in; only their live connections end. Their session record is rewritten.
    afterwards: () => deleteSessionRecords(env, sessions),
  }
}

const newestSessions = (userId: number) =>
  query
    .select({ id_hash: session.idHash, is_superuser: user.isSuperuser })
    .from(session)
    .innerJoin(user, eq(user.id, session.userId))
    .where(eq(session.userId, userId))
    .orderBy(desc(session.createdAt))
    .limit(MAX_SESSIONS)

/** Deletes a user with everything they own; their sessions and their tokens at Discord end at once. */
export async function removeUser(env: Env, { key }: AdminRemoval): Promise<AdminPlan> {
  const id = Number(key)
  const [sessions, [tokens]] = await readTogether(env.DB, newestSessions(id), sealedTokensWhere(isLinkedTo(id)))
  return {
    statements: [deleteSessionsOf(id), query.delete(user).where(eq(user.id, id))],
    // One after the other, because a request to Discord that waits for a connection may time out unsent.
    afterwards: async () => {
      if (tokens) await endTokens(env, tokens)
      await deleteSessionRecords(env, sessions)
    },
  }
}

/** The same messages as on the sign-up page, for what the database refuses. */
export async function explainUser(_env: Env, error: string, change: AdminChange): Promise<FormError[] | null> {
  const prefix = change.inlines[addressesInline]?.find(({ key }) => key === null)?.prefix
  const field = prefix === undefined ? {} : { field: `${prefix}-address` }
  if (error.includes("index 'user_username'")) return [{ field: 'username', message: usernameTaken }]
  if (error.includes("index 'email_address_verified'")) return [{ message: ownedByAnother }]
  if (error.includes("index 'email_address_of_user'")) return [{ ...field, message: ownAlready }]
  if (error.includes('UNIQUE constraint failed: user.id'))
    return [{ message: 'Someone else added a user at the same time. Please save again.' }]
  return null
}
