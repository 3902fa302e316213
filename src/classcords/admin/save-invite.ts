import type { AdminChange, AdminFault, AdminPlan, AdminRemoval } from '../../web/admin-change.ts'
import { Refusal } from '../../web/refusal.ts'
import { randomToken } from '../../web/signing.ts'
import type { GuildInvite } from '../discord/invite-answer.ts'
import { undoApproval } from '../invites/apply-approval.ts'
import { codeOfLink, inviteAddress } from '../invites/invite-link.ts'
import { isTakenCode, takenCode, verifyLink } from '../invites/verify-link.ts'
import { indexServers } from '../search/index-servers.ts'

/** A code alone means the link it stands in. */
const linkOf = (typed: string): string => (codeOfLink(inviteAddress(typed)) === null ? typed : inviteAddress(typed))

/** For the form: what is no link of Discord's and no code either. */
export const checkLink = (typed: string | number): string | null =>
  codeOfLink(linkOf(String(typed))) === null ? 'Invalid Discord invite URL provided' : null

export async function saveInvite(env: Env, change: AdminChange): Promise<AdminPlan> {
  const { key, before, values } = change
  if (key === null) return addInvite(env, change)
  return {
    statements: [env.DB.prepare('UPDATE invite SET notes_md = ? WHERE id = ?').bind(values['notes_md'] ?? '', key)],
    afterwards: () => indexServers(env.DB, 1, Number(before?.['server_id'])),
  }
}

/**
 * A new one passes what a submission passes: Discord is asked, and says which server it is of. It waits for a decision like any
 * other, and is due for a check at once, which brings the server's name, picture and figures.
 */
async function addInvite(env: Env, { values, now }: AdminChange): Promise<AdminPlan> {
  const found = await askDiscord(env, String(values['code']), now)
  if ('faults' in found) return found
  const faults = await misfits(env.DB, values, found)
  if (faults.length > 0) return { faults }
  const own = {
    code: found.code,
    server_id: values['server_id'] ?? null,
    submitter_id: values['submitter_id'] ?? null,
    notes_md: values['notes_md'] ?? '',
    privacy_level: values['privacy_level'] ?? null,
    school_id: values['school_id'] ?? null,
    subject_id: values['subject_id'] ?? null,
  }
  return {
    statements: [
      env.DB.prepare(
        `INSERT INTO invite (${Object.keys(own).join(', ')}, state, created_at, checked_at, due_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 'pending', ?8, ?8, ?8)`,
      ).bind(...Object.values(own), now),
    ],
    audit: { before: null, after: { ...own, state: 'pending' } },
    said: `discord.gg/${found.code} was added. It waits for a decision.`,
  }
}

/** What Discord says of the link; what it refuses, and its silence, is told beside the link. */
async function askDiscord(env: Env, typed: string, now: number): Promise<GuildInvite | { faults: AdminFault[] }> {
  try {
    return await verifyLink(env, linkOf(typed), now)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { faults: [{ field: 'code', message: error.message }] }
  }
}

/** In the words of submitting. */
async function misfits(db: D1Database, values: AdminChange['values'], found: GuildInvite): Promise<AdminFault[]> {
  const { server_id = null, school_id = null, subject_id = null } = values
  const row = await db
    .prepare(
      `SELECT EXISTS (SELECT 1 FROM discord_server WHERE id = ?1 AND server_id = ?2) AS is_of_server,
         EXISTS (SELECT 1 FROM subject WHERE school_id = ?3) AS has_school,
         EXISTS (SELECT 1 FROM subject WHERE school_id = ?3 AND id = ?4) AS has_subject`,
    )
    .bind(server_id, found.guild_id, school_id, subject_id)
    .first<{ is_of_server: number; has_school: number; has_subject: number }>()
  const faults: AdminFault[] = []
  if (!row?.is_of_server) {
    faults.push({ field: 'server_id', message: `The link leads to another server: ${found.name} (${found.guild_id}).` })
  }
  if (!row?.has_school) faults.push({ field: 'school_id', message: 'Invalid school selected' })
  else if (subject_id !== null && !row.has_subject) {
    faults.push({ field: 'subject_id', message: 'This subject is not taught at the school' })
  }
  return faults
}

/** In the words of submitting. */
export async function explainInvite(_env: Env, error: string): Promise<readonly AdminFault[] | null> {
  return isTakenCode(error) ? [{ field: 'code', message: takenCode().message }] : null
}

/** What its approval brought to the server goes first, as when the decision is taken back. */
export async function removeInvite({ DB }: Env, { key, before }: AdminRemoval): Promise<AdminPlan> {
  const decision = randomToken()
  return {
    statements: [
      DB.prepare("UPDATE invite SET state = 'pending', decision_key = ? WHERE id = ? AND state = 'approved'").bind(
        decision,
        key,
      ),
      ...undoApproval(decision),
      DB.prepare('DELETE FROM invite WHERE id = ?').bind(key),
    ],
    afterwards: () => indexServers(DB, 1, Number(before['server_id'])),
  }
}
