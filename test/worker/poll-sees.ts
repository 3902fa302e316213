import { env } from 'cloudflare:workers'
import { proposeChanges, type KnownSection } from '../../src/class-tracker/polling/openings.ts'
import { type Recorded, recordObservations } from '../../src/class-tracker/polling/record-observations.ts'
import type { Status } from '../../src/sources/source.ts'
import { type MadeGroup, readOf } from './catalog.ts'
import { rows } from './rows.ts'

/**
 * A poll at `at` (ms) that sees every watched section of the group with this status.
 * @param free its free seats, if it is open
 * @param forAnyone how many of these anyone may take, if they are fewer
 */
export async function pollSees(
  group: MadeGroup,
  at: number,
  status: Status,
  free = 1,
  forAnyone: number | null = null,
): Promise<Recorded> {
  const known = await rows<KnownSection>('SELECT * FROM section WHERE group_id = ? AND watch_count > 0', group.group_id)
  const seats = {
    status,
    seats_available: status === 'open' ? free : 0,
    seats_for_anyone: forAnyone,
    capacity: 30,
    waitlist_available: 0,
  }
  const read = readOf(group, at)
  return recordObservations(env.DB, {
    pollId: crypto.randomUUID(),
    now: at,
    proposals: proposeChanges(
      known,
      known.map((one) => ({ ...one, ...seats })),
      read,
    ),
    groups: [read],
  })
}
