import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { into, names, statement, type Template } from '../../db/query.ts'
import {
  discordServer,
  invite,
  inviteCourse,
  inviteInstructor,
  serverCourse,
  serverInstructor,
  serverSchool,
  serverSubject,
} from '../../db/schema/index.ts'
import { recordDecision } from './record-decision.ts'

const i = alias(invite, 'i')

/** The links that an approved invite `i` adds to its server: `from` selects the rows for `to`, if `isGiven`. */
const links: readonly {
  table: typeof serverSchool | typeof serverSubject | typeof serverCourse | typeof serverInstructor
  to: SQL
  from: SQL
  isGiven: SQL
}[] = [
  {
    table: serverSchool,
    to: into(serverSchool, serverSchool.serverId, serverSchool.schoolId, serverSchool.inviteId),
    from: sql`SELECT ${i.serverId}, ${i.schoolId}, ${i.id} FROM ${invite} ${i}`,
    isGiven: sql`${i.schoolId} IS NOT NULL`,
  },
  {
    table: serverSubject,
    to: into(serverSubject, serverSubject.serverId, serverSubject.subjectId, serverSubject.inviteId),
    from: sql`SELECT ${i.serverId}, ${i.subjectId}, ${i.id} FROM ${invite} ${i}`,
    isGiven: sql`${i.subjectId} IS NOT NULL`,
  },
  {
    table: serverCourse,
    to: into(serverCourse, serverCourse.serverId, serverCourse.courseId, serverCourse.inviteId),
    from: sql`SELECT ${i.serverId}, ${inviteCourse.courseId}, ${i.id} FROM ${invite} ${i}
      JOIN ${inviteCourse} ON ${inviteCourse.inviteId} = ${i.id}`,
    isGiven: sql`true`,
  },
  {
    table: serverInstructor,
    to: into(serverInstructor, serverInstructor.serverId, serverInstructor.instructorId, serverInstructor.inviteId),
    from: sql`SELECT ${i.serverId}, ${inviteInstructor.instructorId}, ${i.id} FROM ${invite} ${i}
      JOIN ${inviteInstructor} ON ${inviteInstructor.inviteId} = ${i.id}`,
    isGiven: sql`true`,
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
    ...links.map(({ to, from, isGiven }) =>
      statement(sql`INSERT INTO ${to} ${from} WHERE ${isApproved} AND ${isGiven} ON CONFLICT DO NOTHING`),
    ),
    recordDecision(decisionKey, 'approved', decision),
  ]
}

/** Keeps links that another approved invite also added; the privacy becomes that of the latest remaining one. */
export function undoApproval(decisionKey: string): Template<never>[] {
  const isUndone = sql`${invite.decisionKey} = ${decisionKey} AND ${invite.state} = 'pending'`
  const undone = sql`(SELECT ${invite.id} FROM ${invite} WHERE ${isUndone})`
  const server = sql`(SELECT ${invite.serverId} FROM ${invite} WHERE ${isUndone})`
  const isLeft = sql`${i.state} = 'approved'`
  const { privacyLevel, version } = discordServer
  return [
    ...links.flatMap(({ table, to, from, isGiven }) => [
      statement(sql`DELETE FROM ${table} WHERE ${table.inviteId} = ${undone}`),
      statement(sql`INSERT INTO ${to} ${from}
        WHERE ${i.serverId} = ${server} AND ${isLeft} AND ${isGiven} ORDER BY ${i.decidedAt} ON CONFLICT DO NOTHING`),
    ]),
    statement(sql`UPDATE ${discordServer} SET ${names(version)} = ${version} + 1, ${names(privacyLevel)} = COALESCE(
        (SELECT ${i.privacyLevel} FROM ${invite} ${i} WHERE ${i.serverId} = ${discordServer.id} AND ${isLeft}
         ORDER BY ${i.decidedAt} DESC LIMIT 1), ${privacyLevel})
      WHERE ${discordServer.id} = ${server}`),
  ]
}
