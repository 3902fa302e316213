import { eq, sql } from 'drizzle-orm'
import { orNull, query, readTogether, type RowOf, template } from '../../db/query.ts'
import { discordUser, invite, referral, school } from '../../db/schema/index.ts'
import type { DiscordServer } from '../contract.ts'
import { findNewest } from '../servers/newest-servers.ts'
import { isListed, serverName, serverOf } from '../servers/server-row.ts'
import { isOpenReferral } from './referral-rules.ts'
import { theServer, serverTable } from '../aliases.ts'

/** How many trusted servers are shown to people who need one. */
const MAX_TRUSTED = 10
const MAX_SAMPLES = 3

/**
 * Public servers whose members may sign up, with the id of their newest invite. Private ones are not shown to people
 * without an account.
 */
export const findTrusted = () =>
  template(
    {
      name: serverName,
      invite: sql<number>`(SELECT max(${invite.id}) FROM ${invite}
        WHERE ${invite.serverId} = ${theServer.id} AND ${invite.state} = 'approved' AND ${invite.isValid})`,
    },
    (columns) => sql`SELECT ${columns} FROM ${serverTable}
      WHERE ${theServer.isRequiredForTrust} AND ${theServer.privacyLevel} = 'public' AND ${isListed}
        ORDER BY ${theServer.id} LIMIT ${MAX_TRUSTED}`,
  )

const findInvitation = (code: string, now: number) =>
  query
    .select({ inviter: discordUser.displayName, school: orNull(school.name) })
    .from(referral)
    .innerJoin(discordUser, eq(discordUser.id, referral.ownerId))
    .leftJoin(school, eq(school.id, discordUser.schoolId))
    .where(sql`${referral.code} = ${code} AND ${isOpenReferral(now)}`)

/** `school` is null if the inviter has none. */
export type Invitation = RowOf<ReturnType<typeof findInvitation>>
export type TrustedServer = RowOf<ReturnType<typeof findTrusted>>

export interface SignUpOptions {
  /** The invitation of a referral code; null: the code is not valid. */
  invitation: Invitation | null
  trusted: TrustedServer[]
  /** A few public servers, which everyone may see. */
  sampleServers: DiscordServer[]
}

/** How new people can get an account. One round trip. */
export async function readSignUpOptions(env: Env, code: string | null, now: number): Promise<SignUpOptions> {
  const [invitations, trusted, newest] = await readTogether(
    env.DB,
    findInvitation(code ?? '', now),
    findTrusted(),
    findNewest(),
  )
  return {
    invitation: invitations[0] ?? null,
    trusted,
    sampleServers: newest.slice(0, MAX_SAMPLES).map((row) => serverOf(row, env.DISCORD_CDN_URL)),
  }
}
