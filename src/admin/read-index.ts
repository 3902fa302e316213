import { type Database, readTogether, write, writeThenRead } from '../db/query.ts'
import { type Entry, entryOf, recentEntries } from './audit/history.ts'
import { type Counts, countsOf, findCounts, isOld, renewCounts } from './read-counts.ts'
import type { Table } from './table.ts'

const ENTRIES_SHOWN = 15

export interface Index {
  counts: Counts
  recent: Entry[]
}

/**
 * One round trip. Counts that are too old are renewed for the next viewer, unless some table was never counted: the page
 * then waits for all outdated counts. @param later takes work that the answer does not wait for
 */
export async function readIndex(
  db: Database,
  tables: readonly Table[],
  now: number,
  later: (work: Promise<unknown>) => void,
): Promise<Index> {
  const [found, recent] = await readTogether(db, findCounts(), recentEntries(ENTRIES_SHOWN))
  const kept = countsOf(found)
  const isUncounted = tables.some(({ name }) => !kept.has(name))
  if (isUncounted) {
    const [counted] = await writeThenRead(db, [renewCounts(tables, now)], findCounts())
    return { counts: countsOf(counted), recent: recent.map(entryOf) }
  }
  if (isOld(kept, now)) later(write(db, renewCounts(tables, now)))
  return { counts: kept, recent: recent.map(entryOf) }
}
