import { and, eq, type SQL, sql } from 'drizzle-orm'
import { query, readFirst, refuseUnless, condition, selectValues } from '../../db/query.ts'
import { discordServer, invite, inviteUse, subject } from '../../db/schema/index.ts'
import { HOUR_MS } from '../../lib/time.ts'
import type { AdminChange, AdminPlan, AdminRemoval, AdminRow } from '../../web/admin-change.ts'
import { columnsOf } from '../../web/admin-fields.ts'
import { Refusal, type FormError } from '../../web/refusal.ts'
import { randomToken } from '../../web/security/signing.ts'
import type { GuildInvite } from '../discord/invite-answer.ts'
import { keepPrivacy, undoApproval } from '../invites/apply-approval.ts'
import { codeOfLink, inviteAddress } from '../invites/invite-link.ts'
import { closeLost } from '../invites/own-pending.ts'
import { isDuplicateCode, alreadySubmitted, verifyLink } from '../invites/verify-link.ts'
import { KEEP_USES_MS } from '../health/tidy-directory.ts'
import { indexNow } from '../search/index-servers.ts'

/** Text that is only a code is read as a link with this code. */
const linkOf = (typed: string): string => (codeOfLink(inviteAddress(typed)) === null ? typed : inviteAddress(typed))

/** The form's error for text that is neither a Discord link nor a code. */
export const checkLink = (typed: string | number): string | null =>
  codeOfLink(linkOf(String(typed))) === null ? 'Invalid Discord invite URL provided' : null

export async function saveInvite(env: Env, change: AdminChange): Promise<AdminPlan> {
  const { key, before, values } = change
  if (key === null) return addInvite(env, change)
  return {
    statements: [updateNotes(key, values)],
    afterwards: () => indexNow(env.DB, 1, Number(before?.['server_id'])),
  }
}

export const updateNotes = (key: string | number, values: AdminRow) =>
  query
    .update(invite)
    .set(columnsOf(invite, values, 'notesMd'))
    .where(eq(invite.id, Number(key)))

/** Checked like a submission, and due for a check at once, which fetches the server's name, picture and figures. */
async function addInvite(env: Env, { values, now }: AdminChange): Promise<AdminPlan> {
  const found = await askDiscord(env, String(values['code']), now)
  if ('errors' in found) return found
  const errors = await mismatches(env.DB, values, found)
  if (errors.length > 0) return { errors }
  const columns = ['serverId', 'submitterId', 'notesMd', 'privacyLevel', 'schoolId', 'subjectId'] as const
  const own = { code: found.code, ...columnsOf(invite, values, ...columns), state: 'pending' as const }
  return {
    statements: [
      ...closeLost(found, now),
      query.insert(invite).values({ ...own, createdAt: now, checkedAt: now, dueAt: now }),
    ],
    audit: { before: null, after: auditedInvite(values, found.code) },
    message: `discord.gg/${found.code} was added. It is waiting for review.`,
  }
}

/** The audit's record of a new invite. */
function auditedInvite(values: AdminRow, code: string): AdminRow {
  const names = ['server_id', 'submitter_id', 'notes_md', 'privacy_level', 'school_id', 'subject_id']
  return { code, ...Object.fromEntries(names.map((name) => [name, values[name] ?? null])), state: 'pending' }
}

/** What Discord says about the link, or an error at the form's field if it may not be added or Discord did not answer. */
async function askDiscord(env: Env, typed: string, now: number): Promise<GuildInvite | { errors: FormError[] }> {
  try {
    return await verifyLink(env, linkOf(typed), now)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { errors: [{ field: 'code', message: error.message }] }
  }
}

