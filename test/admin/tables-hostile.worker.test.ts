import { beforeAll, expect, test } from 'vitest'
import { listPath, rowPath } from '../../src/admin/table-parts.ts'
import { adminTables } from '../../src/admin/tables.ts'
import type { Table } from '../../src/admin/table.ts'
import type { AdminKey } from '../../src/web/admin-change.ts'
import { rows } from '../worker/rows.ts'
import { addUser, Visitor } from '../worker/visitor.ts'
import { fillTables, secretMark } from './fill-tables.ts'
import { withoutKeys } from '../worker/keys-script.ts'

/**
 * Breaks out of tags, attributes, scripts and lines; turns the direction of writing; and does not end for 10 000
 * characters.
 */
const mischief = `</script></title></textarea><script>alert(1)</script><img src=x onerror=alert(1)>"'\` onfocus=alert(1) \u202eمرحبا\u2066\r\n`
const hostile = (table: string, column: string): string => {
  const text = `=${table}.${column} ${mischief}`
  return text + '\u{1F642}'.repeat(10_000 - text.length)
}
const known = { 'setting.name': 'school_timeout_ms' }
let keys: ReadonlyMap<string, AdminKey>
let staff: Visitor

beforeAll(async () => {
  keys = await fillTables((sql, ...values) => rows(sql, ...values), { text: hostile, known }, Date.now())
  staff = await Visitor.loggedInAs(await addUser({ isSuperuser: true }))
})

const named = [...adminTables.values()].map((table) => [table.name, table] as const)

function pathsOf(table: Table): string[] {
  const key = keys.get(table.table)
  if (key === undefined) throw new Error(`Nothing was filled into ${table.table}.`)
  const row = rowPath(table, key)
  const others = [`${row}history/`, ...(!table.mayDelete ? [] : [`${row}delete/`])]
  return [listPath(table), `${listPath(table)}?q=${encodeURIComponent(mischief.slice(0, 90))}`, row, ...others]
}

/** What a browser would run of a page: scripts, handlers, addresses that are scripts, and pictures no one put there. */
async function runOf(html: string): Promise<string[]> {
  const found: string[] = []
  const rewriter = new HTMLRewriter().on('*', {
    element({ tagName, attributes }) {
      for (const [name = '', value = ''] of attributes) {
        if (name.startsWith('on') || name === 'style' || name === 'srcdoc') found.push(`${tagName} ${name}=${value}`)
        if (/^\s*(?:javascript|data):/i.test(value)) found.push(`${tagName} ${name}=${value}`)
        if (name === 'src' && value === 'x') found.push(`${tagName} ${name}=${value}`)
        if (tagName === 'script' && name === 'type' && value === 'application/json') return
      }
      if (tagName === 'script' || tagName === 'style' || tagName === 'iframe') found.push(tagName)
    },
  })
  await rewriter.transform(new Response(html)).text()
  return found
}

test.each(named)('%s: hostile texts are shown, and nothing in them runs', async (_, table) => {
  let shown = ''
  for (const path of pathsOf(table)) {
    const { response, html } = await staff.see(path)
    expect(response.status, path).toBe(200)
    expect(await runOf(withoutKeys(html)), path).toEqual([])
    expect(html.includes(secretMark), path).toBe(false)
    // No character is cut in half, and a list stays short however long its texts are.
    expect(html.includes('\uFFFD'), path).toBe(false)
    if (path === listPath(table)) expect(html.length, path).toBeLessThan(100_000)
    shown += html
  }
  expect(shown.includes('&lt;script&gt;alert(1)'), 'the texts are shown').toBe(true)
})

test.each(named)('%s: the export contains no formula and no secret', async (_, table) => {
  const csv = await (await staff.get(`${listPath(table)}export.csv`)).text()
  expect(csv.includes('<script>alert(1)'), 'the texts are in it').toBe(true)
  expect(/(?:^|,|\n)"?(?:[=+@]|-(?!\d))/.exec(csv)?.index).toBeUndefined()
  expect(csv.includes(secretMark)).toBe(false)
})

test('forms show hostile input again, and nothing in it runs', async () => {
  for (const [name, table] of named) {
    if (!table.mayAdd) continue
    const texts = table.fields.filter(({ kind, readOnly }) => /text|json/.test(kind) && readOnly !== 'always')
    const fields = Object.fromEntries(texts.map((field) => [field.name, hostile(name, field.name).slice(0, 999)]))
    await staff.see(`${listPath(table)}add/`)
    const answer = await staff.submit(`${listPath(table)}add/`, { ...fields, act: 'look_up' })
    const { html } = await staff.read(answer)
    expect(answer.status, name).toBe(200)
    expect(await runOf(withoutKeys(html)), name).toEqual([])
    for (const field of texts) expect(html.includes(`=${name}.${field.name}`), `${name} ${field.name}`).toBe(true)
  }
})
