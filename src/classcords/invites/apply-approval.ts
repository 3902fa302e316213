import { type SQL, sql } from 'drizzle-orm'
import { type SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { into, names, type Query, query, statement, type Template } from '../../db/query.ts'
import {
  discordServer,
  invite,
  inviteCourse,
  inviteDecision,
  inviteInstructor,
  serverCourse,
  serverInstructor,
  serverSchool,
  serverSubject,
} from '../../db/schema/index.ts'
import { MINUTE_MS } from '../../lib/time.ts'
import { recordDecision } from './record-decision.ts'
import { theInvite, inviteTable } from '../aliases.ts'

/** The links that an approved invite adds to its server: `from` selects one row for each `given` target. */
const links: readonly {
  table: typeof serverSchool | typeof serverSubject | typeof serverCourse | typeof serverInstructor
  target: SQLiteColumn
  given: SQLiteColumn
  from: SQL
}[] = [
  { table: serverSchool, target: serverSchool.schoolId, given: theInvite.schoolId, from: inviteTable },
  {
    table: serverSubject,
    target: serverSubject.subjectId,
    given: theInvite.subjectId,
    from: inviteTable,
  },
  {
    table: serverCourse,
    target: serverCourse.courseId,
    given: inviteCourse.courseId,
    from: sql`${inviteTable} JOIN ${inviteCourse} ON ${inviteCourse.inviteId} = ${theInvite.id}`,
  },
  {
    table: serverInstructor,
    target: serverInstructor.instructorId,
    given: inviteInstructor.instructorId,
    from: sql`${inviteTable} JOIN ${inviteInstructor} ON ${inviteInstructor.inviteId} = ${theInvite.id}`,
  },
]

/** For the batch that approves the invite under `decisionKey`; they do nothing unless it was approved. */
export function applyApproval(
  decisionKey: string,
  decision: { decidedBy: number | null; now: number },
): Template<never>[] {
  const isApproved = sql`${theInvite.decisionKey} = ${decisionKey} AND ${theInvite.state} = 'approved'`
  const { privacyLevel, version } = discordServer
  return [
    statement(sql`UPDATE ${discordServer} SET ${names(privacyLevel)} = ${theInvite.privacyLevel}, ${names(version)} = ${version} + 1
      FROM ${inviteTable} WHERE ${isApproved} AND ${discordServer.id} = ${theInvite.serverId}`),
    ...links.map(({ table, target, given, from }) =>
      statement(sql`INSERT INTO ${into(table, table.serverId, target, table.inviteId)}
        SELECT ${theInvite.serverId}, ${given}, ${theInvite.id} FROM ${from} WHERE ${isApproved} AND ${given} IS NOT NULL ON CONFLICT DO NOTHING`),
    ),
    recordDecision(decisionKey, 'approved', decision),
  ]
}

/** How long an undone approval may have stood, in ms, if its undoing is to make a private server public again. */
const RECENT_APPROVAL_MS = 15 * MINUTE_MS

/**
 * Keeps links that a later approved invite also gives, and restores the privacy from before: that of the latest
 * remaining approval or of an administrator, whichever was last. What administrators removed stays removed. Only an
 * approval that was just given makes its server public again: nobody who undoes an old one thinks of that.
 * @param now ms since epoch; absent: no server is made public
 */
export function undoApproval(decisionKey: string, now?: number): Template<never>[] {
  const isUndone = sql`${invite.decisionKey} = ${decisionKey} AND ${invite.state} = 'pending'`
  const undone = sql`(SELECT ${invite.id} FROM ${invite} WHERE ${isUndone})`
  const server = sql`(SELECT ${invite.serverId} FROM ${invite} WHERE ${isUndone})`
  const approvedAt = sql`coalesce((SELECT max(${inviteDecision.createdAt}) FROM ${inviteDecision}
    WHERE ${inviteDecision.inviteId} = ${undone} AND ${inviteDecision.decision} = 'approved'), 0)`
  const isLeft = sql`${theInvite.state} = 'approved'`
  const { adminPrivacyAt, adminPrivacyLevel, privacyLevel, version } = discordServer
  const before = sql`COALESCE(
    (SELECT ${theInvite.privacyLevel} FROM ${inviteTable} WHERE ${theInvite.serverId} = ${discordServer.id} AND ${isLeft}
       AND (${adminPrivacyAt} IS NULL OR ${theInvite.decidedAt} > ${adminPrivacyAt}) ORDER BY ${theInvite.decidedAt} DESC LIMIT 1),
    ${adminPrivacyLevel}, ${privacyLevel})`
  const isRecentApproval = now === undefined ? sql`FALSE` : sql`${approvedAt} > ${now - RECENT_APPROVAL_MS}`
  return [
    ...links.flatMap(({ table, target, given, from }) => [
      // A link belongs to the earliest approval that gave it. If an earlier one gave this link too, an administrator had
      // removed it in between.
      statement(sql`UPDATE ${table} SET ${names(table.inviteId)} = COALESCE(
          (SELECT ${theInvite.id} FROM ${from} WHERE ${theInvite.serverId} = ${table.serverId} AND ${given} = ${target} AND ${isLeft}
             AND ${theInvite.decidedAt} >= ${approvedAt} ORDER BY ${theInvite.decidedAt} LIMIT 1), ${table.inviteId})
        WHERE ${table.inviteId} = ${undone}`),
      statement(sql`DELETE FROM ${table} WHERE ${table.inviteId} = ${undone}`),
    ]),
    statement(sql`UPDATE ${discordServer} SET ${names(version)} = ${version} + 1, ${names(privacyLevel)} = iif(
        ${privacyLevel} = (SELECT ${invite.privacyLevel} FROM ${invite} WHERE ${isUndone}) AND (${privacyLevel} = 'public' OR ${isRecentApproval}),
        ${before}, ${privacyLevel})
      WHERE ${discordServer.id} = ${server}`),
  ]
}

/**
 * The privacy of a server that loses its last approved invite is kept like an administrator's choice, because no decision
 * about it is left. @param lost a condition on the invite
 */
export const keepPrivacy = (lost: SQL, now: number): Query =>
  query.update(discordServer).set({ adminPrivacyLevel: sql`${discordServer.privacyLevel}`, adminPrivacyAt: now })
    .where(sql`${discordServer.id} IN (SELECT ${invite.serverId} FROM ${invite} WHERE ${lost})
      AND NOT EXISTS (SELECT 1 FROM ${invite} WHERE ${invite.serverId} = ${discordServer.id} AND ${invite.state} = 'approved' AND NOT (${lost}))`)
