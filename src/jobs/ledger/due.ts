import { first, type Turn } from './sql.ts'
import { count } from './tally.ts'

/** The most jobs that become due in one turn; the alarm returns at once for the rest. */
const MAX_DUE = 1000

export function queueDue(turn: Turn): void {
  const { sql, now } = turn
  const moved = sql.rows<{ id: string }>(
    `UPDATE job SET state = 'queued', queued_at = ?, rung_at = NULL
     WHERE seq IN (SELECT seq FROM job WHERE state = 'scheduled' AND due_at <= ? ORDER BY due_at LIMIT ?) RETURNING id`,
    now,
    now,
    MAX_DUE,
  )
  for (const { id } of moved) turn.touched.add(id)
  if (moved.length > 0) joinHeld(turn)
}

/** Ends queued jobs with `skip` whose exclusive name is held by a running job that also has `skip`. */
export function joinHeld(turn: Turn): void {
  const { sql, now } = turn
  const joined = sql.rows<{ id: string }>(
    `UPDATE job SET state = 'finished', ended_at = ?, rung_at = NULL, error = NULL, result = json_object('joined', json('true'), 'job',
       (SELECT holder.id FROM job AS holder WHERE holder.state = 'started' AND holder.exclusive_name = job.exclusive_name))
     WHERE state = 'queued' AND when_held = 'skip' AND exclusive_name IN
       (SELECT exclusive_name FROM job WHERE state = 'started' AND exclusive_name IS NOT NULL AND when_held = 'skip') RETURNING id`,
    now,
  )
  for (const { id } of joined) turn.touched.add(id)
  count(turn, 'finished', joined.length)
}

/** Whether a job with this exclusive name is running. */
export function isHeld({ sql }: Turn, name: string | null): boolean {
  return name !== null && first(sql, `SELECT id FROM job WHERE state = 'started' AND exclusive_name = ?`, name) !== null
}
