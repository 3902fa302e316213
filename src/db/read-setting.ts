import { eq, type SQL, sql } from 'drizzle-orm'
import { constant, type Database, parameter, prepared, query, readFirst } from './query.ts'
import { setting } from './schema/index.ts'

const findSetting = prepared(() =>
  query
    .select({ value: setting.value })
    .from(setting)
    .where(eq(setting.name, parameter('name'))),
)

/** The value of a setting as it was entered, within a statement; NULL if it is not set. */
export const settingValue = (name: string): SQL<string | null> =>
  sql`(SELECT ${setting.value} FROM ${setting} WHERE ${setting.name} = ${sql.raw(`'${name}'`)})`

/** A setting that is a whole number. */
export interface KnownSetting {
  setting: string
  initial: number
  minimum: number
  maximum: number
}

/** The value of a number setting within a statement. A value outside its range is ignored. */
export function settingNumber({ setting: name, initial, minimum, maximum }: KnownSetting): SQL<number> {
  const value = sql`CAST(${setting.value} AS INTEGER)`
  return sql<number>`coalesce((SELECT ${value} FROM ${setting}
    WHERE ${setting.name} = ${sql.raw(`'${name}'`)} AND ${value} BETWEEN ${sql.raw(`${minimum} AND ${maximum}`)}),
    ${constant(initial)})`
}

/** A setting in seconds, or in units of `unitMs`, as ms within a statement. */
export const settingMs = (known: KnownSetting, unitMs = 1000): SQL =>
  sql`(${constant(unitMs)} * ${settingNumber(known)})`

/** The value of a setting as it was entered; null if it is not set. */
export async function readSetting(db: Database, name: string): Promise<string | null> {
  const found = await readFirst(db, findSetting({ name }))
  return found?.value ?? null
}
