import { type AnySQLiteColumn, integer } from 'drizzle-orm/sqlite-core'

/** The id of a row with which this one is deleted. */
export const deletedWith = (id: () => AnySQLiteColumn) => integer().notNull().references(id, { onDelete: 'cascade' })
