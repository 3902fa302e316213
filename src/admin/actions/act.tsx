import { sql, type SQL } from 'drizzle-orm'
import { enqueueMails } from '../../accounts/mails/prepare-mail.ts'
import { ownerOf, whileSuperuser } from '../../accounts/owner.ts'
import { confirmFirst, isFresh } from '../../accounts/reauthenticate/recently-authenticated.ts'
import { isIn } from '../../db/json-argument.ts'
import { type Query, read, statement, writerBetween } from '../../db/query.ts'
import type { AdminAct, AdminKey, AdminOutcome, AdminRequest, AdminValue } from '../../web/admin-change.ts'
import { skippedText } from '../../web/admin-fields.ts'
import { actorOf, auditRows } from '../../web/audit.ts'
import { showPage } from '../../web/page/page.tsx'
import { textField } from '../../web/parse.ts'
import { type FormError, Refusal } from '../../web/refusal.ts'
import type { SiteContext } from '../../web/site.ts'
import { namesText, noticesOf } from '../guard/notices.ts'
import { titlesOf } from '../list/read-list.ts'
import { explainError } from '../row/explain-error.ts'
import { untouchedForm } from '../row/form-state.ts'
import { postedForm } from '../row/posted-form.ts'
import { actPath, inSentence, listPath, nameOf } from '../table-parts.ts'
import { type Action, keyOf, listOf, rowsOf, type Table } from '../table.ts'
import { changedBefore, type Chosen, isOutdated, sendBack, showConfirm, expiredMessage } from './chosen.tsx'
import { LinkButton } from '../../../client/components/button.tsx'
import { DataTable } from '../../../client/components/data-table.tsx'
import { Head } from '../pages/head.tsx'

export async function act(c: SiteContext, chosen: Chosen, action: Action): Promise<Response> {
  const { tables, table, keys, form, back, isExpired } = chosen
  const { label } = action
  const asked: Table = { ...table, fields: action.fields, inlines: [] }
  const warnings = (await action.warnings?.(c.env.DB, keys)) ?? []
  const isAsked = action.confirm !== undefined || action.fields.length > 0 || warnings.length > 0
  const isConfirmed = textField(form, 'confirmed') === '1'
  const timeZone = c.get('timeZone')
  const posted = postedForm(tables, asked, { form, timeZone })
  const names = await namesOf(c.env.DB, table, keys)
  const isStale = isConfirmed && (await isOutdated(form, { rows: names, warnings }))
  const mistakes: readonly FormError[] = isStale ? [{ message: changedBefore }] : posted.errors
  if (isExpired || isStale || (isAsked && (!isConfirmed || mistakes.length > 0))) {
    const errors = isExpired ? [{ message: expiredMessage }] : isConfirmed ? mistakes : []
    const state = isConfirmed ? posted.state : untouchedForm(asked, null, new URLSearchParams(), timeZone)
    return showConfirm(c, chosen, {
      action: action.name,
      label,
      question: action.confirm ?? `${label}?`,
      rows: names,
      warnings,
      affected: [],
      controls: state.controls,
      errors: errors.map(({ field, message }) => ({ message, ...(field !== undefined && { fieldId: field }) })),
      isDangerous: action.isDangerous ?? false,
      status: isExpired || !isConfirmed ? 200 : isStale ? 409 : 422,
    })
  }
  if (action.isGuarded && !isFresh(c)) return confirmFirst(c, actPath(table))
  const request = { actor: actorOf(c), now: Date.now() }
  const what = `${label}: ${namesText(names)}`
  const notices = action.isGuarded ? await noticesOf(c.env, table, { ...request, keys, what, changes: [] }) : []
  const mails = notices.map(({ statement }) => statement)
  const write = writerBetween(c.env.DB, [whileSuperuser(ownerOf(c))], mails)
  const result = await runAction(c.env, table, action, { ...request, keys, values: posted.values, write })
  await enqueueMails(c.env, notices)
  if (result.kind === 'refused') return sendBack(c, back, 'error', result.messages)
  if (result.outcome.details.length === 0) return sendBack(c, back, 'success', [result.outcome.message])
  return showPage(c, {
    page: 'AdminOutcome',
    title: label,
    props: { said: result.outcome.message, details: result.outcome.details },
    body: <OutcomePage table={table} title={label} outcome={result.outcome} back={back} />,
  })
}

