import { eq, type SQL, sql } from 'drizzle-orm'
import { isIn } from '../../db/json-argument.ts'
import { type Query, query, read, type RowOf, template, condition } from '../../db/query.ts'
import { emailAddress, session, twoFactor, user } from '../../db/schema/index.ts'
import { closeSockets } from '../../jobs/ledgers.ts'
import type { AdminAct } from '../../web/admin-change.ts'
import { skippedText } from '../../web/admin-fields.ts'
import { auditRows } from '../../web/audit.ts'
import { counted } from '../../lib/text.ts'
import { conflict, unprocessable } from '../../web/refusal.ts'
import { deleteSessionsWhere, deleteSessionRecords } from '../sessions/sessions.ts'
import { copyPrimary } from '../email/address-changes.ts'
import { isMailable, isVerifiedByAny, userHasVerified } from '../email/address-conditions.ts'
import { passwordResetMail } from '../mails/mails.ts'
import { enqueueMails, prepareMail } from '../mails/prepare-mail.ts'
import { siteAddress } from '../mails/links.ts'
import { makeResetKey } from '../password/password-resets.ts'
import { selfRefusals } from './save-user.ts'
import { ownedByAnother } from './user-addresses.ts'

type Keys = AdminAct['keys']

const sessionsOf = (keys: Keys): SQL => isIn(session.userId, keys)
const skipped = (count: number, why: string): string => skippedText(count, `${why}, or deleted`)

/**
 * Statements that set one flag of users: the audit entries, and the change itself. Only the
 * entries say how many users changed: D1 also counts rows that triggers and foreign keys delete.
 */
function setFlag({ keys, actor, now }: AdminAct, flag: 'isSuperuser' | 'isActive', value: boolean): [Query, Query] {
  const name = flag === 'isSuperuser' ? 'is_superuser' : 'is_active'
  if (!value && actor.userId !== null && keys.includes(actor.userId)) throw unprocessable(selfRefusals[name])
  // D1 binds numbers as floating-point ones, which JSON writes as 1.0.
  const figure = sql.raw(value ? '1' : '0')
  const differs = sql`${isIn(user.id, keys)} AND ${user[flag]} <> ${figure}`
  return [
    auditRows(
      actor,
      { act: 'changed', area: 'admin', table: 'user' },
      sql`SELECT ${user.id} AS row_key, ${user.username} AS title, json_object(${name}, ${user[flag]}) AS before,
        json_object(${name}, ${figure}) AS after FROM ${user} WHERE ${differs}`,
      now,
    ),
    query
      .update(user)
      .set({ [flag]: value })
      .where(differs),
  ]
}

export async function makeSuperusers(_env: Env, act: AdminAct): Promise<string> {
  const [{ changes: changed }] = await act.write(setFlag(act, 'isSuperuser', true))
  return `${counted(changed, 'user')} made superuser.${skipped(act.keys.length - changed, 'already superusers')}`
}

/** Also closes the live pages of the scheduler that they have open. */
export async function unmakeSuperusers(env: Env, act: AdminAct): Promise<string> {
  const sessions = query.select({ id_hash: session.idHash }).from(session).where(sessionsOf(act.keys)).limit(1000)
  const [{ rows }, { changes: changed }] = await act.write([sessions, ...setFlag(act, 'isSuperuser', false)])
  await closeSockets(env, { sessionHashes: rows.map(({ id_hash }) => id_hash) })
  return `${counted(changed, 'user')} no longer superuser.${skipped(act.keys.length - changed, 'not superusers')}`
}

/** Their sessions are gone when this returns. */
export async function disableUsers(env: Env, act: AdminAct): Promise<string> {
  const [ended, { changes: changed }] = await act.write([
    deleteSessionsWhere(sessionsOf(act.keys)),
    ...setFlag(act, 'isActive', false),
  ])
  await deleteSessionRecords(env, ended.rows)
  return `${counted(changed, 'user')} disabled and logged out everywhere.${skipped(act.keys.length - changed, 'already disabled')}`
}

export async function enableUsers(_env: Env, act: AdminAct): Promise<string> {
  const [{ changes: changed }] = await act.write(setFlag(act, 'isActive', true))
  return `${counted(changed, 'user')} enabled.${skipped(act.keys.length - changed, 'already enabled')}`
}

export async function endSessions(env: Env, { keys, actor, now, write }: AdminAct): Promise<string> {
  const isValid = sql`${session.expiresAt} > ${now}`
  const [, { rows: sessions }] = await write([
    auditRows(
      actor,
      { act: 'logged out', area: 'admin', table: 'user' },
      sql`SELECT ${user.id} AS row_key, ${user.username} AS title, json_object('sessions', count(*)) AS before,
        json_object('sessions', 0) AS after
        FROM ${user} JOIN ${session} ON ${session.userId} = ${user.id} WHERE ${isIn(user.id, keys)} AND ${isValid} GROUP BY ${user.id}`,
      now,
    ),
    deleteSessionsWhere(sql`${sessionsOf(keys)} AND ${isValid}`),
  ])
  await deleteSessionRecords(env, sessions)
  return sessions.length === 1 ? 'One session was ended.' : `${sessions.length} sessions were ended.`
}

