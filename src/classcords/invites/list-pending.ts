import { type SQLWrapper, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import {
  pageOffset,
  prepared,
  orNull,
  read,
  type RowOfFields,
  template,
  parameter,
  condition,
  selectValues,
} from '../../db/query.ts'
import {
  discordUser,
  invite,
  inviteCourse,
  listing,
  listingCourse,
  school,
  serverCourse,
  serverSchool,
} from '../../db/schema/index.ts'
import { isoOrNull } from '../../lib/time.ts'
import { isIn } from '../../db/json-argument.ts'
import { roleInfo } from '../../web/discord-user.ts'
import { paginate } from '../../web/pagination.ts'
import type { PendingInvite, UnapprovedInvitesProps } from '../contract.ts'
import { isKnown, jsonList } from '../servers/server-row.ts'
import type { Viewer } from '../viewer.ts'
import { submittedFields, submittedOf } from './submitted-invite.ts'

import * as z from 'zod/mini'
import { theServer, theInvite, serverTable, invitesWithServer } from '../aliases.ts'

const INVITES_PER_PAGE = 20

const d = alias(discordUser, 'd')
const earlier = alias(invite, 'earlier')
const own = alias(serverSchool, 'own')

/** Names the index because SQLite may otherwise choose the one on all states. */
const pending = sql`${invite} INDEXED BY invite_pending WHERE ${invite.state} = 'pending'`
const pendingTotal = sql<number>`(SELECT count(*) FROM ${pending})`

/** For each chosen course, how many other servers are listed for it. */
const othersForCourses = sql`(SELECT json_group_array(json_object('course_id', ${inviteCourse.courseId}, 'servers',
    coalesce((SELECT sum(${listingCourse.servers}) FROM ${listingCourse} WHERE ${listingCourse.schoolId} = 0
      AND ${listingCourse.isPrivate} IN (0, 1) AND ${listingCourse.courseId} = ${inviteCourse.courseId}), 0)
    - EXISTS (SELECT 1 FROM ${serverCourse} JOIN ${listing}
        ON ${listing.serverId} = ${serverCourse.serverId} AND ${listing.schoolId} = 0
      WHERE ${serverCourse.serverId} = ${theInvite.serverId} AND ${serverCourse.courseId} = ${inviteCourse.courseId})))
  FROM ${inviteCourse} WHERE ${inviteCourse.inviteId} = ${theInvite.id})`

/** The names of the schools of a private server, if the invite is for another one. */
const schoolsOfPrivate = sql`(SELECT json_group_array(${school.name} ORDER BY ${school.name})
  FROM ${serverSchool} JOIN ${school} ON ${school.id} = ${serverSchool.schoolId}
  WHERE ${serverSchool.serverId} = ${theServer.id} AND ${theServer.privacyLevel} = 'private'
    AND ${theInvite.privacyLevel} = 'private'
    AND ${theInvite.schoolId} NOT IN (SELECT ${own.schoolId} FROM ${serverSchool} ${own} WHERE ${own.serverId} = ${theServer.id}))`

const earlierOf = (state: 'approved' | 'rejected') =>
  sql<number>`(SELECT count(*) FROM ${invite} ${earlier}
    WHERE ${earlier.submitterId} = ${theInvite.submitterId} AND ${earlier.state} = ${sql.raw(`'${state}'`)})`

/**
 * Whether an approval of the submitted privacy changes one that someone chose for the server: a new server only has
 * that of its first submission.
 */
export const changesPrivacy = (submitted: SQLWrapper) =>
  condition(
    sql`((${isKnown} OR ${theServer.adminPrivacyAt} IS NOT NULL) AND ${theServer.privacyLevel} <> ${submitted})`,
  )

/** What a review card shows. `d` is the submitter's discord_user, if it still exists. */
const pendingFields = {
  total: pendingTotal,
  ...submittedFields,
  submitter_name: orNull(d.displayName),
  role: orNull(d.role),
  member_count: theServer.memberCount,
  online_count: theServer.onlineCount,
  uses_count: theInvite.usesCount,
  expires_at: theInvite.expiresAt,
  approved: earlierOf('approved'),
  rejected: earlierOf('rejected'),
  is_new_server: condition(sql`NOT ${isKnown}`),
  changes_privacy: changesPrivacy(theInvite.privacyLevel),
  private_to: jsonList(z.string(), schoolsOfPrivate),
  other_servers: jsonList(z.object({ course_id: z.number(), servers: z.number() }), othersForCourses),
}

const findPending = prepared(() =>
  template(
    pendingFields,
    (columns) => sql`SELECT ${columns}
      FROM (SELECT * FROM ${pending} ORDER BY ${invite.createdAt}, ${invite.id}
            LIMIT ${INVITES_PER_PAGE} OFFSET ${pageOffset(INVITES_PER_PAGE, parameter('page'), pendingTotal)}) ${theInvite}
      JOIN ${serverTable} ON ${theServer.id} = ${theInvite.serverId} LEFT JOIN ${discordUser} ${d} ON ${d.id} = ${theInvite.submitterId}
      ORDER BY ${theInvite.createdAt}, ${theInvite.id}`,
  ),
)

const countPending = prepared(() => selectValues({ pending: pendingTotal }))
const countNone = prepared(() => selectValues({ pending: sql<number>`0` }))

/** How many invites await review; 0 for those who may not review. */
export const pendingCount = ({ isManager }: Pick<Viewer, 'isManager'>) => (isManager ? countPending() : countNone())

/** A page of invites awaiting review, oldest first. One round trip. */
export async function listPending(env: Env, page: number): Promise<UnapprovedInvitesProps> {
  const rows = await read(env.DB, findPending({ page }))
  return {
    unapproved_invites: rows.map((row) => pendingInviteOf(row, env.DISCORD_CDN_URL)),
    pagination: paginate({ page, size: INVITES_PER_PAGE, total: rows[0]?.total ?? 0 }),
  }
}

function pendingInviteOf(row: RowOfFields<typeof pendingFields>, cdnUrl: string): PendingInvite {
  return {
    ...submittedOf(row, cdnUrl),
    uses_count: row.uses_count,
    is_unlimited: row.expires_at === null,
    expires_at: isoOrNull(row.expires_at),
    members: { total: row.member_count, online: row.online_count },
    submitter: {
      display_name: row.submitter_name ?? 'A deleted account',
      role_info: roleInfo(row.role ?? 'regular'),
      approved: row.approved,
      rejected: row.rejected,
    },
    is_new_server: row.is_new_server,
    changes_privacy: row.changes_privacy,
    private_to: row.private_to,
    other_servers: row.other_servers,
  }
}

/** Those of the invites that change their server's privacy if they are approved, with the one they have. */
export const findPrivacyChanges = (ids: readonly (number | string)[]) =>
  template(
    { code: theInvite.code, privacy_level: theInvite.privacyLevel },
    (columns) => sql`SELECT ${columns} FROM ${invitesWithServer}
      WHERE ${isIn(theInvite.id, ids)} AND ${theInvite.state} = 'pending' AND ${theInvite.isValid} AND ${changesPrivacy(theInvite.privacyLevel)} ORDER BY ${theInvite.id}`,
  )
