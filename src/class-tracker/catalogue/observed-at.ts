/**
 * When a section's own status was last read and believed (ms since epoch; null for never), as SQL over `section s` and its
 * `section_group g`. A section that the last answers left out, or whose row could not be believed, keeps the time of the
 * last that could. A watched one is as fresh as its group; any other was last read when the whole group was.
 */
export const observedAt = `iif(s.status = 'unknown', NULL, coalesce(s.missing_since, s.unknown_since,
  iif(s.watch_count > s.new_watch_count, g.read_at, g.listed_at)))`

/** The status to show and to act on: unknown while the section is not observed. */
export const statusNow = `iif(s.missing_since IS NULL AND s.unknown_since IS NULL, s.status, 'unknown')`
