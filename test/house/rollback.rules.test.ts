import { readdirSync, readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

/**
 * A rollback leaves the database as the newest version made it. What an older version relies on must still exist: its
 * tables and columns, rows that it can still write, and the unique keys that its upserts name.
 */

const root = fileURLToPath(new URL('../../', import.meta.url))
const files = readdirSync(`${root}migrations`)
  .filter((name) => name.endsWith('.sql'))
  .toSorted()
const instructions = readFileSync(`${root}.github/DEPLOYING.md`, 'utf8')

/** The oldest version that works with the newest database has this migration as its last, or one after it. */
const OLDEST = '0011'

interface Column {
  name: string
  type: string
  notnull: number
  dflt_value: string | null
}
interface Shape {
  tables: Map<string, Map<string, Column>>
  /** Unique indexes by what they cover: table, columns or expressions, condition. */
  uniques: Map<string, Set<string>>
}

function shapeOf(db: DatabaseSync): Shape {
  const all = <Row>(sql: string, ...values: string[]) => db.prepare(sql).all(...values) as Row[]
  const shape: Shape = { tables: new Map(), uniques: new Map() }
  for (const { name } of all<{ name: string }>(`SELECT name FROM sqlite_master WHERE type = 'table'`)) {
    const columns = all<Column>('SELECT name, type, "notnull", dflt_value FROM pragma_table_xinfo(?)', name)
    shape.tables.set(name, new Map(columns.map((column) => [column.name, column])))
    const indexes = all<{ name: string; sql: string | null }>(
      `SELECT l.name, m.sql FROM pragma_index_list(?) l LEFT JOIN sqlite_master m ON m.name = l.name WHERE l."unique"`,
      name,
    )
    const covered = indexes.map((index) => {
      const parts = all<{ name: string | null }>('SELECT name FROM pragma_index_info(?)', index.name)
      return index.sql === null ? parts.map((part) => part.name).join(', ') : index.sql.replace(/^.*? ON /s, '')
    })
    shape.uniques.set(name, new Set(covered))
  }
  return shape
}

/** The database after each migration, with the migration's number. */
function shapesByNumber(): [number: string, shape: Shape][] {
  const db = new DatabaseSync(':memory:')
  const shapes = files.map((name): [string, Shape] => {
    db.exec(readFileSync(`${root}migrations/${name}`, 'utf8'))
    return [name.slice(0, 4), shapeOf(db)]
  })
  db.close()
  return shapes
}

/** What an older version needs and the newer database lacks. */
function broken(older: Shape, newer: Shape): string[] {
  const faults: string[] = []
  for (const [table, columns] of older.tables) {
    const present = newer.tables.get(table)
    if (!present) {
      faults.push(`${table} is gone`)
      continue
    }
    for (const [name, column] of columns) {
      const kept = present.get(name)
      if (!kept) faults.push(`${table}.${name} is gone`)
      else if (kept.type !== column.type || kept.notnull > column.notnull) faults.push(`${table}.${name} is another`)
    }
    for (const [name, column] of present) {
      const isNeeded = !columns.has(name) && column.notnull === 1 && column.dflt_value === null
      if (isNeeded) faults.push(`${table}.${name} must be given`)
    }
    for (const unique of older.uniques.get(table) ?? [])
      if (!newer.uniques.get(table)?.has(unique)) faults.push(`${table} is no longer unique by ${unique}`)
    for (const unique of newer.uniques.get(table) ?? [])
      if (!older.uniques.get(table)?.has(unique)) faults.push(`${table} is now unique by ${unique}`)
  }
  return faults
}

describe('a rollback', () => {
  const shapes = shapesByNumber()
  const [, newest] = shapes.at(-1) ?? []
  if (!newest) throw new Error('There are no migrations.')

  test.each(shapes.filter(([number]) => number >= OLDEST))(
    'to the version with migration %s finds everything it needs',
    (_number, older) => {
      expect(broken(older, newest)).toEqual([])
    },
  )

  test('to an earlier version is ruled out by the instructions, for this reason', () => {
    const [, before] = shapes.findLast(([number]) => number < OLDEST) ?? []
    expect(before && broken(before, newest)).toContainEqual(
      expect.stringContaining('discord_user is no longer unique by'),
    )
    expect(instructions).toContain(`never to a version before migration ${OLDEST}`)
  })
})

test('the comparison detects what a rollback breaks', () => {
  const column = (name: string, more: Partial<Column> = {}): [string, Column] => [
    name,
    { name, type: 'text', notnull: 0, dflt_value: null, ...more },
  ]
  const shape = (columns: [string, Column][], uniques: string[] = []): Shape => ({
    tables: new Map([['t', new Map(columns)]]),
    uniques: new Map([['t', new Set(uniques)]]),
  })
  const old = shape([column('a')], ['t (a)'])
  expect(broken(old, old)).toEqual([])
  expect(broken(old, shape([column('a'), column('b')], ['t (a)']))).toEqual([])
  expect(broken(old, shape([column('a'), column('b', { notnull: 1, dflt_value: '0' })], ['t (a)']))).toEqual([])
  expect(broken(old, shape([column('a'), column('b', { notnull: 1 })], ['t (a)']))).toEqual(['t.b must be given'])
  expect(broken(old, shape([column('a', { notnull: 1 })], ['t (a)']))).toEqual(['t.a is another'])
  expect(broken(old, shape([column('b')], ['t (a)']))).toEqual(['t.a is gone'])
  expect(broken(old, shape([column('a')]))).toEqual(['t is no longer unique by t (a)'])
  expect(broken(old, shape([column('a')], ['t (a)', 't (b)']))).toEqual(['t is now unique by t (b)'])
  expect(broken(old, { tables: new Map(), uniques: new Map() })).toEqual(['t is gone'])
})
