import { type SQL, sql } from 'drizzle-orm'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** The largest id of a deleted row, by table; written by triggers. */
export const deletedId = sqliteTable('deleted_id', {
  tableName: text().primaryKey(),
  id: integer().notNull(),
})

/** The tables whose ids are never given twice. */
type Numbered = 'invite' | 'discord_server' | 'server_report' | 'user' | 'discord_user'

/** An id for one new row that no row of the table has had. */
export const newId = (table: Numbered): SQL<number> =>
  sql<number>`(SELECT max(coalesce((SELECT max(id) FROM ${sql.identifier(table)}), 0),
    coalesce((SELECT ${deletedId.id} FROM ${deletedId} WHERE ${deletedId.tableName} = ${table}), 0)) + 1)`

/** The id of a table whose ids are never given twice: an old page or an audit entry never means another row. */
export const lastingId = (table: Numbered) =>
  integer()
    .primaryKey()
    .$default(() => newId(table))
