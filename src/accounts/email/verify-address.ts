import { copyPrimary } from './primary.ts'

/** Verifies an address whose mailbox its owner has just shown to read, unless somebody else has it verified. */
export async function verifyAddress(env: Env, userId: number, address: string, now: number): Promise<void> {
  await env.DB.batch([
    env.DB.prepare(
      `UPDATE email_address SET verified_at = ?1
       WHERE user_id = ?2 AND lower(address) = lower(?3) AND verified_at IS NULL
         AND NOT EXISTS (SELECT 1 FROM email_address o WHERE lower(o.address) = lower(?3) AND o.verified_at IS NOT NULL)`,
    ).bind(now, userId, address),
    env.DB.prepare(`${copyPrimary} WHERE id = ?`).bind(userId),
  ])
}
