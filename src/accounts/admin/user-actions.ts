import { sql } from 'drizzle-orm'
import { type Query, query, read, type RowOf, template, writeTogether } from '../../db/query.ts'
import { emailAddress, session, user } from '../../db/schema/index.ts'
import type { AdminAct } from '../../web/admin-table.ts'
import { auditRows } from '../../web/audit-rows.ts'
import { closeSockets } from '../../jobs/live-sockets.ts'
import { counted } from '../../web/counted.ts'
import { conflict, refused } from '../../web/refusal.ts'
import { deleteSessionsWhere, forgetEnded } from '../../web/session-records.ts'
import { copyPrimary } from '../email/address-changes.ts'
import { isMailable, userHasVerified } from '../email/address-conditions.ts'
import { passwordResetMail } from '../mails/mails.ts'
import { enqueueMails, prepareMail } from '../mails/post-mail.ts'
import { siteAddress } from '../mails/site-address.ts'
import { makeResetKey } from '../password/password-resets.ts'
import { insistOnSuperuser, selfRefusals } from './superuser-rules.ts'
import { ownedByAnother } from './user-addresses.ts'

const chosen = 'IN (SELECT value FROM json_each(?))'
const others = (count: number, why: string): string => (count > 0 ? ` ${count} ${why}, or gone.` : '')

type Flag = 'is_superuser' | 'is_active'

/** Statements that set one flag of users: the audit entries, the change itself, `along`, and the check of who asks. */
function setFlag({ DB: db }: Env, { keys, actor, now, along = [] }: AdminAct, flag: Flag, value: 0 | 1): Query[] {
  if (value === 0 && actor.userId !== null && keys.includes(actor.userId)) throw refused(selfRefusals[flag])
  const list = JSON.stringify(keys)
  const differs = `id ${chosen} AND ${flag} <> ${value}`
  return [
    auditRows(
      db,
      actor,
      { act: 'changed', area: 'admin', table: 'user' },
      {
        sql: `SELECT id AS row_key, username AS title, json_object('${flag}', ${flag}) AS before,
                json_object('${flag}', ${value}) AS after FROM user WHERE ${differs}`,
        values: [list],
      },
      now,
    ),
    db.prepare(`UPDATE user SET ${flag} = ${value} WHERE ${differs}`).bind(list),
    ...along,
    insistOnSuperuser(db, actor),
  ]
}

export async function makeSuperusers(env: Env, act: AdminAct): Promise<string> {
  const [, set] = await writeTogether(env.DB, setFlag(env, act, 'is_superuser', 1))
  const changed = set?.changes ?? 0
  return `${counted(changed, 'user')} made superuser.${others(act.keys.length - changed, 'were so already')}`
}

const sessionsOf = (keys: AdminAct['keys']) =>
  sql`${session.userId} IN (SELECT value FROM json_each(${JSON.stringify(keys)}))`

/** What they watch live in the scheduler is over at once. */
export async function unmakeSuperusers(env: Env, act: AdminAct): Promise<string> {
  const sessions = query.select({ id_hash: session.idHash }).from(session).where(sessionsOf(act.keys)).limit(1000)
  const [{ rows }, , set] = await writeTogether(env.DB, [sessions, ...setFlag(env, act, 'is_superuser', 0)])
  const changed = set?.changes ?? 0
  await closeSockets(env, { sessionHashes: rows.map(({ id_hash }) => id_hash) })
  return `${counted(changed, 'user')} no longer superuser.${others(act.keys.length - changed, 'were none')}`
}

/** Their sessions are gone when this returns. */
export async function disableUsers(env: Env, act: AdminAct): Promise<string> {
  const [ended, , set] = await writeTogether(env.DB, [
    deleteSessionsWhere(sessionsOf(act.keys)),
    ...setFlag(env, act, 'is_active', 0),
  ])
  const changed = set?.changes ?? 0
  await forgetEnded(env, ended.rows)
  return `${counted(changed, 'user')} disabled and logged out everywhere.${others(act.keys.length - changed, 'were so already')}`
}

export async function enableUsers(env: Env, act: AdminAct): Promise<string> {
  const [, set] = await writeTogether(env.DB, setFlag(env, act, 'is_active', 1))
  const changed = set?.changes ?? 0
  return `${counted(changed, 'user')} enabled.${others(act.keys.length - changed, 'were so already')}`
}

export async function endSessions(env: Env, { keys, actor, now }: AdminAct): Promise<string> {
  const [, { rows: sessions }] = await writeTogether(env.DB, [
    auditRows(
      env.DB,
      actor,
      { act: 'logged out', area: 'admin', table: 'user' },
      {
        sql: `SELECT u.id AS row_key, u.username AS title, json_object('sessions', count(*)) AS before, json_object('sessions', 0) AS after
              FROM user u JOIN session s ON s.user_id = u.id WHERE u.id ${chosen} GROUP BY u.id`,
        values: [JSON.stringify(keys)],
      },
      now,
    ),
    deleteSessionsWhere(sessionsOf(keys)),
  ])
  await forgetEnded(env, sessions)
  return sessions.length === 1 ? 'One session was ended.' : `${sessions.length} sessions were ended.`
}

