import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runAction } from '../../src/admin/actions/act.tsx'
import { readListQuery } from '../../src/admin/list/list-query.ts'
import { readList } from '../../src/admin/list/read-list.ts'
import { readRemoval, removeRows } from '../../src/admin/row/remove-rows.ts'
import { knownRow, rowStatements } from '../../src/admin/row/read-row.ts'
import { changesOf } from '../../src/admin/row/row-changes.ts'
import { saveRow } from '../../src/admin/row/save-row.ts'
import { fingerprintOf } from '../../src/admin/row/stale-row.ts'
import {
  readTogether,
  statement,
  write,
  writerBetween,
  writeTogether,
  refusalIn,
  refuseUnless,
} from '../../src/db/query.ts'
import type { Table } from '../../src/admin/table.ts'
import { auditEntry } from '../../src/web/audit.ts'
import { rows } from '../worker/rows.ts'
import { watchedDatabase } from '../worker/watched-database.ts'
import { drawers, makeExampleTables, museum, specimens } from '../worker/example-tables.ts'

const asker = { actor: { userId: 7, who: 'curator', ipAddress: '198.51.100.7', country: 'NZ' }, now: 1_700_000_000_000 }
const timeZone = 'America/New_York'
const isAllowed = refuseUnless(sql`true`, '')
const isOver = refuseUnless(sql`false`, 'You were logged out.')

beforeAll(makeExampleTables)
beforeEach(async () => {
  await env.DB.batch(
    ['DELETE FROM part', 'DELETE FROM specimen', 'DELETE FROM drawer'].map((sql) => env.DB.prepare(sql)),
  )
})

function formOf(fields: Record<string, string>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  return form
}

const read = async (key: number) => {
  const known = knownRow(specimens, await readTogether(env.DB, ...rowStatements(museum, specimens, key)))
  if (!known) throw new Error('It is not there.')
  return known
}

const add = (fields: Record<string, string>, table = specimens) =>
  saveRow(env, museum, table, { key: null, form: formOf(fields), timeZone, isFresh: true, isAllowed, ...asker })

/** Saves a form made from the current row, or from an earlier state if `was` says so. */
async function change(key: number, fields: Record<string, string>, was?: string, by: Env = env) {
  const fingerprint = was ?? (await fingerprintOf(specimens, await read(key)))
  return saveRow(by, museum, specimens, {
    key,
    form: formOf({ was: fingerprint, ...fields }),
    timeZone,
    isFresh: true,
    isAllowed,
    ...asker,
  })
}

async function made(fields: Record<string, string>, table: Table = specimens): Promise<number> {
  const saved = await add(fields, table)
  if (saved.kind !== 'saved') throw new Error(JSON.stringify(saved))
  return Number(saved.key)
}

const errorsOf = (saved: Awaited<ReturnType<typeof add>>) => (saved.kind === 'refused' ? saved.errors : [])
const entries = () =>
  rows<{ act: string; row_key: string; title: string; before: string | null; after: string | null }>(
    'SELECT act, row_key, title, before, after FROM audit ORDER BY id DESC',
  )

