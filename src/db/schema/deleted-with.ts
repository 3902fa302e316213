import { type AnySQLiteColumn, integer } from 'drizzle-orm/sqlite-core'

/** The id of a parent row: deleting it deletes this one. */
export const deletedWith = (id: () => AnySQLiteColumn) => integer().notNull().references(id, { onDelete: 'cascade' })
