import { env } from 'cloudflare:workers'
import { tableOfText } from '../../src/admin/text-table.ts'

/** Tables of nobody's, with everything a declaration can have: the machinery knows no table. */

/** Makes the SQL tables behind the declarations. */
export async function makeSpecimenTables(): Promise<void> {
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
    ].map((sql) => env.DB.prepare(sql)),
  )
}

export const drawers = tableOfText({
  name: 'drawers',
  label: 'Drawer',
  labels: 'Drawers',
  area: 'Museum',
  table: 'drawer',
  title: 't.label',
  columns: [{ name: 'label', label: 'Label' }],
  search: { label: 'Label', contains: ['t.label'] },
  fields: [{ name: 'label', label: 'Label', kind: 'text', isRequired: true }],
})

export const specimens = tableOfText({
  name: 'specimens',
  label: 'Specimen',
  labels: 'Specimens',
  area: 'Museum',
  table: 'specimen',
  title: "t.name || coalesce(' in ' || d.label, '')",
  join: 'LEFT JOIN drawer d ON d.id = t.drawer_id',
  columns: [
    { name: 'name', label: 'Name', sort: 'lower(t.name)' },
    { name: 'drawer', label: 'Drawer', sql: 'd.label', link: { table: 'drawers', key: 't.drawer_id' } },
  ],
  filters: [{ name: 'drawer', label: 'Drawer', kind: 'reference', sql: 't.drawer_id', to: 'drawers' }],
  fields: [
    {
      name: 'name',
      label: 'Name',
      kind: 'text',
      isRequired: true,
      minimum: 2,
      maximum: 20,
      check: (value) => (value === 'Yeti' ? 'There is no such animal.' : null),
    },
    { name: 'notes', label: 'Notes', kind: 'long_text' },
    { name: 'legs', label: 'Legs', kind: 'integer', minimum: 0, maximum: 400 },
    {
      name: 'state',
      label: 'State',
      kind: 'choice',
      isRequired: true,
      initial: 'alive',
      choices: [
        { value: 'alive', label: 'Alive' },
        { value: 'stuffed', label: 'Stuffed' },
      ],
    },
    { name: 'is_rare', label: 'Rare', kind: 'boolean', initial: 0 },
    { name: 'found_at', label: 'Found', kind: 'moment' },
    { name: 'extra', label: 'Extra', kind: 'json' },
    { name: 'drawer_id', label: 'Drawer', kind: 'reference', to: 'drawers' },
  ],
  inlines: [
    {
      name: 'parts',
      label: 'Part',
      labels: 'Parts',
      table: 'part',
      parent: 'specimen_id',
      fields: [
        { name: 'name', label: 'Name', kind: 'text', isRequired: true },
        { name: 'weight', label: 'Weight', kind: 'integer' },
      ],
    },
  ],
  goesWith: [{ label: 'parts', from: 'part p', key: 'p.specimen_id', title: 'p.name' }],
  actions: [{ name: 'stuff', label: 'Stuff', set: { state: 'stuffed' } }],
  async refuse(_env, act) {
    return 'remove' in act && act.remove.before['is_rare'] === 1 ? ['A rare specimen stays.'] : []
  },
})

export const museum = new Map([drawers, specimens].map((table) => [table.name, table]))