describe('form', () => {
  test('writes a row with every kind of value', async () => {
    const drawer = await made({ label: 'Beetles' }, drawers)
    const key = await made({
      name: '  Gold \u0000 bug ',
      notes: 'line\r\nline',
      legs: '+6',
      state: 'stuffed',
      is_rare: '1',
      found_at: '2026-07-01T12:00',
      extra: '{"a": 1}',
      drawer_id: String(drawer),
      'parts-new-name': 'wing',
      'parts-new-weight': '2',
    })
    expect((await read(key)).values).toEqual({
      name: 'Gold bug',
      notes: 'line\nline',
      legs: 6,
      state: 'stuffed',
      is_rare: 1,
      found_at: Date.parse('2026-07-01T16:00:00Z'),
      extra: '{"a": 1}',
      drawer_id: drawer,
    })
    expect(await rows('SELECT specimen_id, name, weight FROM part')).toEqual([
      { specimen_id: key, name: 'wing', weight: 2 },
    ])
    const [entry] = await entries()
    expect(entry).toMatchObject({ act: 'added', row_key: String(key), title: 'Gold bug', before: null })
    expect(JSON.parse(entry?.after ?? '')).toMatchObject({ name: 'Gold bug', legs: 6, 'parts-new-name': 'wing' })
  })

  test.each([
    ['name', { name: '' }, 'This field is required.'],
    ['name', { name: 'x' }, 'Ensure this value has at least 2 characters.'],
    ['name', { name: 'x'.repeat(21) }, 'Ensure this value has at most 20 characters.'],
    ['name', { name: 'Yeti' }, 'There is no such animal.'],
    ['legs', { name: 'ok', legs: '1.5' }, 'Enter a whole number.'],
    ['legs', { name: 'ok', legs: '99999999999999999999' }, 'Enter a whole number.'],
    ['legs', { name: 'ok', legs: '-1' }, 'Ensure this value is greater than or equal to 0.'],
    ['legs', { name: 'ok', legs: '401' }, 'Ensure this value is less than or equal to 400.'],
    ['state', { name: 'ok', state: 'lost' }, 'Select a valid choice.'],
    ['found_at', { name: 'ok', found_at: '2026-02-30' }, 'Enter a date and time, e.g. 2026-11-21 14:05.'],
    ['extra', { name: 'ok', extra: '{' }, 'Enter valid JSON.'],
    ['drawer_id', { name: 'ok', drawer_id: '999' }, 'This no longer exists. Choose another.'],
    ['parts-new-weight', { name: 'ok', 'parts-new-name': 'leg', 'parts-new-weight': 'much' }, 'Enter a whole number.'],
  ])('says at %s what is wrong with %o', async (field, fields: Record<string, string>, message) => {
    const saved = await add(fields)
    expect(errorsOf(saved)).toEqual([{ field, message }])
    if (saved.kind !== 'refused') throw new Error('It was saved.')
    const typed = [...saved.state.controls, ...(saved.state.inlines[0]?.rows[0]?.controls ?? [])]
    for (const [name, value] of Object.entries(fields)) {
      if (name !== 'drawer_id') expect(typed.find((control) => control.name === name)?.shown).toBe(value)
    }
    expect(await rows('SELECT id FROM specimen')).toEqual([])
  })

  test('explains database errors in sentences', async () => {
    await made({ name: 'Wasp' })
    expect(errorsOf(await add({ name: 'wASP' }))).toEqual([
      { field: 'name', message: 'Another specimen already has this name.' },
    ])
    expect(errorsOf(await add({ name: 'Odd', legs: '13' }))[0]?.message).toContain('These values conflict')
    expect(await rows("SELECT id FROM specimen WHERE name IN ('wASP', 'Odd')")).toEqual([])
  })

  test('writes nothing if nothing changed', async () => {
    const key = await made({ name: 'Moth', found_at: '2026-01-01T00:00:01' })
    await rows('UPDATE specimen SET found_at = found_at + 7 WHERE id = ?', key)
    const before = (await entries()).length
    const shown = { name: 'Moth', notes: '', legs: '', state: 'alive', is_rare: '0', found_at: '2026-01-01T00:00:01' }
    expect(await change(key, shown)).toEqual({ kind: 'saved', key, message: 'Nothing was changed.' })
    expect(await entries()).toHaveLength(before)
    expect((await read(key)).values['found_at']).toBe(Date.parse('2026-01-01T05:00:01Z') + 7)
  })

  test('preserves a time that no one edited, from which browsers leave out seconds that are zero', async () => {
    const key = await made({ name: 'Moth' })
    const secondOfTwo = Date.parse('2026-11-01T06:30:00Z') + 7
    await rows('UPDATE specimen SET found_at = ? WHERE id = ?', secondOfTwo, key)
    expect(await change(key, { found_at: '2026-11-01T01:30' })).toMatchObject({ message: 'Nothing was changed.' })
    expect((await read(key)).values['found_at']).toBe(secondOfTwo)
  })

  test('preserves a text that no one edited, whatever it contains', async () => {
    const key = await made({ name: 'Fly' })
    const odd = { name: ' Two  blanks e\u0301 ', notes: '\none\r\n  two\u0007 ' }
    await rows('UPDATE specimen SET name = ?, notes = ? WHERE id = ?', odd.name, odd.notes, key)
    const sent = { name: odd.name, notes: odd.notes.replaceAll(/\r?\n/g, '\r\n') }
    expect((await change(key, { ...sent, legs: '6' })).kind).toBe('saved')
    expect((await read(key)).values).toMatchObject({ ...odd, legs: 6 })
    expect(JSON.parse((await entries())[0]?.after ?? '')).toEqual({ legs: 6 })
    await change(key, { ...sent, name: ' Two  blanks e\u0301 x ' })
    expect((await read(key)).values['name']).toBe('Two blanks \u00e9 x')
  })

  test('preserves columns that it does not contain', async () => {
    const key = await made({ name: 'Moth', legs: '6', notes: 'kept' })
    expect(await change(key, { legs: '4' })).toMatchObject({ kind: 'saved' })
    expect((await read(key)).values).toMatchObject({ name: 'Moth', legs: 4, notes: 'kept' })
    expect((await entries())[0]).toMatchObject({ act: 'changed', before: '{"legs":6}', after: '{"legs":4}' })
  })
})

