import type { AdminField, AdminInline, AdminKey, AdminRow, AdminTable, AdminValue } from '../../web/admin-table.ts'
import { keyOf, rowsOf, sqlOf, type Tables } from '../table-parts.ts'

interface KnownInline {
  key: number
  values: AdminRow
  references: ReadonlyMap<string, string>
}

/** A row as it is. */
export interface KnownRow {
  key: AdminKey
  title: string
  values: AdminRow
  /** Titles of the rows its references name, by field. */
  references: ReadonlyMap<string, string>
  inlines: Readonly<Record<string, readonly KnownInline[]>>
}

export const mostInlines = 100

/** Statements of a row and its inlines, for {@link knownRow} in their order. */
export function rowStatements(db: D1Database, tables: Tables, table: AdminTable, key: AdminKey): D1PreparedStatement[] {
  const { column } = keyOf(table)
  const fields = table.fields.map((field) => `${sqlOf(field)} AS "f_${field.name}"`)
  const columns = [`t.${column} AS "key"`, `${table.title} AS "title"`, ...fields]
  const own = db
    .prepare(
      `SELECT p.* ${referenceTitles(tables, table.fields)}
       FROM (SELECT ${columns.join(', ')} FROM ${rowsOf(table)} t ${table.join ?? ''} WHERE t.${column} = ?) p`,
    )
    .bind(key)
  return [own, ...(table.inlines ?? []).map((inline) => inlineStatement(db, tables, inline, key))]
}

function inlineStatement(db: D1Database, tables: Tables, inline: AdminInline, key: AdminKey): D1PreparedStatement {
  const id = inline.key ?? 'id'
  const fields = inline.fields.map((field) => `${sqlOf(field)} AS "f_${field.name}"`)
  return db
    .prepare(
      `SELECT p.* ${referenceTitles(tables, inline.fields)}
       FROM (SELECT t.${id} AS "key", ${fields.join(', ')} FROM ${inline.table} t WHERE t.${inline.parent} = ?
             ORDER BY t.${id} LIMIT ${inline.maximum ?? mostInlines}) p`,
    )
    .bind(key)
}

/** `r_<field>`: the title of the row a reference names. The row is `p` here, because `t` is the other table's. */
function referenceTitles(tables: Tables, fields: readonly AdminField[]): string {
  const titles = fields.flatMap((field) => {
    const target = field.kind === 'reference' ? tables.get(field.to) : undefined
    if (!target) return []
    const same = `t.${keyOf(target).column} = p."f_${field.name}"`
    return [
      `, (SELECT ${target.title} FROM ${rowsOf(target)} t ${target.join ?? ''} WHERE ${same}) AS "r_${field.name}"`,
    ]
  })
  return titles.join('')
}

/** @returns null when there is no such row */
export function knownRow(table: AdminTable, lists: readonly (readonly AdminRow[])[]): KnownRow | null {
  const [rows, ...inlineRows] = lists
  const [row] = rows ?? []
  if (!row) return null
  const inlines = (table.inlines ?? []).map(
    (inline, index) =>
      [
        inline.name,
        (inlineRows[index] ?? []).map((one) => ({ key: Number(one['key']), ...readFields(inline.fields, one) })),
      ] as const,
  )
  return {
    key: row['key'] ?? '',
    title: String(row['title'] ?? ''),
    ...readFields(table.fields, row),
    inlines: Object.fromEntries(inlines),
  }
}

function readFields(fields: readonly AdminField[], row: AdminRow) {
  const values: Record<string, AdminValue> = {}
  const references = new Map<string, string>()
  for (const { name } of fields) {
    values[name] = row[`f_${name}`] ?? null
    const title = row[`r_${name}`]
    if (title !== undefined && title !== null) references.set(name, String(title))
  }
  return { values, references }
}

const isWritten = (field: AdminField): boolean => field.readOnly === undefined

/**
 * What a form may change of a row, as one text: two texts differ when somebody changed it between. Read-only fields are left
 * out, because health and counters move by themselves.
 */
export function stateText(table: AdminTable, known: KnownRow): string {
  const own = table.fields.filter(isWritten).map(({ name }) => known.values[name] ?? null)
  const inlines = (table.inlines ?? []).map((inline) =>
    (known.inlines[inline.name] ?? []).map(({ key, values }) => [
      key,
      ...inline.fields.filter(isWritten).map(({ name }) => values[name] ?? null),
    ]),
  )
  return JSON.stringify([own, inlines])
}

/** The {@link stateText} as SQL would find it now: a condition that it is still that. */
export function unchangedCondition(table: AdminTable, known: KnownRow): { sql: string; values: unknown[] } {
  const { column } = keyOf(table)
  const written = table.fields.filter(isWritten)
  const conditions = [
    {
      sql: `EXISTS (SELECT 1 FROM ${rowsOf(table)} t ${table.join ?? ''} WHERE t.${column} = ?${written
        .map((field) => ` AND ${sqlOf(field)} IS ?`)
        .join('')})`,
      values: [known.key, ...written.map(({ name }) => known.values[name] ?? null)],
    },
    ...(table.inlines ?? []).map((inline) => unchangedInline(inline, known)),
  ]
  return {
    sql: conditions.map(({ sql }) => sql).join(' AND '),
    values: conditions.flatMap(({ values }) => values),
  }
}

/** As many rows as there were, and each as it was: in one JSON argument, since a statement binds 100 values at most. */
function unchangedInline(inline: AdminInline, known: KnownRow): { sql: string; values: unknown[] } {
  const rows = known.inlines[inline.name] ?? []
  const id = inline.key ?? 'id'
  const written = inline.fields.filter(isWritten)
  const list = rows.map(({ key, values }) => [key, ...written.map(({ name }) => values[name] ?? null)])
  const same = written.map((field, index) => ` AND ${sqlOf(field)} IS (v.value ->> ${index + 1})`).join('')
  return {
    sql: `(SELECT count(*) FROM (SELECT 1 FROM ${inline.table} t WHERE t.${inline.parent} = ? LIMIT ${inline.maximum ?? mostInlines})) = ?
      AND (SELECT count(*) FROM json_each(?) v JOIN ${inline.table} t ON t.${id} = v.value ->> 0 AND t.${inline.parent} = ?${same}) = ?`,
    values: [known.key, rows.length, JSON.stringify(list), known.key, rows.length],
  }
}
