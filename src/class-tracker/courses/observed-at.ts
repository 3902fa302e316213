import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { constant } from '../../db/query.ts'
import { type section, sectionGroup } from '../../db/schema/index.ts'
import { MINUTE_MS } from '../../lib/time.ts'

/** Some columns of a table or of an alias of it. */
type Of<Table, Key extends keyof Table> = Readonly<Record<Key, SQLWrapper>>

type Observed = 'status' | 'missingSince' | 'unknownSince' | 'watchCount' | 'newWatchCount' | 'watchedReadAt'

/**
 * When a section's status was last read and believed (ms since epoch; null for never). If recent answers left out the
 * section, or its row could not be believed, this is the time of its last believed read. Otherwise a watched section
 * was read when its group was, and any other when the whole group was last read or by the last poll before its watches
 * ended, whichever is later.
 */
export const observedAtOf = (
  s: Of<typeof section, Observed>,
  g: Of<typeof sectionGroup, 'readAt' | 'listedAt'>,
): SQL<number | null> =>
  sql`iif(${s.status} = 'unknown', NULL, coalesce(${s.missingSince}, ${s.unknownSince},
    iif(${s.watchCount} > ${s.newWatchCount}, ${g.readAt},
      max(coalesce(${g.listedAt}, ${s.watchedReadAt}), coalesce(${s.watchedReadAt}, ${g.listedAt})))))`

const own = alias(sectionGroup, 'own_group')

/** When a section was last observed, or added if it never was. */
export const lastObservedOf = (s: Of<typeof section, Observed | 'groupId' | 'createdAt'>): SQL<number> =>
  sql`coalesce((SELECT ${observedAtOf(s, own)} FROM ${sectionGroup} ${own} WHERE ${own.id} = ${s.groupId}), ${s.createdAt})`

/** The status to show and to act on: unknown while the section is not observed. */
export const statusNowOf = (
  s: Of<typeof section, 'status' | 'missingSince' | 'unknownSince'>,
): SQL<(typeof section.status)['_']['data']> =>
  sql`iif(${s.missingSince} IS NULL AND ${s.unknownSince} IS NULL, ${s.status}, 'unknown')`

/** An older read (ms) is not shown as current: the section may no longer be watched, or its school may not answer. */
const MAX_AGE_OF_NOW_MS = 10 * MINUTE_MS

/** Whether a read at this time is still current. @param observedAt ms since epoch, null for never */
export const isCurrent = (observedAt: number | null, now: number): boolean =>
  observedAt !== null && now - observedAt <= MAX_AGE_OF_NOW_MS

/** {@link isCurrent} in a statement; NULL for never. @param now the current time, ms since epoch */
export const isCurrentOf = (observedAt: SQLWrapper, now: SQLWrapper): SQL<boolean> =>
  sql`${observedAt} >= ${now} - ${constant(MAX_AGE_OF_NOW_MS)}`