describe('reference', () => {
  test('is found by a search: a single match is taken, several are offered', async () => {
    const [moths] = [await made({ label: 'Moths, small' }, drawers), await made({ label: 'Moths, large' }, drawers)]
    const one = await made({ name: 'Emperor', 'drawer_id-search': 'SMALL' })
    expect((await read(one)).values['drawer_id']).toBe(moths)
    const several = await add({ name: 'Atlas', 'drawer_id-search': 'moths' })
    expect(errorsOf(several)[0]?.message).toContain('2 found for “moths”')
    if (several.kind !== 'refused') throw new Error('It was saved.')
    const control = several.state.controls.find(({ name }) => name === 'drawer_id')
    expect(control?.options.map(({ label }) => label)).toContain(`Moths, small (${moths})`)
    expect(control?.searched).toBe('')
    expect(errorsOf(await add({ name: 'Atlas', 'drawer_id-search': 'bees' }))[0]?.message).toBe(
      'Nothing was found for “bees”.',
    )
  })

  test('can be looked up without saving', async () => {
    const drawer = await made({ label: 'Bees' }, drawers)
    const looked = await add({ name: '', 'drawer_id-search': 'bee', act: 'look_up' })
    expect(looked).toMatchObject({ kind: 'refused', status: 200, errors: [] })
    if (looked.kind !== 'refused') throw new Error('It was saved.')
    expect(looked.state.controls.find(({ name }) => name === 'drawer_id')?.shown).toBe(String(drawer))
    expect(await rows('SELECT id FROM specimen')).toEqual([])
  })
})

test('filters a list by another row: by its number or by a search', async () => {
  const [small, large] = [
    await made({ label: 'Moths, small' }, drawers),
    await made({ label: 'Moths, large' }, drawers),
  ]
  for (const [name, drawer] of [
    ['Emperor', small],
    ['Atlas', large],
    ['Hawk', large],
  ] as const) {
    await made({ name, drawer_id: String(drawer) })
  }
  await made({ name: 'Loose' })
  const titles = async (drawer: string) => {
    const query = readListQuery(specimens, new URLSearchParams({ drawer }))
    const list = await readList(env.DB, museum, specimens, { query, timeZone })
    return list.rows.map(({ title }) => title)
  }
  expect(await titles(String(small))).toEqual(['Emperor in Moths, small'])
  expect(await titles(` ${small} `)).toEqual(['Emperor in Moths, small'])
  expect(await titles(' LARGE ')).toEqual(['Hawk in Moths, large', 'Atlas in Moths, large'])
  expect(await titles('moths')).toHaveLength(3)
  expect(await titles('wasps')).toEqual([])
})

