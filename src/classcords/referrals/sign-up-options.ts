import { eq, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { type Database, orNull, query, readTogether, template } from '../../db/query.ts'
import { discordServer, discordUser, invite, referral, school } from '../../db/schema/index.ts'
import { isListed } from '../invites/server-invites.ts'
import { serverName } from '../notices/new-notices.ts'
import { isActiveReferral } from './referral-rules.ts'

const s = alias(discordServer, 's')

/** Trusted servers that are named to somebody who needs one. */
const MAX_TRUSTED = 10

/** Who invited somebody, and to which school's servers. */
export interface Invitation {
  inviter: string
  /** Null when the inviter has none. */
  school: string | null
}

/** A server whose members may have an account, with an invite to it. */
export interface TrustedServer {
  name: string
  invite: number
}

/** Public trusted servers with their newest invite. Private ones are named to nobody who is not in. */
export const findTrusted = () =>
  template(
    {
      name: serverName,
      invite: sql<number>`(SELECT max(${invite.id}) FROM ${invite}
        WHERE ${invite.serverId} = ${s.id} AND ${invite.state} = 'approved' AND ${invite.isValid})`,
    },
    (columns) => sql`SELECT ${columns} FROM ${discordServer} ${s}
      WHERE ${s.isRequiredForTrust} AND ${s.privacyLevel} = 'public' AND ${isListed} ORDER BY ${s.id} LIMIT ${MAX_TRUSTED}`,
  )

const findInvitation = (code: string, now: number) =>
  query
    .select({ inviter: discordUser.displayName, school: orNull(school.name) })
    .from(referral)
    .innerJoin(discordUser, eq(discordUser.id, referral.ownerId))
    .leftJoin(school, eq(school.id, discordUser.schoolId))
    .where(sql`${referral.code} = ${code} AND ${isActiveReferral(now)}`)

/** How somebody new gets in: the invitation behind a code (null: it admits nobody now), and the trusted servers. One round trip. */
export async function readSignUpOptions(
  db: Database,
  code: string | null,
  now: number,
): Promise<{ invitation: Invitation | null; trusted: TrustedServer[] }> {
  const [invitations, trusted] = await readTogether(db, findInvitation(code ?? '', now), findTrusted())
  return { invitation: invitations[0] ?? null, trusted }
}
