import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { deriveTables } from '../../src/admin/derive-table.ts'
import { tableOf } from '../../src/admin/table-parts.ts'
import type { AdminTable } from '../../src/web/admin-table.ts'

/** Example tables with everything a declaration can have: the machinery knows no particular table. */

const drawer = sqliteTable('drawer', { id: integer().primaryKey(), label: text().notNull() })

const specimen = sqliteTable(
  'specimen',
  {
    id: integer().primaryKey(),
    name: text().notNull(),
    notes: text().notNull().default(''),
    legs: integer(),
    state: text({ enum: ['alive', 'stuffed'] })
      .notNull()
      .default('alive'),
    isRare: integer({ mode: 'boolean' }).notNull().default(false),
    foundAt: integer(),
    extra: text(),
    drawerId: integer().references(() => drawer.id),
    secretHash: text(),
  },
  (table) => [uniqueIndex('specimen_name').on(sql`lower(${table.name})`)],
)

const part = sqliteTable(
  'part',
  {
    id: integer().primaryKey(),
    specimenId: integer()
      .notNull()
      .references(() => specimen.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    weight: integer(),
  },
  (table) => [index('part_specimen').on(table.specimenId)],
)

/** Creates the tables of the declarations. */
export async function makeExampleTables(): Promise<void> {
  await env.DB.batch(
    [
      'CREATE TABLE drawer (id integer PRIMARY KEY NOT NULL, label text NOT NULL)',
      `CREATE TABLE specimen (
         id integer PRIMARY KEY NOT NULL, name text NOT NULL, notes text NOT NULL DEFAULT '', legs integer, state text NOT NULL DEFAULT 'alive',
         is_rare integer NOT NULL DEFAULT 0, found_at integer, extra text, drawer_id integer REFERENCES drawer(id),
         secret_hash text, CHECK (legs IS NULL OR legs <> 13))`,
      'CREATE UNIQUE INDEX specimen_name ON specimen (lower(name))',
      `CREATE TABLE part (id integer PRIMARY KEY NOT NULL, specimen_id integer NOT NULL REFERENCES specimen(id) ON DELETE CASCADE,
         name text NOT NULL, weight integer, UNIQUE (specimen_id, name))`,
    ].map((statement) => env.DB.prepare(statement)),
  )
}

const drawersTable: AdminTable<typeof drawer> = {
  name: 'drawers',
  label: 'Drawer',
  table: drawer,
  title: drawer.label,
  columns: [{ column: drawer.label, label: 'Label' }],
  search: { label: 'Label', contains: [drawer.label] },
  fields: [{ column: drawer.label, label: 'Label' }],
}

const specimensTable: AdminTable<typeof specimen> = {
  name: 'specimens',
  label: 'Specimen',
  table: specimen,
  title: sql`${specimen.name} || coalesce(' in ' || ${drawer.label}, '')`,
  joins: [specimen.drawerId],
  columns: [
    { column: specimen.name, label: 'Name', isSortable: true },
    { name: 'drawer', column: drawer.label, label: 'Drawer', link: drawer },
  ],
  filters: [{ name: 'drawer', column: specimen.drawerId, label: 'Drawer' }],
  fields: [
    {
      column: specimen.name,
      label: 'Name',
      minimum: 2,
      maximum: 20,
      check: (value) => (value === 'Yeti' ? 'There is no such animal.' : null),
    },
    { column: specimen.notes, label: 'Notes', kind: 'long_text' },
    { column: specimen.legs, label: 'Legs', minimum: 0, maximum: 400 },
    {
      column: specimen.state,
      label: 'State',
      choices: [
        { value: 'alive', label: 'Alive' },
        { value: 'stuffed', label: 'Stuffed' },
      ],
    },
    { column: specimen.isRare, label: 'Rare' },
    { column: specimen.foundAt, label: 'Found' },
    { column: specimen.extra, label: 'Extra', kind: 'json' },
    { column: specimen.drawerId, label: 'Drawer' },
  ],
  inlines: [
    {
      name: 'parts',
      label: 'Part',
      table: part,
      fields: [
        { column: part.name, label: 'Name' },
        { column: part.weight, label: 'Weight' },
      ],
    },
  ],
  cascades: [{ label: 'parts', through: [part.specimenId], title: part.name }],
  actions: [{ name: 'stuff', set: { state: 'stuffed' } }],
  async refuse(_env, intent) {
    return 'remove' in intent && intent.remove.before['is_rare'] === 1 ? ['A rare specimen stays.'] : []
  },
}

export const museum = deriveTables([{ area: 'Museum', tables: [drawersTable, specimensTable] }])
export const drawers = tableOf(museum, 'drawers')
export const specimens = tableOf(museum, 'specimens')
