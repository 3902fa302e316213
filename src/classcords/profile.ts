import { readTogether } from '../db/read-together.ts'
import { isoOrNull } from '../web/moment.ts'
import { type ProfileProps, type School, Submission } from './contract.ts'
import { submittedColumns, submittedOf, type SubmittedRow } from './invites/invite-lists.ts'
import { choosableSchools } from './schools/catalogue.ts'
import type { Member } from './viewer.ts'

/** One's newest submissions; older ones are history. */
const mostSubmissions = 50

interface Row extends SubmittedRow {
  state: string
  reason: string
  decided_at: number | null
  /** The same link waits or is listed already. */
  is_back: number
}

/** What the profile shows beside the chat account itself: the schools to choose from, and one's own submissions. One round trip. */
export async function profileOf(env: Env, member: Member): Promise<ProfileProps> {
  const [schools, submissions, queue] = await readTogether<[School[], Row[], { id: number }[]]>(
    env.DB,
    env.DB.prepare(choosableSchools),
    env.DB.prepare(
      `SELECT ${submittedColumns}, i.state, i.reason, i.decided_at,
         EXISTS (SELECT 1 FROM invite n WHERE n.code = i.code AND n.state IN ('pending', 'approved')) AS is_back
       FROM invite i JOIN discord_server s ON s.id = i.server_id WHERE i.submitter_id = ?
       ORDER BY i.created_at DESC, i.id DESC LIMIT ${mostSubmissions}`,
    ).bind(member.chat.id),
    // Read once for all: counted for each submission it would be read as often.
    env.DB.prepare(
      `SELECT id FROM invite INDEXED BY invite_pending
       WHERE state = 'pending' AND EXISTS (SELECT 1 FROM invite WHERE submitter_id = ? AND state = 'pending')
       ORDER BY created_at, id`,
    ).bind(member.chat.id),
  )
  const positions = new Map(queue.map(({ id }, index) => [id, index + 1]))
  return {
    show_school_modal: member.schoolId === null,
    schools,
    submissions: submissions.map((row) => submissionOf(row, positions.get(row.id) ?? null, env.DISCORD_CDN_URL)),
  }
}

function submissionOf(row: Row, queue_position: number | null, cdnUrl: string): Submission {
  const state = Submission.shape.state.parse(row.state)
  return {
    ...submittedOf(row, cdnUrl),
    state,
    queue_position,
    reason: row.reason,
    can_resubmit: (state === 'rejected' || state === 'expired') && row.is_back === 0,
    datetime_decided: isoOrNull(row.decided_at),
  }
}