/** For people who have lost their phone and their recovery codes, which are deleted with it. */
export async function turnOffTwoFactor(_env: Env, { keys, actor, now, write }: AdminAct): Promise<string> {
  const isTheirs = isIn(twoFactor.userId, keys)
  // The entries are counted, because the recovery codes count as deleted too.
  const [{ changes: count }] = await write([
    auditRows(
      actor,
      { act: 'turned off two-factor', area: 'admin', table: 'user' },
      sql`SELECT ${user.id} AS row_key, ${user.username} AS title, json_object('two_factor', 1) AS before,
        json_object('two_factor', 0) AS after FROM ${twoFactor} JOIN ${user} ON ${user.id} = ${twoFactor.userId} WHERE ${isTheirs}`,
      now,
    ),
    query.delete(twoFactor).where(isTheirs),
  ])
  if (count === 0) throw conflict('Two-factor authentication is not on.')
  return `Two-factor authentication turned off for ${counted(count, 'user')}.${skipped(keys.length - count, 'without it')}`
}

const isUnverifiedPrimary = (keys: Keys): SQL =>
  sql`${isIn(emailAddress.userId, keys)} AND ${emailAddress.isPrimary} AND ${emailAddress.verifiedAt} IS NULL`

/** If two users claim one address, only the earlier one can have it. */
const isVerifiable = (keys: Keys): SQL<number> =>
  sql<number>`${emailAddress.id} IN (SELECT min(${emailAddress.id}) FROM ${emailAddress}
    WHERE ${isUnverifiedPrimary(keys)} AND NOT ${isVerifiedByAny(emailAddress.address)} GROUP BY lower(${emailAddress.address}))`

/** The addresses are confirmed by name, because their owners may replace them at any time. */
export async function addressesToVerify(db: D1Database, keys: Keys): Promise<string[]> {
  const { address } = emailAddress
  const found = await read(
    db,
    query
      .select({ username: user.username, address, isVerifiable: isVerifiable(keys) })
      .from(emailAddress)
      .innerJoin(user, eq(user.id, emailAddress.userId))
      .where(isUnverifiedPrimary(keys))
      .orderBy(user.id),
  )
  return found.map((one) =>
    one.isVerifiable === 1
      ? `${one.address} will be verified for ${one.username}.`
      : `${one.address} stays unverified for ${one.username}, because someone else has or gets it.`,
  )
}

/** Marks primary addresses as verified unless someone else has verified them. @throws conflict when none changed */
export async function verifyAddresses(_env: Env, { keys, actor, now, write }: AdminAct): Promise<string> {
  const { id, userId, address } = emailAddress
  const isChosen = isVerifiable(keys)
  const [, { changes: count }, , taken] = await write([
    auditRows(
      actor,
      { act: 'verified', area: 'admin', table: 'user' },
      sql`SELECT ${user.id} AS row_key, ${user.username} AS title,
          json_object('email', ${address}, 'is_verified', 0) AS before,
          json_object('email', ${address}, 'is_verified', 1) AS after
        FROM ${emailAddress} JOIN ${user} ON ${user.id} = ${userId} WHERE ${isChosen}`,
      now,
    ),
    query.update(emailAddress).set({ verifiedAt: now }).where(isChosen),
    copyPrimary(isIn(user.id, keys)),
    query.select({ id }).from(emailAddress).where(isUnverifiedPrimary(keys)).limit(1),
  ])
  const isTaken = taken.rows.length > 0
  if (count === 0) throw conflict(isTaken ? ownedByAnother : 'The primary address is already verified.')
  return `${counted(count, 'address', 'addresses')} verified.${isTaken ? ` ${ownedByAnother}` : ''}`
}

/** Unless `is_verified`, someone other than the recipient may have chosen the username. */
const mailableUsers = (keys: Keys) =>
  template(
    {
      id: user.id,
      username: user.username,
      last_login_at: user.lastLoginAt,
      is_verified: condition(userHasVerified(user.id)),
      address: sql<string | null>`(SELECT ${emailAddress.address} FROM ${emailAddress}
        WHERE ${emailAddress.userId} = ${user.id} AND ${isMailable}
        ORDER BY ${emailAddress.isPrimary} DESC, ${emailAddress.id} LIMIT 1)`,
    },
    (columns) => sql`SELECT ${columns} FROM ${user} WHERE ${isIn(user.id, keys)} AND ${user.isActive}`,
  )
type Mailed = RowOf<ReturnType<typeof mailableUsers>>

/** No one types another person's password: they get a link. @throws unprocessable when none of them may */
export async function mailPasswordLinks(env: Env, { keys, actor, now, write }: AdminAct): Promise<string> {
  const users = await read(env.DB, mailableUsers(keys))
  const links = await Promise.all(
    users.flatMap(({ address, ...owner }) => (address === null ? [] : [linkTo(env, owner, address, now)])),
  )
  if (links.length === 0)
    throw unprocessable('Links can be sent only to enabled users with an email address that no one else has verified.')
  await write([
    ...links.flatMap(({ key, mail }) => [key, mail.statement]),
    auditRows(
      actor,
      { act: 'mailed a password link', area: 'admin', table: 'user' },
      sql`SELECT ${user.id} AS row_key, ${user.username} AS title, NULL AS before, NULL AS after FROM ${user}
        WHERE ${isIn(
          user.id,
          links.map(({ id }) => id),
        )}`,
      now,
    ),
  ])
  await enqueueMails(
    env,
    links.map(({ mail }) => mail),
  )
  const count = links.length
  const rest = keys.length - count
  return `${count} ${count === 1 ? 'link is on its' : 'links are on their'} way.${skipped(rest, 'disabled or without an address of their own')}`
}

async function linkTo(env: Env, owner: Omit<Mailed, 'address'>, address: string, now: number) {
  const key = await makeResetKey({ ...owner, address }, now)
  const body = passwordResetMail(owner.is_verified ? owner.username : null, siteAddress(env, key.path))
  const mail = await prepareMail(env, { kind: 'password_reset', address, userId: owner.id, mail: body }, now)
  return { id: owner.id, key: key.adding, mail }
}