/** Vouches for the primary address of each, where nobody else has it verified. @throws conflict when it was for nobody */
export async function verifyAddresses(env: Env, { keys, actor, now, along = [] }: AdminAct): Promise<string> {
  const list = JSON.stringify(keys)
  // Of two who claim one address only the earlier can have it.
  const which = `SELECT min(e.id) FROM email_address e WHERE e.user_id ${chosen} AND e.is_primary AND e.verified_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM email_address o WHERE lower(o.address) = lower(e.address) AND o.verified_at IS NOT NULL)
    GROUP BY lower(e.address)`
  const [, verified, , taken] = await writeTogether(env.DB, [
    auditRows(
      env.DB,
      actor,
      { act: 'verified', area: 'admin', table: 'user' },
      {
        sql: `SELECT u.id AS row_key, u.username AS title, json_object('email', e.address, 'is_verified', 0) AS before,
                json_object('email', e.address, 'is_verified', 1) AS after
              FROM email_address e JOIN user u ON u.id = e.user_id WHERE e.id IN (${which})`,
        values: [list],
      },
      now,
    ),
    env.DB.prepare(`UPDATE email_address SET verified_at = ? WHERE id IN (${which})`).bind(now, list),
    copyPrimary(sql`${user.id} IN (SELECT value FROM json_each(${list}))`),
    env.DB.prepare(
      `SELECT 1 FROM email_address WHERE user_id ${chosen} AND is_primary AND verified_at IS NULL LIMIT 1`,
    ).bind(list),
    ...along,
  ])
  const count = verified.changes
  const isTaken = taken.rows.length > 0
  if (count === 0) throw conflict(isTaken ? ownedByAnother : 'The primary address is verified already.')
  return `${counted(count, 'address', 'addresses')} verified.${isTaken ? ` ${ownedByAnother}` : ''}`
}

/** Unless `is_verified`, somebody other than the recipient may have chosen the user name. */
const mailableUsers = (list: string) =>
  template(
    {
      id: user.id,
      username: user.username,
      last_sign_in_at: user.lastSignInAt,
      is_verified: sql<boolean>`${userHasVerified(user.id)}`.mapWith(Boolean),
      address: sql<string | null>`(SELECT ${emailAddress.address} FROM ${emailAddress}
        WHERE ${emailAddress.userId} = ${user.id} AND ${isMailable}
        ORDER BY ${emailAddress.isPrimary} DESC, ${emailAddress.id} LIMIT 1)`,
    },
    (columns) => sql`SELECT ${columns} FROM ${user}
      WHERE ${user.id} IN (SELECT value FROM json_each(${list})) AND ${user.isActive}`,
  )
type Mailed = RowOf<ReturnType<typeof mailableUsers>>

/** A link to choose a password, where such a link may go; nobody types another's password. @throws refused when it is for nobody */
export async function mailPasswordLinks(env: Env, { keys, actor, now, along = [] }: AdminAct): Promise<string> {
  const list = JSON.stringify(keys)
  const results = await read(env.DB, mailableUsers(list))
  const letters = await Promise.all(
    results.flatMap(({ address, ...owner }) => (address === null ? [] : [letterTo(env, owner, address, now)])),
  )
  if (letters.length === 0) throw refused('A link goes only to an enabled user with an email address.')
  const sent = JSON.stringify(letters.map(({ id }) => id))
  await writeTogether(env.DB, [
    ...letters.flatMap(({ key, mail }) => [key, mail.statement]),
    auditRows(
      env.DB,
      actor,
      { act: 'mailed a password link', area: 'admin', table: 'user' },
      {
        sql: `SELECT id AS row_key, username AS title, NULL AS before, NULL AS after FROM user WHERE id ${chosen}`,
        values: [sent],
      },
      now,
    ),
    ...along,
  ])
  await enqueueMails(
    env,
    letters.map(({ mail }) => mail),
  )
  const count = letters.length
  const rest = keys.length - count
  return `${count} ${count === 1 ? 'link is' : 'links are'} on ${count === 1 ? 'its' : 'their'} way.${others(rest, 'disabled or without an address')}`
}

async function letterTo(env: Env, owner: Omit<Mailed, 'address'>, address: string, now: number) {
  const key = await makeResetKey({ ...owner, address }, now)
  const body = passwordResetMail(owner.is_verified ? owner.username : null, siteAddress(env, key.path))
  const mail = await prepareMail(env, { kind: 'password_reset', address, userId: owner.id, mail: body }, now)
  return { id: owner.id, key: key.adding, mail }
}