/** The same messages as for a submission. */
async function mismatches(db: D1Database, values: AdminRow, found: GuildInvite): Promise<FormError[]> {
  const { server_id = null, school_id = null, subject_id = null } = values
  const isThere = (rest: SQL) => condition(sql`EXISTS (SELECT 1 FROM ${rest})`)
  const fields = {
    is_of_server: isThere(
      sql`${discordServer} WHERE ${discordServer.id} = ${server_id} AND ${discordServer.serverId} = ${found.guild_id}`,
    ),
    has_school: isThere(sql`${subject} WHERE ${subject.schoolId} = ${school_id}`),
    has_subject: isThere(sql`${subject} WHERE ${subject.schoolId} = ${school_id} AND ${subject.id} = ${subject_id}`),
  }
  const fits = await readFirst(db, selectValues(fields))
  const errors: FormError[] = []
  if (!fits?.is_of_server) {
    errors.push({ field: 'server_id', message: `The link leads to another server: ${found.name} (${found.guild_id}).` })
  }
  if (!fits?.has_school) errors.push({ field: 'school_id', message: 'Invalid school selected' })
  else if (subject_id !== null && !fits.has_subject) {
    errors.push({ field: 'subject_id', message: 'This subject is not taught at the school' })
  }
  return errors
}

/** The same messages as for a submission. */
export async function explainInvite(_env: Env, error: string): Promise<readonly FormError[] | null> {
  return isDuplicateCode(error) ? [{ field: 'code', message: alreadySubmitted().message }] : null
}

/** First removes what its approval added, as when the decision is withdrawn, but a private server stays private. */
export async function removeInvite({ DB }: Env, { key, before, now }: AdminRemoval): Promise<AdminPlan> {
  const id = Number(key)
  const decisionKey = randomToken()
  const isApproved = and(eq(invite.id, id), eq(invite.state, 'approved'))
  return {
    statements: [
      query.update(invite).set({ state: 'pending', decisionKey }).where(isApproved),
      ...undoApproval(decisionKey),
      keepPrivacy(sql`${invite.decisionKey} IS ${decisionKey}`, now),
      query.delete(invite).where(eq(invite.id, id)),
    ],
    afterwards: () => indexNow(DB, 1, Number(before['server_id'])),
  }
}

/** Counts like a click: once per hour and person, for approved invites only. A trigger increases the invite's count. */
export async function addUse(_env: Env, { values, now }: AdminChange): Promise<AdminPlan> {
  const { invite_id = null, user_id = null } = values
  const usedAt = Number(values['used_at'] ?? now)
  if (usedAt > now) return { errors: [{ field: 'used_at', message: 'This is in the future.' }] }
  if (usedAt <= now - KEEP_USES_MS) {
    return { errors: [{ field: 'used_at', message: 'Uses are kept for 90 days, so this one is too old to add.' }] }
  }
  // Visitors are not identified, so any unique name will do.
  const visitor = user_id === null ? randomToken() : `user:${user_id}`
  return {
    statements: [
      refuseUnless(
        sql`EXISTS (SELECT 1 FROM ${invite} WHERE ${invite.id} = ${invite_id} AND ${invite.state} = 'approved')`,
        'Only an approved invite can be used.',
      ),
      refuseUnless(
        sql`NOT EXISTS (SELECT 1 FROM ${inviteUse} WHERE ${inviteUse.inviteId} = ${invite_id} AND ${inviteUse.visitor} = ${visitor}
          AND ${inviteUse.usedAt} > ${usedAt - HOUR_MS} AND ${inviteUse.usedAt} < ${usedAt + HOUR_MS})`,
        'A use by this user is already counted within that hour.',
      ),
      query.insert(inviteUse).values({ ...columnsOf(inviteUse, values, 'inviteId'), visitor, usedAt }),
    ],
    audit: { before: null, after: { invite_id, user_id, used_at: usedAt } },
  }
}

/** Deletes a use that never happened. Unlike an expired one, it is subtracted from the invite's count. */
export async function removeUse(_env: Env, { key }: AdminRemoval): Promise<AdminPlan> {
  const hasKey = eq(inviteUse.id, Number(key))
  return {
    statements: [
      query
        .update(invite)
        .set({ usesCount: sql`max(${invite.usesCount} - 1, 0)` })
        .where(sql`${invite.id} = (SELECT ${inviteUse.inviteId} FROM ${inviteUse} WHERE ${hasKey})`),
      query.delete(inviteUse).where(hasKey),
    ],
  }
}