describe('simultaneous edits of one row', () => {
  test('show both values to the second person, who may still save', async () => {
    const key = await made({ name: 'Fly', notes: 'mine' })
    const was = await fingerprintOf(specimens, await read(key))
    await change(key, { notes: 'theirs' })
    const second = await change(key, { notes: 'late', name: 'Fly' }, was)
    expect(second).toMatchObject({ kind: 'refused', status: 409 })
    expect(errorsOf(second)[1]).toEqual({ field: 'notes', message: 'Current value: “theirs”.' })
    if (second.kind !== 'refused' || !second.known) throw new Error('It was saved.')
    expect(second.state.controls.find(({ name }) => name === 'notes')?.shown).toBe('late')
    expect((await read(key)).values['notes']).toBe('theirs')
    const again = await change(key, { notes: 'late' }, await fingerprintOf(specimens, second.known))
    expect(again.kind).toBe('saved')
  })

  test('are also detected between read and write, in the row or in an inline', async () => {
    const key = await made({ name: 'Fly', 'parts-new-name': 'eye' })
    const was = await fingerprintOf(specimens, await read(key))
    for (const sql of [
      "UPDATE specimen SET notes = 'quick' WHERE id = ?",
      "UPDATE part SET name = 'lens' WHERE specimen_id = ?",
      "INSERT INTO part (specimen_id, name) VALUES (?, 'leg')",
    ]) {
      const fresh = await fingerprintOf(specimens, await read(key))
      const meddled = watchedDatabase({
        before: (trip) => (trip === 2 ? rows(sql, key).then(() => undefined) : undefined),
      })
      const outcome = await change(key, { legs: '2' }, fresh, { ...env, DB: meddled })
      expect(outcome, sql).toMatchObject({ kind: 'refused', status: 409 })
      expect((await read(key)).values['legs']).toBeNull()
    }
    expect(await change(key, { legs: '2' }, was)).toMatchObject({ status: 409 })
  })

  test('are also detected if only an inline changed', async () => {
    const key = await made({ name: 'Fly', 'parts-new-name': 'eye' })
    const was = await fingerprintOf(specimens, await read(key))
    await rows("UPDATE part SET name = 'lens' WHERE specimen_id = ?", key)
    expect(await change(key, { legs: '2' }, was)).toMatchObject({ kind: 'refused', status: 409 })
  })

  test('are still detected after a lookup', async () => {
    const key = await made({ name: 'Fly', notes: 'mine' })
    const was = await fingerprintOf(specimens, await read(key))
    await change(key, { notes: 'theirs' })
    const looked = await change(key, { notes: 'mine', 'drawer_id-search': 'bee', act: 'look_up' }, was)
    expect(looked).toMatchObject({ kind: 'refused', status: 409 })
    expect(errorsOf(looked)[1]).toEqual({ field: 'notes', message: 'Current value: “theirs”.' })
  })

  test('one round trip reads, one writes', async () => {
    const key = await made({ name: 'Fly' })
    const was = await fingerprintOf(specimens, await read(key))
    let trips = 0
    const counted = watchedDatabase({ before: () => void (trips += 1) })
    expect((await change(key, { legs: '6' }, was, { ...env, DB: counted })).kind).toBe('saved')
    expect(trips).toBe(2)
  })
})

