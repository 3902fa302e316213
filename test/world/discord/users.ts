import { json, type Answer, type Call } from '../http.ts'
import { discordError, unauthorized } from './errors.ts'
import type { Grants } from './grants.ts'
import { findGuild } from './guilds.ts'

const bearerOf = (call: Call): string => /^Bearer (\S+)$/.exec(call.headers.authorization ?? '')?.[1] ?? ''

/** GET /users/@me: the address is included only for the scope `email`. */
export function answerMe(grants: Grants, call: Call, now: number): Answer {
  const grant = grants.grantOf(bearerOf(call), now)
  if (!grant) return unauthorized()
  const { persona, scopes } = grant
  if (!scopes.includes('identify')) return unauthorized()
  return json({
    id: persona.id,
    username: persona.username,
    avatar: persona.avatar,
    discriminator: persona.discriminator,
    public_flags: 0,
    flags: 0,
    banner: null,
    accent_color: null,
    global_name: persona.displayName,
    mfa_enabled: false,
    locale: 'en-US',
    premium_type: 0,
    ...(scopes.includes('email') ? { email: persona.email, verified: persona.verified } : {}),
  })
}

/** GET /users/@me/guilds: 200 at most, so there is only one page. */
export function answerGuilds(grants: Grants, call: Call, now: number): Answer {
  const grant = grants.grantOf(bearerOf(call), now)
  if (!grant) return unauthorized()
  if (!grant.scopes.includes('guilds')) return discordError(403, 50001, 'Missing Access')
  return json(
    grant.persona.guildIds.flatMap((id) => {
      const guild = findGuild(id)
      return guild
        ? [
            {
              id,
              name: guild.name,
              icon: guild.icon,
              banner: null,
              owner: false,
              permissions: '2147483647',
              features: [],
            },
          ]
        : []
    }),
  )
}
