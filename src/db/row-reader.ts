import { Column, is, SQL } from 'drizzle-orm'
import { toSnakeCase } from 'drizzle-orm/casing'

export type Row = Record<string, unknown>

/** A selected column or expression, and the keys under which it is wanted. */
interface Selected {
  path: readonly string[]
  field: unknown
}

interface Place {
  /** What D1 calls it. */
  name: string
  key: string
  /** Null if the database's value needs no conversion. */
  decode: ((value: unknown) => unknown) | null
}

/** The name under which D1 returns a field; null for an expression without an alias. */
export function resultName(field: unknown): string | null {
  if (is(field, SQL.Aliased)) return field.fieldAlias
  return is(field, Column) ? toSnakeCase(field.name) : null
}

interface Reading {
  mapResult: (result: unknown, isFromBatch?: boolean) => unknown
}

/**
 * The same statement, which takes its rows as D1 returns them (`{ rows: Row[] }`) instead of as lists, and reads them by
 * the names of their values, in place if no name changes. Drizzle's own way looks up the field of every value in every
 * row, which takes a third of the time of a page with a thousand rows.
 */
export function readingByName<Prepared extends Reading>(prepared: Prepared, fields: readonly Selected[]): Prepared {
  if (fields.length === 0) return prepared
  const ofLists = prepared.mapResult.bind(prepared)
  const places = fields.flatMap(placeOf)
  const isNamed = places.length === fields.length
  const isSame = places.every(({ name, key }) => name === key)
  const decoded = places.filter(({ decode }) => decode !== null)
  const mapResult = ({ rows }: { rows: Row[] }): unknown => {
    const [first] = rows
    // Drizzle reads expressions without names, and incomplete rows, in the order of the fields.
    if (!isNamed || (first && !isAllOf(first, places)))
      return ofLists({ rows: rows.map((row) => Object.values(row)) }, true)
    if (!isSame) return rows.map((row) => renamed(row, places))
    for (const row of rows) {
      for (const { key, decode } of decoded) if (row[key] !== null) row[key] = decode?.(row[key])
    }
    return rows
  }
  return Object.assign(prepared, { mapResult })
}

function isAllOf(row: Row, places: readonly Place[]): boolean {
  return Object.keys(row).length === places.length && places.every(({ name }) => name in row)
}

function renamed(row: Row, places: readonly Place[]): Row {
  const made: Row = {}
  for (const { name, key, decode } of places) {
    const value = row[name]
    made[key] = value === null || decode === null ? value : decode(value)
  }
  return made
}

function placeOf({ path: [key, ...others], field }: Selected): Place[] {
  const name = resultName(field)
  if (name === null || key === undefined || others.length > 0) return []
  return [{ name, key, decode: decodeOf(field) }]
}

function decodeOf(field: unknown): Place['decode'] {
  const decoder: unknown = is(field, SQL.Aliased) ? Reflect.get(field.sql, 'decoder') : field
  const decode: unknown = Reflect.get(Object(decoder), 'mapFromDriverValue')
  if (typeof decode !== 'function' || decode === plainDecode || decode === Column.prototype.mapFromDriverValue)
    return null
  return (value) => Reflect.apply(decode, decoder, [value])
}

/** Drizzle's decoder for expressions without their own. */
const plainDecode: unknown = Reflect.get(Object(Reflect.get(new SQL([]), 'decoder')), 'mapFromDriverValue')
