import { eq, type SQL, sql } from 'drizzle-orm'
import { type Database, prepared, query, readFirst } from './query.ts'
import { setting } from './schema/index.ts'

const findSetting = prepared(() =>
  query
    .select({ value: setting.value })
    .from(setting)
    .where(eq(setting.name, sql.placeholder('name'))),
)

/** The value of a setting as it was entered, within a statement; NULL if it is not set. */
export const settingValue = (name: string): SQL<string | null> =>
  sql`(SELECT ${setting.value} FROM ${setting} WHERE ${setting.name} = ${sql.raw(`'${name}'`)})`

/** The value of a setting as it was entered; null if it is not set. */
export async function readSetting(db: Database, name: string): Promise<string | null> {
  const found = await readFirst(db, findSetting({ name }))
  return found?.value ?? null
}
