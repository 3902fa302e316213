import { Hono } from 'hono'
import type { AdminAction, AdminKey, AdminTable } from '../../web/admin-table.ts'
import { actorOf } from '../../web/audit.ts'
import { flash } from '../../web/flash.ts'
import { contextOf } from '../../web/page-context.ts'
import { showPage } from '../../web/page.tsx'
import { formOf, textField } from '../../web/parse.ts'
import { notThere, refused } from '../../web/refusal.ts'
import type { SiteContext, SiteEnv } from '../../web/site.ts'
import { ConfirmPage, OutcomePage } from '../pages/confirm.tsx'
import { untouchedForm } from '../row/form-state.ts'
import { keepZone } from '../row/form-zone.ts'
import { postedForm } from '../row/posted-form.ts'
import { type Company, readRemoval, removeRows } from '../row/remove-rows.ts'
import { inSentence, keyOf, listPath, parseKey, rowsOf, tableOf, type Tables } from '../table-parts.ts'
import { runAction } from './run-action.ts'

const mostKeys = 100

/** Something done to chosen rows: asked first where that is wanted, then done, then said. */
export function actionRoutes(tables: Tables): Hono<SiteEnv> {
  const routes = new Hono<SiteEnv>()

  routes.post('/:table/act/', async (c) => {
    const table = tableOf(tables, c.req.param('table'))
    const form = await formOf(c)
    keepZone(c, form)
    const keys = chosenKeys(table, form)
    const back = backOf(table, form)
    if (keys.length === 0) return sendBack(c, back, 'error', ['Tick at least one row first.'])
    if (keys.length > mostKeys) throw refused(`At most ${mostKeys} rows at once.`)
    const name = textField(form, 'act')
    if (name === 'delete' && table.mayDelete !== false) return deleteChosen(c, tables, table, keys, form)
    const action = (table.actions ?? []).find((one) => one.name === name)
    if (!action) throw notThere(`${table.labels} have no such action.`)
    return act(c, tables, table, action, keys, form)
  })

  return routes
}

function chosenKeys(table: AdminTable, form: FormData): AdminKey[] {
  const keys = form.getAll('key').flatMap((value) => (typeof value === 'string' ? (parseKey(table, value) ?? []) : []))
  return [...new Set(keys)]
}

/** Where to go afterwards: only ever a page of this table. */
function backOf(table: AdminTable, form: FormData): string {
  const back = textField(form, 'back')
  return back.startsWith(listPath(table)) && !back.includes('..') ? back : listPath(table)
}

function sendBack(c: SiteContext, back: string, level: 'success' | 'error', messages: readonly string[]): Response {
  for (const message of messages) flash(c, level, message)
  return c.redirect(back, 303)
}

async function act(
  c: SiteContext,
  tables: Tables,
  table: AdminTable,
  action: AdminAction,
  keys: readonly AdminKey[],
  form: FormData,
): Promise<Response> {
  const asked: AdminTable = { ...table, fields: action.fields ?? [], inlines: [] }
  const isAsked = action.confirm !== undefined || (action.fields ?? []).length > 0
  const isConfirmed = textField(form, 'confirmed') === '1'
  const timeZone = c.get('timeZone')
  const read = postedForm(tables, asked, null, form, new Map(), timeZone)
  const back = backOf(table, form)
  if (isAsked && (!isConfirmed || read.faults.length > 0)) {
    const state = isConfirmed ? read.state : untouchedForm(asked, null, new URLSearchParams(), timeZone)
    return confirm(c, table, keys, back, {
      action: action.name,
      label: action.label,
      question: action.confirm ?? `${action.label}?`,
      rows: await titlesOf(c.env.DB, table, keys),
      company: [],
      controls: state.controls,
      errors: isConfirmed
        ? read.faults.map(({ field, message }) => ({ message, ...(field !== undefined && { fieldId: field }) }))
        : [],
      isDangerous: action.isDangerous ?? false,
      status: isConfirmed ? 422 : 200,
    })
  }
  const result = await runAction(c.env, table, action, {
    keys,
    values: read.values,
    actor: actorOf(c),
    now: Date.now(),
  })
  if (result.kind === 'refused') return sendBack(c, back, 'error', result.messages)
  if (result.outcome.details.length === 0) return sendBack(c, back, 'success', [result.outcome.said])
  return showPage(c, {
    page: 'AdminOutcome',
    title: action.label,
    props: { ...result.outcome },
    body: <OutcomePage table={table} title={action.label} outcome={result.outcome} back={back} />,
  })
}

async function deleteChosen(
  c: SiteContext,
  tables: Tables,
  table: AdminTable,
  keys: readonly AdminKey[],
  form: FormData,
): Promise<Response> {
  const { rows, company } = await readRemoval(c.env.DB, tables, table, keys)
  const back = backOf(table, form)
  if (rows.length === 0) return sendBack(c, back, 'error', ['None of these rows is there any more.'])
  const ask = (status: 200 | 409 | 422, messages: readonly string[]) =>
    confirm(
      c,
      table,
      rows.map(({ key }) => key),
      back,
      {
        action: 'delete',
        label: table.deleteLabel ?? 'Delete',
        question: `Delete ${rows.length === 1 ? `this ${inSentence(table.label)}` : `these ${rows.length} ${inSentence(table.labels)}`}? This cannot be undone.`,
        rows: rows.map(({ key, title }) => title || `${table.label} ${key}`),
        company,
        controls: [],
        errors: messages.map((message) => ({ message })),
        isDangerous: true,
        status,
      },
    )
  if (textField(form, 'confirmed') !== '1') return ask(200, [])
  const removed = await removeRows(c.env, table, rows, { actor: actorOf(c), now: Date.now() })
  if (removed.kind === 'refused') return ask(removed.status, removed.messages)
  return sendBack(c, back, 'success', [removed.said])
}

async function titlesOf(db: D1Database, table: AdminTable, keys: readonly AdminKey[]): Promise<string[]> {
  const column = `t.${keyOf(table).column}`
  const { results } = await db
    .prepare(
      `SELECT ${column} AS "key", ${table.title} AS "title" FROM ${rowsOf(table)} t ${table.join ?? ''}
       WHERE ${column} IN (SELECT value FROM json_each(?)) LIMIT ${mostKeys}`,
    )
    .bind(JSON.stringify(keys))
    .all<{ key: AdminKey; title: string | null }>()
  return results.map(({ key, title }) => title || `${table.label} ${key}`)
}

interface Question {
  action: string
  label: string
  question: string
  rows: readonly string[]
  company: readonly Company[]
  controls: Parameters<typeof ConfirmPage>[0]['controls']
  errors: readonly { message: string; fieldId?: string }[]
  isDangerous: boolean
  status: 200 | 409 | 422
}

function confirm(
  c: SiteContext,
  table: AdminTable,
  keys: readonly AdminKey[],
  back: string,
  asked: Question,
): Promise<Response> {
  const { action, label, status, ...question } = asked
  return showPage(c, {
    page: 'AdminConfirm',
    title: label,
    props: { table: table.name, action, keys },
    status,
    body: (
      <ConfirmPage
        context={contextOf(c)}
        table={table}
        title={label}
        {...question}
        action={`${listPath(table)}act/`}
        hidden={[
          ['act', action],
          ['back', back],
          ['confirmed', '1'],
          ...keys.map((key) => ['key', String(key)] as const),
        ]}
        submit={label}
        back={back}
      />
    ),
  })
}
