import { getTableColumns, getTableName, is, SQL, sql } from 'drizzle-orm'
import { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { AdminValue } from '../web/admin-change.ts'
import { entryOf, shownOnly } from '../web/admin-fields.ts'
import type {
  AdminAction,
  AdminArea,
  AdminCascade,
  AdminColumn,
  AdminEntry,
  AdminField,
  AdminFilter,
  AdminInline,
  AdminRelated,
  AdminSearch,
  AdminTable,
} from '../web/admin-table.ts'
import {
  columnName,
  defaultOf,
  expressionOf,
  hasIndex,
  hasPartialIndex,
  keyColumn,
  keyIn,
  kindOf,
  referenceOf,
  referencesOf,
} from './schema-facts.ts'
import type { Action, Cascade, Column, Field, Filter, Inline, Place, Related, Table, Tables } from './table.ts'
import { inSentence, inWords, labelsOf } from './table-parts.ts'

/** What the admin calls a table of the schema: its name in addresses, and what its rows are called. */
type Names = ReadonlyMap<string, Pick<Place, 'name' | 'labels'>>
type Placed = AdminTable & Pick<Place, 'area' | 'labels'>

/** Each table is derived when it is first asked for: all take about 15 ms, which start-up should not pay. */
export function deriveTables(areas: readonly AdminArea[]): Tables {
  const declared = areas.flatMap(({ area, tables }) =>
    tables.map((table): Placed => ({ ...table, area, labels: labelsOf(table) })),
  )
  const names: Names = new Map(declared.map((table) => [getTableName(table.table), table]))
  const byName = new Map(declared.map((table) => [table.name, table]))
  const derived = new Map<string, Table>()
  const get = (name: string): Table | undefined => {
    const known = derived.get(name)
    const table = byName.get(name)
    if (known || !table) return known
    const complete = deriveTable(table, names)
    derived.set(name, complete)
    return complete
  }
  return {
    places: declared.map(({ name, labels, area }) => ({ name, labels, area })),
    get,
    values: () => [...byName.keys()].flatMap((name) => get(name) ?? []),
  }
}

function deriveTable(declared: Placed, names: Names): Table {
  const { table, title, joins = [], search, guard, ...same } = declared
  const key = keyColumn(table)
  const { mayAdd = true, mayChange = true, mayDelete = true, deleteLabel = 'Delete' } = declared
  // The fields of a table that has no form are only shown.
  const listed = mayAdd || mayChange ? declared.fields : shownOnly(declared.fields)
  const fields = unique(listed.map((field) => fieldOf(field, table, names)))
  return {
    ...same,
    table: getTableName(table),
    key: key.name,
    keyKind: key.kind,
    title: expressionOf(title),
    join: sql.join(joins.map((join) => (is(join, SQL) ? sql` ${join}` : joined('LEFT JOIN', join)))),
    columns: unique(declared.columns.map((column) => columnOf(column, table, names, fields))),
    ...(search && { search: searchOf(search, declared) }),
    filters: unique((declared.filters ?? []).map((filter) => filterOf(filter, declared, names, fields))),
    fields,
    inlines: (declared.inlines ?? []).map((inline) => inlineOf(inline, table, names)),
    panels: (declared.panels ?? []).map((panel) => ({
      ...panel,
      columns: unique(panel.columns.map((column) => columnOf(column, null, names))),
    })),
    related: (declared.related ?? []).map((related) => relatedOf(related, names)),
    cascades: (declared.cascades ?? []).map((cascade) => cascadeOf(cascade, table, names)),
    actions: (declared.actions ?? []).map((action) => actionOf(action, table, names)),
    ...(guard && { guard }),
    mayAdd,
    mayChange,
    mayDelete,
    deleteLabel,
  }
}

function unique<One extends { name: string }>(list: readonly One[]): readonly One[] {
  const twice = list.find(({ name }, index) => list.findIndex((one) => one.name === name) !== index)
  if (twice) throw new Error(`Two entries have the name ${twice.name}.`)
  return list
}

/** `LEFT JOIN school ON school.id = subject.school_id`, for the foreign key of a table that is already joined. */
function joined(how: 'JOIN' | 'LEFT JOIN', column: SQLiteColumn): SQL {
  const { to } = referred(column)
  return sql` ${sql.raw(how)} ${to} ON ${keyIn(to)} = ${column}`
}

/** @throws if the column is not a foreign key */
function referred(column: SQLiteColumn) {
  const reference = referenceOf(column)
  if (!reference) throw new Error(`${getTableName(column.table)}.${columnName(column)} is not a foreign key.`)
  return reference
}

function named(names: Names, table: SQLiteTable): Pick<Place, 'name' | 'labels'> {
  const found = names.get(getTableName(table))
  if (!found) throw new Error(`${getTableName(table)} has no table in the admin.`)
  return found
}

const nameOf = (names: Names, table: SQLiteTable): string => named(names, table).name

function relatedOf(declared: AdminRelated | SQLiteColumn, names: Names): Related {
  const { table, filter, label }: AdminRelated =
    declared instanceof SQLiteColumn ? { table: declared.table, filter: columnName(declared) } : declared
  const { name, labels } = named(names, table)
  return { label: label ?? labels, table: name, filter }
}

/** The expression reads the column of the row, or what a SELECT gives under the name. `choices`: those of the field. */
function sourceOf(
  { column, sql: written, name = column && columnName(column), label }: AdminEntry,
  table: SQLiteTable | null,
  fields: readonly Field[] = [],
) {
  if (name === undefined) throw new Error('An entry has neither a column nor a name.')
  const own = sql.identifier(name)
  const field = fields.find((one) => one.name === name)
  return {
    choices: field?.kind === 'choice' ? field.choices : undefined,
    source: {
      name,
      label: label ?? field?.label ?? inWords(name),
      sql: written ?? (column ? sql`${column}` : table ? sql`${table}.${own}` : sql`${own}`),
    },
  }
}

function columnOf(
  entry: AdminColumn | SQLiteColumn,
  table: SQLiteTable | null,
  names: Names,
  fields?: readonly Field[],
): Column {
  const declared: AdminColumn = entryOf(entry)
  const { column, sql: _sql, isSortable, link, ...same } = declared
  const { source, choices: known } = sourceOf(declared, table, fields)
  const choices = declared.choices ?? known
  const kind = column && kindOf(column)
  return {
    ...same,
    ...source,
    ...(choices && { choices }),
    kind: declared.kind ?? (choices ? 'choice' : kind === 'integer' ? 'number' : (kind ?? 'text')),
    ...(table && isSortable && { sort: sortOf(source.sql, table) }),
    ...(table && isSortable !== false && isWhenAdded(column, table) && { sort: keyIn(table) }),
    ...(link && {
      link: is(link, SQLiteTable)
        ? { table: nameOf(names, link), key: keyIn(link) }
        : { table: nameOf(names, link.to), key: expressionOf(link.key) },
    }),
  }
}

/** Whether the column is when the row was added: keys are given in that order. */
const isWhenAdded = (column: SQLiteColumn | undefined, table: SQLiteTable): boolean =>
  column?.table === table && columnName(column) === 'created_at' && keyColumn(table).kind === 'integer'

/** The expression that an index is ordered by: the column itself or its lower case. */
function sortOf(expression: SQL, table: SQLiteTable): SQL {
  const lower = sql`lower(${expression})`
  if (hasIndex(table, lower)) return lower
  if (hasIndex(table, expression)) return expression
  throw new Error(`No index of ${getTableName(table)} begins with the sorted column.`)
}

type Joining = Pick<AdminTable, 'table' | 'joins'>

/** A column before the joins: one of a joined table is looked up by the foreign key that leads there. */
function beforeJoins(column: SQLiteColumn, { table, joins = [] }: Joining): SQL {
  const other: SQLiteTable = column.table
  if (other === table) return sql`${column}`
  const key = joins.find((join) => is(join, SQLiteColumn) && join.table === table && referred(join).to === other)
  if (!key) throw new Error(`No foreign key of ${getTableName(table)} leads to ${getTableName(other)}.`)
  return sql`(SELECT ${column} FROM ${other} WHERE ${keyIn(other)} = ${key})`
}

function searchOf({ label, contains, begins = [] }: AdminSearch, declared: Joining): Table['search'] & object {
  const { table } = declared
  const lower = contains.flatMap((one) => (is(one, SQLiteColumn) && one.table === table ? [sql`lower(${one})`] : []))
  return {
    label,
    contains: contains.map((one) => (is(one, SQL) ? one : beforeJoins(one, declared))),
    begins: [...lower.filter((one) => hasIndex(table, one)), ...begins.map(expressionOf)],
  }
}

function filterOf(entry: AdminFilter | SQLiteColumn, joining: Joining, names: Names, fields: readonly Field[]): Filter {
  const { table } = joining
  const written: AdminFilter = entryOf(entry)
  const { column } = written
  const declared = column && !written.sql ? { ...written, sql: beforeJoins(column, joining) } : written
  const { source, choices: known } = sourceOf(declared, table, fields)
  const choices: AdminFilter['choices'] = declared.choices ?? known
  const to = declared.to ?? (column && !choices && referenceOf(column)?.to)
  const kind = declared.kind ?? (choices ? 'choice' : to ? 'reference' : column && kindOf(column))
  const isFound = choices?.some(({ where }) => where)
    ? choices.every(({ where }) => where && hasPartialIndex(table, where))
    : hasIndex(table, source.sql)
  const shape = { ...source, isIndexed: declared.isIndexed ?? (isFound && kind !== 'moment') }
  if (kind === 'choice') return { ...shape, kind, choices: choices ?? [] }
  if (kind === 'reference' && to) return { ...shape, kind, to: nameOf(names, to) }
  if (kind === 'boolean' || kind === 'moment') return { ...shape, kind }
  throw new Error(`${source.name} of ${getTableName(table)} cannot be a filter.`)
}

function fieldOf(entry: AdminField | SQLiteColumn, table: SQLiteTable | null, names: Names): Field {
  const declared: AdminField = entryOf(entry)
  const { column, sql: _sql, to: _to, kind: _kind, choices, initial = initialOf(declared), ...same } = declared
  const to = declared.to ?? (column && !choices && referenceOf(column)?.to)
  const kind = declared.kind ?? (choices ? 'choice' : to ? 'reference' : column ? kindOf(column) : 'text')
  const isText = kind === 'text' || kind === 'long_text'
  const isNeeded = column?.notNull === true && kind !== 'boolean' && !(isText && column.hasDefault)
  const shape = {
    ...same,
    ...sourceOf(declared, table).source,
    isRequired: declared.isRequired ?? (isNeeded && declared.readOnly !== 'always'),
    emptyIsNull: isText && column?.notNull === false,
    ...(initial !== undefined && { initial }),
  }
  if (kind === 'choice') return { ...shape, kind, choices: choices ?? [] }
  if (kind !== 'reference') return { ...shape, kind }
  if (!to) throw new Error(`The reference ${shape.name} names no table.`)
  return { ...shape, kind, to: nameOf(names, to) }
}

function initialOf({ column, readOnly }: AdminField): AdminValue | undefined {
  return column && readOnly !== 'always' ? defaultOf(column) : undefined
}

function inlineOf(declared: AdminInline, parent: SQLiteTable, names: Names): Inline {
  const { table, fields, ...same } = declared
  const reference = referencesOf(table).find(({ to }) => to === parent)
  if (!reference) throw new Error(`${getTableName(table)} does not refer to ${getTableName(parent)}.`)
  return {
    ...same,
    labels: labelsOf(declared),
    table: getTableName(table),
    key: keyColumn(table).name,
    parent: columnName(reference.column),
    fields: unique(fields.map((field) => fieldOf(field, table, names))),
    maximum: declared.maximum ?? 100,
    mayAdd: declared.mayAdd ?? true,
    mayDelete: declared.mayDelete ?? true,
  }
}

function cascadeOf(declared: AdminCascade, table: SQLiteTable, names: Names): Cascade {
  const title = expressionOf(declared.title)
  if ('from' in declared) {
    const { label, from, key, effect = 'deleted' } = declared
    return { label, effect, from, key: expressionOf(key), title }
  }
  const { through, where, joins = [] } = declared
  const references = through.map(referred)
  references.forEach(({ column, to }, index) => {
    const expected = references[index - 1]?.column.table ?? table
    if (to !== expected) throw new Error(`${columnName(column)} does not refer to ${getTableName(expected)}.`)
  })
  const [first, ...others] = references
  const last = references.at(-1)
  if (!first || !last) throw new Error('A cascade has no foreign keys.')
  const further = others.map(({ column, to }) => sql` CROSS JOIN ${column.table} ON ${column} = ${keyIn(to)}`)
  const effect = declared.effect ?? (references.every(({ onDelete }) => onDelete === 'cascade') ? 'deleted' : undefined)
  const label = declared.label ?? names.get(getTableName(last.column.table))?.labels
  if (effect === undefined || label === undefined)
    throw new Error(`The cascade through ${columnName(last.column)} needs a label and an effect.`)
  return {
    label: declared.label ?? inSentence(label),
    effect,
    from: sql`${first.column.table}${sql.join([...further, ...joins.map((join) => joined('JOIN', join))])}`,
    ...(where && { where }),
    key: sql`${first.column}`,
    title,
  }
}

function actionOf(declared: AdminAction, table: SQLiteTable, names: Names): Action {
  const { only = sql`true`, label = inWords(declared.name), ...same } = declared
  const fields = (declared.fields ?? []).map((field) => fieldOf(field, null, names))
  if (!('set' in same)) return { ...same, label, fields, isOffered: only }
  const columns = getTableColumns(table)
  const values: Readonly<Record<string, AdminValue | boolean>> = same.set
  const set: { name: string; value: AdminValue }[] = []
  const changes: SQL[] = []
  for (const [name, given] of Object.entries(values)) {
    const column = columns[name]
    if (!column) throw new Error(`${getTableName(table)} has no ${name}.`)
    const value = typeof given === 'boolean' ? Number(given) : given
    set.push({ name: columnName(column), value })
    changes.push(sql`${column} IS NOT ${value}`)
  }
  return { ...same, label, set, fields, isOffered: sql`(${only}) AND (${sql.join(changes, sql` OR `)})` }
}
