import { eq, sql } from 'drizzle-orm'
import { kept, readFirst, template } from '../db/query.ts'
import { discordUser, user } from '../db/schema/index.ts'
import { userHasVerified } from './email/address-conditions.ts'

type SignInMethod = 'password' | 'code' | 'discord'

const methodsOf = kept(() =>
  template(
    {
      has_password: sql<boolean>`${user.passwordHash} IS NOT NULL`.mapWith(Boolean),
      has_address: sql<boolean>`${userHasVerified(user.id)}`.mapWith(Boolean),
      has_discord: sql<boolean>`EXISTS (SELECT 1 FROM ${discordUser} WHERE ${discordUser.userId} = ${user.id}
        AND ${discordUser.unlinkedAt} IS NULL AND NOT ${discordUser.isDisabled})`.mapWith(Boolean),
    },
    (columns) => sql`SELECT ${columns} FROM ${user} WHERE ${eq(user.id, sql.placeholder('userId'))}`,
  ),
)

/** How a user can log in now. Taking one method away must leave another. */
export async function signInMethods(env: Env, userId: number): Promise<SignInMethod[]> {
  const row = await readFirst(env.DB, methodsOf({ userId }))
  const methods: SignInMethod[] = []
  if (row?.has_password) methods.push('password')
  if (row?.has_address) methods.push('code')
  if (row?.has_discord) methods.push('discord')
  return methods
}
