import { beforeAll, expect, test } from 'vitest'
import { listPath, rowPath } from '../../src/admin/table-parts.ts'
import type { Table } from '../../src/admin/table.ts'
import { adminTables } from '../../src/admin/tables.ts'
import type { AdminKey } from '../../src/web/admin-change.ts'
import { controlsOf, Desk } from '../worker/admin-desk.ts'
import { rows } from '../worker/rows.ts'
import { difficultText, fillTables, validValues } from './fill-tables.ts'

let keys: ReadonlyMap<string, AdminKey>
let desk: Desk

beforeAll(async () => {
  const texts = { text: difficultText, known: validValues }
  keys = await fillTables((sql, ...values) => rows(sql, ...values), texts, Date.now())
  desk = await Desk.open()
})

const named = [...adminTables.values()].map((table) => [table.name, table] as const)
const rowOf = (table: Table): string => rowPath(table, keys.get(table.table) ?? '')
const see = (path: string) => desk.see(path.slice('/admin/'.length))

/** A number minus one, the next phone number, or another text of at most 41 letters: as valid as before. */
function another(value: string): string {
  if (/^\d+$/.test(value)) return String(Number(value) - 1)
  const [, beginning = '', digit] = /^(\+\d+)(\d)$/.exec(value) ?? []
  return digit === undefined ? `${value.slice(0, 40)}a` : `${beginning}${(Number(digit) + 1) % 10}`
}

/** The controls of a row's form, without the searches of its references. */
const fieldsOf = (html: string) =>
  controlsOf(html.slice(html.indexOf('admin-form'))).filter(({ name }) => !name.endsWith('-search'))

/** Another value for the first control that can have one: a text, otherwise a checkbox, otherwise a select. */
function changeIn(html: string): Record<string, string> {
  const controls = fieldsOf(html)
  const first = (kind: string) => controls.find((control) => control.kind === kind)
  const [text, box, select] = [first('text'), first('checkbox'), first('select')]
  if (text) return { [text.name]: another(text.value) }
  if (box) return { [box.name]: box.value === '' ? '1' : '' }
  if (!select) throw new Error('The form has nothing to change.')
  return { [select.name]: select.choices.find((choice) => choice !== select.value) ?? '' }
}

test.each(named.filter(([, { mayChange }]) => mayChange))(
  '%s: a changed row is saved, with its history',
  async (_, table) => {
    const key = keys.get(table.table) ?? ''
    const change = changeIn((await see(rowOf(table))).html)
    const said = await desk.change(table.name, key, change)
    expect(said, JSON.stringify(change)).toMatchObject({
      location: rowOf(table),
      text: expect.stringMatching(/ was saved\./),
    })
    expect((await see(`${rowOf(table)}history/`)).text).toMatch(/\bchanged\b/i)
  },
)

test.each(named.filter(([, { mayChange }]) => !mayChange))(
  '%s: the history of an unchanged row is empty',
  async (_, table) => {
    expect((await see(`${rowOf(table)}history/`)).text).toContain('No changes yet')
  },
)

test.each(named.filter(([, { mayAdd }]) => mayAdd))(
  '%s: an empty form is refused, and returned as typed',
  async (_, table) => {
    const path = `${listPath(table)}add/`
    const typed = fieldsOf((await see(path)).html).findLast(({ kind }) => kind === 'text')
    const text = 'kept & <i>'
    const answer = await desk.visitor.submit(path, { act: 'save', ...(typed && { [typed.name]: text }) })
    const { html } = await desk.visitor.read(answer)
    expect(answer.status).toBe(422)
    expect(html).toContain('There is a problem')
    expect(html).toContain('This field is required.')
    expect(html.match(/ autofocus=""/g)).toHaveLength(1)
    if (typed) expect(fieldsOf(html).find(({ name }) => name === typed.name)?.value).toBe(text)
  },
)

test.each(named.filter(([, { mayDelete }]) => mayDelete))('%s: a delete is asked about first', async (_, table) => {
  expect((await see(`${rowOf(table)}delete/`)).text).toContain('This cannot be undone')
})
