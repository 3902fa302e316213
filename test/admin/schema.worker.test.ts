import { getTableName, is, sql, Table } from 'drizzle-orm'
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { describe, expect, test } from 'vitest'
import { deriveTables } from '../../src/admin/derive-table.ts'
import { columnName, defaultOf, kindOf, referenceOf } from '../../src/admin/schema-facts.ts'
import { inWords } from '../../src/admin/table-parts.ts'
import { adminTables, declaredTables } from '../../src/admin/tables.ts'
import * as schema from '../../src/db/schema/index.ts'
import { entryOf } from '../../src/web/admin-fields.ts'
import type { AdminColumn, AdminField, AdminFilter, AdminTable } from '../../src/web/admin-table.ts'

/** Declarations must not contradict the schema, nor repeat it. */

const { recipient, contact, section, school, watch } = schema
const schemaTables: SQLiteTable[] = Object.values(schema).filter((value) => is(value, Table))
const named = declaredTables.map((table) => [table.name, table] as const)

const fieldsOf = ({ fields, inlines = [], actions = [] }: AdminTable): AdminField[] =>
  [...fields, ...inlines.flatMap((inline) => inline.fields), ...actions.flatMap((action) => action.fields ?? [])].map(
    (field) => entryOf(field),
  )
const filtersOf = ({ filters = [] }: AdminTable): AdminFilter[] => filters.map((filter) => entryOf(filter))
const columnsOf = ({ columns }: AdminTable): AdminColumn[] => columns.map((column) => entryOf(column))
const panelColumnsOf = ({ panels = [] }: AdminTable): AdminColumn[] =>
  panels.flatMap(({ columns }) => columns).map((column) => entryOf(column))
const nameOf = ({ name, column }: Pick<AdminField, 'name' | 'column'>) => name ?? (column ? columnName(column) : '')

test('every table can be derived', () => {
  expect(adminTables.values().map(({ name }) => name)).toEqual([...named.map(([name]) => name), 'audit'])
})

describe.each(named)('%s', (_, table) => {
  test('declares exactly the choices that the schema knows', () => {
    const entries = [...columnsOf(table), ...panelColumnsOf(table), ...filtersOf(table), ...fieldsOf(table)]
    for (const { column, sql: written, choices } of entries) {
      const known = column?.enumValues
      if (!known || !choices || written) continue
      for (const { value } of choices) expect(known, `${table.name}.${column.name}`).toContain(value)
    }
    for (const { column, choices, readOnly } of fieldsOf(table)) {
      const known = column?.enumValues
      if (!known || readOnly === 'always') continue
      expect(choices?.map(({ value }) => value).toSorted(), `${table.name}.${column.name}`).toEqual(known.toSorted())
    }
  })

  test('repeats nothing from the schema', () => {
    for (const { column, kind, to, initial, isRequired, readOnly } of fieldsOf(table)) {
      if (!column) continue
      const where = `${table.name}.${column.name}`
      expect(kind, where).not.toBe(referenceOf(column) ? 'reference' : kindOf(column))
      if (to) expect(to, where).not.toBe(referenceOf(column)?.to)
      if (initial !== undefined) expect(initial, where).not.toBe(defaultOf(column))
      if (isRequired === true) expect(column.notNull && !column.hasDefault, where).toBe(false)
      if (isRequired === false) expect(column.notNull || readOnly === 'always', where).toBe(true)
    }
    for (const { column, kind, to } of filtersOf(table)) {
      if (!column) continue
      expect(kind, `${table.name}.${column.name}`).not.toBe(kindOf(column))
      if (to) expect(to, `${table.name}.${column.name}`).not.toBe(referenceOf(column)?.to)
    }
  })

  test('gives each label and each list of choices once', () => {
    const own = new Map(table.fields.map((field) => entryOf(field)).map((field: AdminField) => [nameOf(field), field]))
    for (const entry of [...fieldsOf(table), ...panelColumnsOf(table)]) {
      expect(entry.label, nameOf(entry)).not.toBe(inWords(nameOf(entry)))
    }
    for (const { label, labels } of [table, ...(table.inlines ?? [])]) expect(labels).not.toBe(`${label}s`)
    for (const { name, label } of table.actions ?? []) expect(label).not.toBe(inWords(name))
    for (const { label, choices, ...entry } of [...columnsOf(table), ...filtersOf(table)]) {
      const name = nameOf(entry)
      expect(label, name).not.toBe(own.get(name)?.label ?? inWords(name))
      if (choices) expect(choices, name).not.toBe(own.get(name)?.choices)
    }
  })
})

