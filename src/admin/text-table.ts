import { type SQL, sql } from 'drizzle-orm'
import type { AdminKey } from '../web/admin-change.ts'
import type { TextColumn, TextField, TextFilter, TextInline, TextTable } from '../web/admin-text-table.ts'
import type { Column, Field, Filter, Inline, Panel, Table } from './table.ts'

const none = sql``

/** A table that was declared in SQL as text, in which `t` is the row. */
export function tableOfText(declared: TextTable): Table {
  const text = sqlOn(declared.table)
  const { name, label, labels, area, table } = declared
  const { about, order, guard, refuse, save, remove, explain } = declared
  return {
    name,
    label,
    labels,
    area,
    table,
    ...(about !== undefined && { about }),
    ...(order !== undefined && { order }),
    ...(refuse && { refuse }),
    ...(save && { save }),
    ...(remove && { remove }),
    ...(explain && { explain }),
    ...(declared.rows !== undefined && { rows: sql.raw(declared.rows) }),
    key: declared.key?.column ?? 'id',
    keyKind: declared.key?.kind ?? 'integer',
    title: text(declared.title),
    join: text(declared.join ?? ''),
    columns: declared.columns.map((column) => columnOf(column, text)),
    ...(declared.search && {
      search: {
        label: declared.search.label,
        contains: declared.search.contains.map(text),
        begins: (declared.search.begins ?? []).map(text),
      },
    }),
    filters: (declared.filters ?? []).map((filter) => filterOf(filter, text)),
    fields: declared.fields.map((field) => fieldOf(field, text)),
    inlines: (declared.inlines ?? []).map(inlineOf),
    panels: (declared.panels ?? []).map(panelOf),
    related: declared.related ?? [],
    cascades: (declared.goesWith ?? []).map(({ label: what, from, key, title, fate = 'deleted' }) => ({
      label: what,
      fate,
      from: sql.raw(from),
      key: sql.raw(key),
      title: sql.raw(title),
    })),
    actions: (declared.actions ?? []).map(({ fields = [], ...action }) => ({
      ...action,
      fields: fields.map((field) => fieldOf(field, () => none)),
      ...('set' in action && { set: Object.entries(action.set).map(([column, value]) => ({ name: column, value })) }),
    })) as Table['actions'],
    ...(guard && {
      guard: {
        fields: guard.fields,
        ...(guard.isWhole !== undefined && { isWhole: guard.isWhole }),
        ...(guard.userField !== undefined && { userField: guard.userField }),
        ...(guard.users !== undefined && { users: bound(guard.users) }),
      },
    }),
    mayAdd: declared.mayAdd !== false,
    mayChange: declared.mayChange !== false,
    mayDelete: declared.mayDelete !== false,
    deleteLabel: declared.deleteLabel ?? 'Delete',
  }
}

type Text = (text: string) => SQL

const sqlOn =
  (table: string): Text =>
  (text) =>
    sql.raw(text.replaceAll(/\bt\./g, `${table}.`))

/** Text with `?1` in it. */
const bound = (text: string) => (value: AdminKey) =>
  sql.join(
    text.split('?1').map((part) => sql.raw(part)),
    sql`${value}`,
  )

function columnOf({ sql: written, sort, link, ...column }: TextColumn, text: Text): Column {
  return {
    ...column,
    kind: column.kind ?? 'text',
    sql: text(written ?? `t.${column.name}`),
    ...(sort !== undefined && { sort: text(sort) }),
    ...(link && { link: { table: link.table, key: text(link.key) } }),
  }
}

function filterOf(filter: TextFilter, text: Text): Filter {
  const shared = { sql: text(filter.sql ?? `t.${filter.name}`), isIndexed: filter.isIndexed ?? false }
  if (filter.kind !== 'choice') return { ...filter, ...shared }
  const choices = filter.choices.map(({ where, ...choice }) => ({
    ...choice,
    ...(where !== undefined && { where: text(where) }),
  }))
  return { ...filter, ...shared, choices }
}

function fieldOf(field: TextField, text: Text): Field {
  return {
    ...field,
    sql: text(field.sql ?? `t.${field.name}`),
    isRequired: field.isRequired ?? false,
    emptyIsNull: field.emptyIsNull ?? false,
  }
}

function inlineOf(inline: TextInline): Inline {
  return {
    ...inline,
    key: inline.key ?? 'id',
    fields: inline.fields.map((field) => fieldOf(field, sqlOn(inline.table))),
    maximum: inline.maximum ?? 100,
    mayAdd: inline.mayAdd !== false,
    mayDelete: inline.mayDelete !== false,
  }
}

function panelOf({ sql: text, columns, ...panel }: NonNullable<TextTable['panels']>[number]): Panel {
  return {
    ...panel,
    columns: columns.map((column) => ({
      ...column,
      kind: column.kind ?? 'text',
      sql: sql`${sql.identifier(column.name)}`,
    })),
    rows: (list, key) => sql`SELECT ${list} FROM (${bound(text)(key)})`,
  }
}
