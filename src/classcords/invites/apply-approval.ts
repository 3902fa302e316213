import { type SQL, sql } from 'drizzle-orm'
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { into, names, statement, type Template } from '../../db/query.ts'
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

const i = alias(invite, 'i')

/** The links that an approved invite `i` adds to its server: `from` selects one row for each `given` target. */
const links: readonly {
  table: typeof serverSchool | typeof serverSubject | typeof serverCourse | typeof serverInstructor
  target: SQLiteColumn
  given: SQLiteColumn
  from: SQL
}[] = [
  { table: serverSchool, target: serverSchool.schoolId, given: i.schoolId, from: sql`${invite} ${i}` },
  { table: serverSubject, target: serverSubject.subjectId, given: i.subjectId, from: sql`${invite} ${i}` },
  {
    table: serverCourse,
    target: serverCourse.courseId,
    given: inviteCourse.courseId,
    from: sql`${invite} ${i} JOIN ${inviteCourse} ON ${inviteCourse.inviteId} = ${i.id}`,
  },
  {
    table: serverInstructor,
    target: serverInstructor.instructorId,
    given: inviteInstructor.instructorId,
    from: sql`${invite} ${i} JOIN ${inviteInstructor} ON ${inviteInstructor.inviteId} = ${i.id}`,
  },
]

/** For the batch that approves the invite under `decisionKey`; they do nothing unless it was approved. */
export function applyApproval(
  decisionKey: string,
  decision: { decidedBy: number | null; now: number },
): Template<never>[] {
  const isApproved = sql`${i.decisionKey} = ${decisionKey} AND ${i.state} = 'approved'`
  const { privacyLevel, version } = discordServer
  return [
    statement(sql`UPDATE ${discordServer} SET ${names(privacyLevel)} = ${i.privacyLevel}, ${names(version)} = ${version} + 1
      FROM ${invite} ${i} WHERE ${isApproved} AND ${discordServer.id} = ${i.serverId}`),
    ...links.map(({ table, target, given, from }) =>
      statement(sql`INSERT INTO ${into(table, table.serverId, target, table.inviteId)}
        SELECT ${i.serverId}, ${given}, ${i.id} FROM ${from} WHERE ${isApproved} AND ${given} IS NOT NULL ON CONFLICT DO NOTHING`),
    ),
    recordDecision(decisionKey, 'approved', decision),
  ]
}

/** How long an undone approval may have stood, in ms, if its undoing is to make a private server public again. */
const SLIP_MS = 15 * MINUTE_MS

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
  const isLeft = sql`${i.state} = 'approved'`
  const { adminPrivacyAt, adminPrivacyLevel, privacyLevel, version } = discordServer
  const before = sql`COALESCE(
    (SELECT ${i.privacyLevel} FROM ${invite} ${i} WHERE ${i.serverId} = ${discordServer.id} AND ${isLeft}
       AND (${adminPrivacyAt} IS NULL OR ${i.decidedAt} > ${adminPrivacyAt}) ORDER BY ${i.decidedAt} DESC LIMIT 1),
    ${adminPrivacyLevel}, ${privacyLevel})`
  const isSlip = now === undefined ? sql`FALSE` : sql`${approvedAt} > ${now - SLIP_MS}`
  return [
    ...links.flatMap(({ table, target, given, from }) => [
      // A link belongs to the earliest approval that gave it. If an earlier one gave this link too, an administrator had
      // removed it in between.
      statement(sql`UPDATE ${table} SET ${names(table.inviteId)} = COALESCE(
          (SELECT ${i.id} FROM ${from} WHERE ${i.serverId} = ${table.serverId} AND ${given} = ${target} AND ${isLeft}
             AND ${i.decidedAt} >= ${approvedAt} ORDER BY ${i.decidedAt} LIMIT 1), ${table.inviteId})
        WHERE ${table.inviteId} = ${undone}`),
      statement(sql`DELETE FROM ${table} WHERE ${table.inviteId} = ${undone}`),
    ]),
    statement(sql`UPDATE ${discordServer} SET ${names(version)} = ${version} + 1, ${names(privacyLevel)} = iif(
        ${privacyLevel} = (SELECT ${invite.privacyLevel} FROM ${invite} WHERE ${isUndone}) AND (${privacyLevel} = 'public' OR ${isSlip}),
        ${before}, ${privacyLevel})
      WHERE ${discordServer.id} = ${server}`),
  ]
}
