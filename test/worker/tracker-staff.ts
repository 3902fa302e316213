import type { TrackerActor } from '../../src/class-tracker/tracker-actor.ts'

/** A superuser, for operations that are called without a request. */
export const trackerStaff: TrackerActor = {
  role: 'superuser',
  audit: { userId: null, who: 'staff', ipAddress: null, country: null },
}
