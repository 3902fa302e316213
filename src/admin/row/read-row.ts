import { type SQL, sql } from 'drizzle-orm'
import { constant, listed, type Template, template } from '../../db/query.ts'
import type { AdminKey, AdminRow, AdminValue } from '../../web/admin-change.ts'
import { type Field, type Inline, keyOf, type Panel, rowsOf, type Table, type Tables } from '../table.ts'

interface KnownInline {
  key: number
  values: AdminRow
  references: ReadonlyMap<string, string>
}

export interface KnownRow {
  key: AdminKey
  title: string
  values: AdminRow
  /** Titles of the rows its references name, by field. */
  references: ReadonlyMap<string, string>
  inlines: Readonly<Record<string, readonly KnownInline[]>>
  /** The names of the actions that its page offers. */
  offered: ReadonlySet<string>
}

/** Statements of a row and its inlines, for {@link knownRow} in their order. */
export function rowStatements(tables: Tables, table: Table, key: AdminKey): Template<AdminRow>[] {
  const offers = Object.fromEntries(table.actions.map(({ name, isOffered }) => [`a_${name}`, isOffered]))
  const own = rowStatement(tables, table.fields, { key: keyOf(table), title: table.title, ...offers }, (columns) => {
    return sql`SELECT ${columns} FROM ${rowsOf(table)} ${table.join} WHERE ${keyOf(table)} = ${key}`
  })
  return [own, ...table.inlines.map((inline) => inlineRows(tables, inline, key))]
}

function inlineRows(tables: Tables, inline: Inline, key: AdminKey): Template<AdminRow> {
  return rowStatement(tables, inline.fields, { key: keyOf(inline) }, (columns) => {
    return sql`SELECT ${columns} FROM ${sql.identifier(inline.table)} WHERE ${parentOf(inline)} = ${key}
      ORDER BY ${keyOf(inline)} LIMIT ${constant(inline.maximum)}`
  })
}

const parentOf = ({ table, parent }: Inline): SQL => sql`${sql.identifier(table)}.${sql.identifier(parent)}`

/** `f_<field>`, and around them `r_<field>`: the title of the row a reference names. */
function rowStatement(
  tables: Tables,
  fields: readonly Field[],
  others: Readonly<Record<string, SQL>>,
  write: (columns: SQL) => SQL,
): Template<AdminRow> {
  const read: [string, SQL][] = [
    ...Object.entries(others),
    ...fields.map((field): [string, SQL] => [`f_${field.name}`, field.sql]),
  ]
  const columns = listed(Object.fromEntries(read))
  const titles = fields.flatMap((field): [string, SQL<AdminValue>][] => {
    const target = field.kind === 'reference' ? tables.get(field.to) : undefined
    if (!target) return []
    const same = sql`${keyOf(target)} = p.${sql.identifier(`f_${field.name}`)}`
    return [
      [
        `r_${field.name}`,
        sql<AdminValue>`(SELECT ${target.title} FROM ${rowsOf(target)} ${target.join} WHERE ${same})`,
      ],
    ]
  })
  const values = read.map(([name]): [string, SQL<AdminValue>] => [name, sql<AdminValue>`p.${sql.identifier(name)}`])
  return template(Object.fromEntries([...values, ...titles]), (list) => sql`SELECT ${list} FROM (${write(columns)}) p`)
}

export function panelStatement({ columns, rows }: Panel, key: AdminKey): Template<AdminRow> {
  const fields = columns.map((column): [string, SQL<AdminValue>] => [column.name, sql`${column.sql}`])
  return template(Object.fromEntries(fields), (list) => rows(list, key))
}

/** @returns null when there is no such row */
export function knownRow(table: Table, lists: readonly (readonly AdminRow[])[]): KnownRow | null {
  const [rows, ...inlineLists] = lists
  const [row] = rows ?? []
  if (!row) return null
  const inlines = table.inlines.map(
    (inline, index) =>
      [
        inline.name,
        (inlineLists[index] ?? []).map((one) => ({ key: Number(one['key']), ...readFields(inline.fields, one) })),
      ] as const,
  )
  return {
    key: row['key'] ?? '',
    title: String(row['title'] ?? ''),
    ...readFields(table.fields, row),
    inlines: Object.fromEntries(inlines),
    offered: new Set(table.actions.flatMap(({ name }) => (row[`a_${name}`] === 1 ? [name] : []))),
  }
}

function readFields(fields: readonly Field[], row: AdminRow) {
  const values: Record<string, AdminValue> = {}
  const references = new Map<string, string>()
  for (const { name } of fields) {
    values[name] = row[`f_${name}`] ?? null
    const title = row[`r_${name}`]
    if (title !== undefined && title !== null) references.set(name, String(title))
  }
  return { values, references }
}

/** Fields written only once are included: SQLite gives the key of a deleted row to the next one. */
const isWritten = ({ readOnly }: Field): boolean => readOnly === undefined || readOnly === 'after_adding'

/**
 * What people have written of a row, as one text: two texts differ if someone changed the row in between. Other fields
 * are left out, because health, counters and names from Discord move on their own.
 */
export function stateText(table: Table, known: KnownRow): string {
  const own = table.fields.filter(isWritten).map(({ name }) => known.values[name] ?? null)
  const inlines = table.inlines.map((inline) =>
    (known.inlines[inline.name] ?? []).map(({ key, values }) => [
      key,
      ...inline.fields.filter(isWritten).map(({ name }) => values[name] ?? null),
    ]),
  )
  return JSON.stringify([own, inlines])
}

/** A condition that the row's {@link stateText} is still the same. */
export function unchangedCondition(table: Table, known: KnownRow): SQL {
  const same = table.fields
    .filter(isWritten)
    .map((field) => sql` AND ${field.sql} IS ${known.values[field.name] ?? null}`)
  const own = sql`EXISTS (SELECT 1 FROM ${rowsOf(table)} ${table.join}
    WHERE ${keyOf(table)} = ${known.key}${sql.join(same)})`
  return sql.join([own, ...table.inlines.map((inline) => unchangedInline(inline, known))], sql` AND `)
}

/** There are as many rows as before, each unchanged. One JSON argument, as a statement binds at most 100 values. */
function unchangedInline(inline: Inline, known: KnownRow): SQL {
  const rows = known.inlines[inline.name] ?? []
  const name = sql.identifier(inline.table)
  const written = inline.fields.filter(isWritten)
  const list = rows.map(({ key, values }) => [key, ...written.map((field) => values[field.name] ?? null)])
  const same = written.map((field, index) => sql` AND ${field.sql} IS (v.value ->> ${constant(index + 1)})`)
  return sql`(SELECT count(*) FROM (SELECT 1 FROM ${name} WHERE ${parentOf(inline)} = ${known.key}
      LIMIT ${constant(inline.maximum)})) = ${rows.length}
    AND (SELECT count(*) FROM json_each(${JSON.stringify(list)}) v JOIN ${name}
      ON ${keyOf(inline)} = v.value ->> 0 AND ${parentOf(inline)} = ${known.key}${sql.join(same)}) = ${rows.length}`
}