describe('inlines', () => {
  test("are changed, removed and added in their row's form", async () => {
    const key = await made({ name: 'Ant', 'parts-new-name': 'head' })
    await change(key, { 'parts-new-name': 'tail' })
    const [head, tail] = (await read(key)).inlines['parts'] ?? []
    const saved = await change(key, {
      [`parts-${head?.key}-name`]: 'HEAD',
      [`parts-${tail?.key}-name`]: '',
      [`parts-${tail?.key}-remove`]: '1',
      'parts-new-name': 'leg',
    })
    expect(saved).toMatchObject({ kind: 'saved' })
    expect((await read(key)).inlines['parts']?.map(({ values }) => values['name'])).toEqual(['HEAD', 'leg'])
    const [entry] = await entries()
    expect(JSON.parse(entry?.before ?? '')).toEqual({
      [`parts-${head?.key}-name`]: 'head',
      [`parts-${tail?.key}-name`]: 'tail',
    })
    expect(JSON.parse(entry?.after ?? '')).toEqual({ [`parts-${head?.key}-name`]: 'HEAD', 'parts-new-name': 'leg' })
  })

  test('of another row are not changed', async () => {
    const [mine, other] = [await made({ name: 'Ant' }), await made({ name: 'Bee', 'parts-new-name': 'wing' })]
    const [wing] = (await read(other)).inlines['parts'] ?? []
    await change(mine, { [`parts-${wing?.key}-name`]: 'stolen', [`parts-${wing?.key}-remove`]: '1', legs: '1' })
    expect((await read(other)).inlines['parts']?.[0]?.values['name']).toBe('wing')
  })
})

describe('deleting', () => {
  test('lists what is deleted along with it, and audits what was there', async () => {
    const key = await made({ name: 'Ant', 'parts-new-name': 'head' })
    const { rows: found, affected } = await readRemoval(env.DB, museum, specimens, [key])
    expect(affected).toEqual([{ label: 'parts', effect: 'deleted', count: 1, isMore: false, examples: ['head'] }])
    expect(await removeRows(env, specimens, found, { ...asker, isGuarded: false, isAllowed })).toEqual({
      kind: 'removed',
      message: 'Ant was deleted.',
    })
    const [entry] = await entries()
    expect(entry).toMatchObject({ act: 'deleted', row_key: String(key), title: 'Ant', after: null })
    expect(JSON.parse(entry?.before ?? '')).toMatchObject({ name: 'Ant', state: 'alive' })
  })

  test('is atomic, and may be refused by the feature or the database', async () => {
    const drawer = await made({ label: 'Ants' }, drawers)
    const [plain, rare] = [
      await made({ name: 'Ant', drawer_id: String(drawer) }),
      await made({ name: 'Dodo', is_rare: '1' }),
    ]
    const both = await readRemoval(env.DB, museum, specimens, [plain, rare])
    expect(await removeRows(env, specimens, both.rows, { ...asker, isGuarded: false, isAllowed })).toEqual({
      kind: 'refused',
      status: 422,
      messages: ['A rare specimen stays.'],
    })
    expect((await read(plain)).values['name']).toBe('Ant')
    const full = await readRemoval(env.DB, museum, drawers, [drawer])
    expect(await removeRows(env, drawers, full.rows, { ...asker, isGuarded: false, isAllowed })).toMatchObject({
      kind: 'refused',
      status: 422,
    })
    await change(plain, { legs: '6' })
    expect(
      await removeRows(env, specimens, both.rows.slice(0, 1), { ...asker, isGuarded: false, isAllowed }),
    ).toMatchObject({
      status: 409,
    })
  })
})

test('what follows a deletion is done for six rows at a time: one slow answer delays few, and none waits for a connection', async () => {
  const keys: number[] = []
  while (keys.length < 8) keys.push(await made({ name: `Ant ${keys.length}` }))
  const { rows: found } = await readRemoval(env.DB, museum, specimens, keys)
  const six = Promise.withResolvers<void>()
  let [running, most, done] = [0, 0, 0]
  const waiting: Table = {
    ...specimens,
    async remove(_env, { key }) {
      return {
        statements: [statement(sql`DELETE FROM specimen WHERE id = ${key}`)],
        async afterwards() {
          most = Math.max(most, ++running)
          if (running === 6) six.resolve()
          await six.promise
          running -= 1
          done += 1
        },
      }
    },
  }
  const removed = await removeRows(env, waiting, found, { ...asker, isGuarded: false, isAllowed })
  expect([removed.kind, most, done]).toEqual(['removed', 6, 8])
})

