import type { SignInMethod } from './sign-in-user.ts'

/** How somebody can get into their account, as things stand. Whoever takes one away must leave another. */
export async function signInMethods(env: Env, userId: number): Promise<SignInMethod[]> {
  const row = await env.DB.prepare(
    `SELECT password_hash IS NOT NULL AS has_password,
       EXISTS (SELECT 1 FROM email_address e WHERE e.user_id = user.id AND e.verified_at IS NOT NULL) AS has_address,
       EXISTS (SELECT 1 FROM discord_user d WHERE d.user_id = user.id AND d.unlinked_at IS NULL AND NOT d.is_disabled) AS has_discord
     FROM user WHERE id = ?`,
  )
    .bind(userId)
    .first<{ has_password: number; has_address: number; has_discord: number }>()
  const methods: SignInMethod[] = []
  if (row?.has_password === 1) methods.push('password')
  if (row?.has_address === 1) methods.push('code')
  if (row?.has_discord === 1) methods.push('discord')
  return methods
}
