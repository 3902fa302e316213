import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { section, sectionGroup } from '../../db/schema/index.ts'

/** Some columns of a table or of an alias of it. */
type Of<Table, Key extends keyof Table> = Readonly<Record<Key, SQLWrapper>>
/**
 * When a section's own status was last read and believed (ms since epoch; null for never), as SQL over `section s` and its
 * `section_group g`. A section that the last answers left out, or whose row could not be believed, keeps the time of the
 * last that could. A watched one is as fresh as its group; any other was last read when the whole group was.
 */
export const observedAt = `iif(s.status = 'unknown', NULL, coalesce(s.missing_since, s.unknown_since,
  iif(s.watch_count > s.new_watch_count, g.read_at, g.listed_at)))`

/** The status to show and to act on: unknown while the section is not observed. */
export const statusNow = `iif(s.missing_since IS NULL AND s.unknown_since IS NULL, s.status, 'unknown')`

type Observed = 'status' | 'missingSince' | 'unknownSince' | 'watchCount' | 'newWatchCount'

/** {@link observedAt} over the schema's columns. */
export const observedAtOf = (
  s: Of<typeof section, Observed>,
  g: Of<typeof sectionGroup, 'readAt' | 'listedAt'>,
): SQL<number | null> =>
  sql`iif(${s.status} = 'unknown', NULL, coalesce(${s.missingSince}, ${s.unknownSince},
    iif(${s.watchCount} > ${s.newWatchCount}, ${g.readAt}, ${g.listedAt})))`

/** {@link statusNow} over the schema's columns. */
export const statusNowOf = (
  s: Of<typeof section, 'status' | 'missingSince' | 'unknownSince'>,
): SQL<(typeof section.status)['_']['data']> =>
  sql`iif(${s.missingSince} IS NULL AND ${s.unknownSince} IS NULL, ${s.status}, 'unknown')`
