import { section } from '../../db/schema/index.ts'

/** The columns of a {@link KnownSection}, and the group that it is read with. */
export const knownFields = {
  id: section.id,
  group_id: section.groupId,
  section_key: section.sectionKey,
  status: section.status,
  seats_available: section.seatsAvailable,
  capacity: section.capacity,
  waitlist_available: section.waitlistAvailable,
  version: section.version,
  new_watch_count: section.newWatchCount,
}
