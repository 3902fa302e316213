import { sql } from 'drizzle-orm'
import { section } from '../../db/schema/index.ts'

/** The number people know a section by: the school's own, which most systems also ask by. */
export const shownNumber = sql<string>`iif(${section.number} = '', ${section.sectionKey}, ${section.number})`
