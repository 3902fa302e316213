import { sql } from 'drizzle-orm'
import { section } from '../../db/schema/index.ts'
import { sources } from '../../sources/sources.ts'

/** The number by which people know a section; most systems also use it as the key. */
export const shownNumber = sql<string>`iif(${section.number} = '', ${section.sectionKey}, ${section.number})`

/** What this kind of system calls a section's number: "CRN". */
export function numberLabel(kind: string): string {
  return sources.get(kind)?.number_label ?? 'Number'
}