async function namesOf(db: D1Database, table: Table, keys: readonly AdminKey[]): Promise<string[]> {
  const rows = await read(db, titlesOf(table, keys))
  return rows.map(({ key, title }) => nameOf(table, key, title === null ? null : String(title)))
}

type ActionResult = { kind: 'done'; outcome: AdminOutcome } | { kind: 'refused'; messages: string[] }

export async function runAction(env: Env, table: Table, action: Action, act: AdminAct): Promise<ActionResult> {
  try {
    if ('set' in action)
      return { kind: 'done', outcome: { message: await setColumns(table, action, act), details: [] } }
    const outcome = await action.run(env, act)
    return { kind: 'done', outcome: typeof outcome === 'string' ? { message: outcome, details: [] } : outcome }
  } catch (error) {
    if (error instanceof Refusal) return { kind: 'refused', messages: error.messages }
    const errors = explainError(table, error)
    if (!errors) throw error
    return { kind: 'refused', messages: errors.map(({ message }) => message) }
  }
}

async function setColumns(table: Table, action: Extract<Action, { set: unknown }>, act: AdminAct): Promise<string> {
  const [{ changes: changed }] = await act.write(auditedSet(table, act.keys, action.set, act))
  const name = inSentence(changed === 1 ? table.label : table.labels)
  const rest = skippedText(act.keys.length - changed, 'already set, or deleted')
  return `${action.label}: ${changed} ${name} changed.${rest}`
}

/** Sets columns of rows, and writes an audit entry for each row that differs: two statements for one batch. */
function auditedSet(
  table: Table,
  keys: readonly AdminKey[],
  set: Extract<Action, { set: unknown }>['set'],
  { actor, now }: AdminRequest,
): [Query, Query] {
  const key = keyOf(table)
  const column = (name: string) => sql`${sql.identifier(table.table)}.${sql.identifier(name)}`
  const differs = sql.join(
    set.map(({ name, value }) => sql`${column(name)} IS NOT ${value}`),
    sql` OR `,
  )
  const chosen = sql`${isIn(key, keys)} AND (${differs})`
  const state = (of: (one: (typeof set)[number]) => SQL) =>
    sql`json_object(${listOf(set.map((one) => sql`${one.name}, ${of(one)}`))})`
  const rows = sql`SELECT ${key} AS row_key, coalesce(${table.title}, '') AS title,
      ${state(({ name }) => column(name))} AS before, ${state(({ value }) => sql`${value}`)} AS after
      FROM ${rowsOf(table)} ${table.join} WHERE ${chosen}`
  const sets = listOf(set.map(({ name, value }) => sql`${sql.identifier(name)} = ${value}`))
  return [
    auditRows(actor, { act: 'changed', area: 'admin', table: table.table }, rows, now),
    statement(sql`UPDATE ${sql.identifier(table.table)} SET ${sets} WHERE ${chosen}`),
  ]
}

/** The result of an action, if it is more than a sentence. */
function OutcomePage(props: { table: Table; title: string; outcome: AdminOutcome; back: string }) {
  const { table, title, outcome, back } = props
  return (
    <div className="stack admin">
      <Head crumbs={[{ label: table.labels, href: listPath(table) }]} title={title} about={outcome.message} />
      {outcome.details.map(({ heading, columns, rows }) => (
        <section className="stack stack-small" key={heading}>
          <h2>{heading}</h2>
          <div className="card">
            <DataTable
              className="admin-table"
              columns={columns.map((label, at) => ({
                label,
                className: 'break',
                cell: (row: readonly AdminValue[]) => shown(row[at] ?? null),
              }))}
              rows={rows}
            />
          </div>
        </section>
      ))}
      <p>
        <LinkButton href={back}>Back</LinkButton>
      </p>
    </div>
  )
}

const shown = (value: AdminValue): string => (value === null || value === '' ? '–' : String(value))