test('nothing is written for someone whose session has ended meanwhile', async () => {
  const key = await made({ name: 'Fly' })
  const before = (await entries()).length
  const form = formOf({ was: await fingerprintOf(specimens, await read(key)), name: 'Bee' })
  const options = { timeZone, isFresh: true, isAllowed: isOver, ...asker }
  expect(await saveRow(env, museum, specimens, { key, form, ...options })).toMatchObject({
    kind: 'refused',
    status: 422,
    errors: [{ message: 'You were logged out.' }],
  })
  const { rows: found } = await readRemoval(env.DB, museum, specimens, [key])
  const removal = { ...asker, isGuarded: false, isAllowed: isOver }
  expect(await removeRows(env, specimens, found, removal)).toMatchObject({ messages: ['You were logged out.'] })
  const [stuff] = specimens.actions
  if (!stuff) throw new Error('It has no action.')
  const act = { keys: [key], values: {}, write: writerBetween(env.DB, [isOver]), ...asker }
  expect(await runAction(env, specimens, stuff, act)).toMatchObject({ messages: ['You were logged out.'] })
  expect((await read(key)).values).toMatchObject({ name: 'Fly', state: 'alive' })
  expect(await entries()).toHaveLength(before)
})

test('an action that sets columns audits exactly the rows that changed', async () => {
  const keys = [await made({ name: 'Ant' }), await made({ name: 'Bee', state: 'stuffed' }), 4_000_000]
  const before = (await entries()).length
  const [stuff] = specimens.actions ?? []
  if (!stuff) throw new Error('There is no such action.')
  const done = await runAction(env, specimens, stuff, { keys, values: {}, write: writerBetween(env.DB, []), ...asker })
  expect(done).toEqual({
    kind: 'done',
    outcome: { message: 'Stuff: 1 specimen changed. 2 skipped (already set, or deleted).', details: [] },
  })
  expect((await entries()).slice(0, -before)).toEqual([
    {
      act: 'changed',
      row_key: String(keys[0]),
      title: 'Ant',
      before: '{"state":"alive"}',
      after: '{"state":"stuffed"}',
    },
  ])
})

test('a batch is applied if its condition holds, and rolled back otherwise', async () => {
  const sentence = "The last one can't go: “x”."
  const isAlone = sql`(SELECT count(*) FROM drawer) = ${1}`
  await writeTogether(env.DB, [
    statement(sql`INSERT INTO drawer (label) VALUES ('first')`),
    refuseUnless(isAlone, sentence),
  ])
  const undone = await writeTogether(env.DB, [
    statement(sql`INSERT INTO drawer (label) VALUES ('second')`),
    refuseUnless(isAlone, sentence),
  ]).catch((error: unknown) => error)
  expect(refusalIn(undone)).toBe('The last one can’t go: “x”.')
  expect(refusalIn(new Error('no such table'))).toBeNull()
  expect(await rows('SELECT label FROM drawer')).toEqual([{ label: 'first' }])
})

test('the audit stores only field names of a very large state, and of a deleted row only what it had', async () => {
  const entry = { act: 'changed', area: 'admin', table: 'specimen', key: '1', title: 'Whale' }
  const before = { notes: 'x'.repeat(20_000), legs: 0 }
  await write(env.DB, auditEntry(asker.actor, { ...entry, before, after: { legs: 1 } }, asker.now))
  const [kept] = await entries()
  expect([kept?.before, kept?.after]).toEqual(['{"too_large":["notes","legs"]}', '{"legs":1}'])

  const values = { name: 'eye', color: null }
  const gone = { key: 1, prefix: 'parts-1', before: values, values, isRemoved: true }
  const row = { name: 'Whale' }
  const changed = changesOf({ key: 1, before: row, values: row, inlines: { parts: [gone] }, ...asker })
  expect(changed).toEqual({ before: { 'parts-1-name': 'eye' }, after: {} })
})
