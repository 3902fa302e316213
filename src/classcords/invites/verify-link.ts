import { conflict, badRequest, upstreamError, unprocessable } from '../../web/refusal.ts'
import type { GuildInvite } from '../discord/invite-answer.ts'
import { lookUpCached } from '../discord/look-up-invite.ts'
import { codeOfLink } from './invite-link.ts'

/**
 * The server behind a link, if it may be submitted: a valid, permanent invite to a server.
 * @throws badRequest (not a Discord link), unprocessable (dead, not permanent, a group chat), upstreamError (Discord did not answer)
 */
export async function verifyLink(env: Env, typed: string, now: number): Promise<GuildInvite> {
  if (typed.trim() === '') throw badRequest('Invite URL is required')
  const code = codeOfLink(typed)
  if (code === null) throw badRequest('Invalid Discord invite URL provided')
  const lookup = await lookUpCached(env, code, now)
  const failed = 'Failed to verify Discord server:'
  if (lookup.kind === 'dead') throw unprocessable(`${failed} this invite does not exist or has expired`)
  if (lookup.kind === 'not_guild') throw unprocessable(`${failed} this invite does not lead to a server`)
  if (lookup.kind === 'unsure') {
    const later =
      lookup.retry_after_ms === null ? 'in a moment' : `in ${Math.ceil(lookup.retry_after_ms / 1000)} seconds`
    throw upstreamError(
      lookup.timed_out ? 504 : 502,
      `${failed} Discord could not be reached (${lookup.reason}). Please try again ${later}`,
    )
  }
  if (!lookup.invite.is_permanent)
    throw unprocessable(
      'Only permanent Discord invites are allowed. Please create a permanent invite that never expires',
    )
  return lookup.invite
}

export const alreadySubmitted = () => conflict('This Discord invite has already been submitted')

export const isDuplicateCode = (error: unknown): boolean => /UNIQUE constraint failed: invite\.code/.test(String(error))

/** Two people submitted one link at the same time. @throws conflict, or the error if it is another one */
export function refuseDuplicate(error: unknown): never {
  throw isDuplicateCode(error) ? alreadySubmitted() : error
}