/** Foreign keys that the delete page does not mention. */
const unsaid = [
  'instructor.schoolId',
  'invite.schoolId',
  'invite.subjectId',
  // Listed as decisions on invites.
  'invite.decidedBy',
  // A used referral cannot be deleted.
  'redemption.referralId',
]

test('a delete page says what happens to every row that refers to it', () => {
  const byTable = new Map(declaredTables.map((table) => [getTableName(table.table), table]))
  const missing = schemaTables.flatMap((child) =>
    getTableConfig(child).foreignKeys.flatMap((key) => {
      const { columns, foreignTable } = key.reference()
      const [column] = columns
      const parent = byTable.get(getTableName(foreignTable))
      const isChanged = key.onDelete === 'cascade' || key.onDelete === 'set null'
      if (!column || !isChanged || !parent || parent.mayDelete === false || !byTable.has(getTableName(child))) return []
      const isSaid = parent.cascades?.some((cascade) => 'through' in cascade && cascade.through[0] === column)
      return isSaid ? [] : [`${getTableName(child)}.${column.name}`]
    }),
  )
  expect(missing.toSorted()).toEqual(unsaid.toSorted())
})

test('the list and its filters take labels and choices from the field with the same name, others from their name', () => {
  const [table] = deriveTables([
    {
      area: 'Here',
      tables: [
        {
          name: 'contacts',
          label: 'Contact',
          table: contact,
          title: contact.address,
          columns: [contact.kind, contact.optedOutAt, contact.createdAt, { column: contact.isEnabled, label: 'On' }],
          filters: [contact.kind, contact.isEnabled],
          fields: [
            { column: contact.kind, label: 'Channel', choices: [{ value: 'phone', label: 'Phone' }] },
            { column: contact.optedOutAt, label: 'Refused' },
            contact.isEnabled,
          ],
        } satisfies AdminTable<typeof contact>,
      ],
    },
  ]).values()
  expect(table?.columns.map(({ label }) => label)).toEqual(['Channel', 'Refused', 'Created', 'On'])
  expect(table?.columns[0]).toMatchObject({ kind: 'choice', choices: [{ value: 'phone' }] })
  expect(table?.filters).toMatchObject([
    { label: 'Channel', kind: 'choice' },
    { label: 'Enabled', kind: 'boolean' },
  ])
})

describe('a contradiction is an error', () => {
  const right: AdminTable<typeof recipient> = {
    name: 'recipients',
    label: 'Recipient',
    table: recipient,
    title: recipient.name,
    columns: [{ column: recipient.name, label: 'Name' }],
    fields: [{ column: recipient.name, label: 'Name' }],
  }
  const derive = (wrong: Partial<AdminTable<typeof recipient>>) =>
    deriveTables([{ area: 'Here', tables: [{ ...right, ...wrong }] }]).values()

  test.each<[string, Partial<AdminTable<typeof recipient>>]>([
    ['name is not a foreign key', { joins: [recipient.name] }],
    [
      'No index of recipient begins with the sorted column',
      { columns: [{ column: recipient.description, label: '', isSortable: true }] },
    ],
    ['Two entries have the name name', { fields: [...right.fields, ...right.fields] }],
    ['school has no table in the admin', { columns: [{ column: recipient.name, label: '', link: school }] }],
    [
      'section_id does not refer to recipient',
      { cascades: [{ label: '', through: [watch.sectionId], title: section.topic }] },
    ],
    [
      'contact_id needs a label and an effect',
      { cascades: [{ label: 'messages', through: [contact.recipientId, schema.delivery.contactId], title: sql`''` }] },
    ],
    ['section does not refer to recipient', { inlines: [{ name: '', label: '', table: section, fields: [] }] }],
    ['name of recipient cannot be a filter', { filters: [{ column: recipient.name, label: '' }] }],
  ])('%s', (message, wrong) => {
    expect(() => derive(wrong)).toThrow(message)
  })

  test('a missing column is an error', () => {
    // @ts-expect-error no such column
    expect(() => derive({ actions: [{ name: 'rename', label: '', set: { nickname: 'x' } }] })).toThrow(
      'has no nickname',
    )
    expect(derive({})).toHaveLength(1)
  })
})
