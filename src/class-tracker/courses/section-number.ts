import { sql } from 'drizzle-orm'
import { section } from '../../db/schema/index.ts'

/** The number by which people know a section; most systems also use it as the key. */
export const shownNumber = sql<string>`iif(${section.number} = '', ${section.sectionKey}, ${section.number})`
