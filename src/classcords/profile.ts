import { sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { prepared, readTogether, type RowOf, template, parameter, condition } from '../db/query.ts'
import { invite } from '../db/schema/index.ts'
import type { ProfileProps, Submission } from './contract.ts'
import { submittedFields, submittedOf } from './invites/submitted-invite.ts'
import { findChoosableSchools } from './schools/catalog.ts'
import { isAtSchool, serverName } from './servers/server-row.ts'
import type { Member } from './viewer.ts'
import { theServer, theInvite, inviteTable, invitesWithServer } from './aliases.ts'

/** How many of the viewer's submissions are shown, newest first. */
const MAX_SUBMISSIONS = 50

const other = alias(invite, 'other')

const findSubmissions = prepared(() => {
  /** Whether the same link is pending or listed again. */
  const isBack = condition(sql`EXISTS (SELECT 1 FROM ${invite} ${other}
    WHERE ${other.code} = ${theInvite.code} AND ${other.state} IN ('pending', 'approved'))`)
  /** Of another school's server, which may be private, only what Discord says is shown. */
  const isOfSchool = sql`(${parameter('is_manager')} OR ${isAtSchool(theServer.id, parameter('school'))})`
  const knownFields = {
    display_name: sql<string>`iif(${isOfSchool}, ${serverName}, ${theServer.name})`,
    is_active: condition(sql`iif(${isOfSchool}, ${theServer.isActive}, 1)`),
  }
  return template(
    { ...submittedFields, ...knownFields, state: theInvite.state, reason: theInvite.reason, is_back: isBack },
    (columns) => sql`SELECT ${columns} FROM ${invitesWithServer}
      WHERE ${theInvite.submitterId} = ${parameter('submitter')} ORDER BY ${theInvite.createdAt} DESC, ${theInvite.id} DESC
      LIMIT ${MAX_SUBMISSIONS}`,
  )
})

/** Positions in the review queue are known up to this one. */
const MAX_POSITION = 1000

/** The first of the review queue, if the user has a pending invite. Read once, instead of once for each submission. */
const findQueue = prepared(() =>
  template(
    { id: theInvite.id },
    (columns) => sql`SELECT ${columns} FROM ${inviteTable} INDEXED BY invite_pending
      WHERE ${theInvite.state} = 'pending' AND EXISTS (SELECT 1 FROM ${invite} ${other}
        WHERE ${other.submitterId} = ${parameter('submitter')} AND ${other.state} = 'pending')
      ORDER BY ${theInvite.createdAt}, ${theInvite.id} LIMIT ${MAX_POSITION}`,
  ),
)

/** The profile's data besides the Discord account: schools to select and the viewer's submissions. One round trip. */
export async function profileOf(env: Env, member: Member): Promise<ProfileProps> {
  const submitter = member.discordUserId
  const [schools, submissions, queue] = await readTogether(
    env.DB,
    findChoosableSchools(),
    findSubmissions({ submitter, school: member.schoolId ?? 0, is_manager: Number(member.isManager) }),
    findQueue({ submitter }),
  )
  const positions = new Map(queue.map(({ id }, index) => [id, index + 1]))
  return {
    show_school_modal: member.schoolId === null,
    schools,
    submissions: submissions.map((row) => submissionOf(row, positions.get(row.id) ?? null, env.DISCORD_CDN_URL)),
  }
}

function submissionOf(
  row: RowOf<ReturnType<typeof findSubmissions>>,
  queue_position: number | null,
  cdnUrl: string,
): Submission {
  const { state } = row
  return {
    ...submittedOf(row, cdnUrl),
    state,
    queue_position,
    reason: row.reason,
    can_resubmit: (state === 'rejected' || state === 'expired') && !row.is_back,
  }
}
