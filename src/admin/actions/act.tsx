import { read } from '../../db/query.ts'
import { enqueueMails } from '../../accounts/mails/post-mail.ts'
import { confirmFirst, isFresh } from '../../accounts/reauthenticate/recently-authenticated.ts'
import type { AdminAsker, AdminKey } from '../../web/admin-change.ts'
import { actorOf } from '../../web/audit.ts'
import { showPage } from '../../web/page.tsx'
import { textField } from '../../web/parse.ts'
import type { SiteContext } from '../../web/site.ts'
import { type GuardedAct, namesText, noticesOf } from '../guard/notices.ts'
import { titlesOf } from '../list/read-list.ts'
import { OutcomePage } from '../pages/outcome.tsx'
import { untouchedForm } from '../row/form-state.ts'
import { postedForm } from '../row/posted-form.ts'
import type { Action, Table } from '../table.ts'
import { actPath, nameOf } from '../table-parts.ts'
import type { Chosen } from './chosen.ts'
import { runAction } from './run-action.ts'
import { sendBack } from './send-back.ts'
import { showConfirm } from './show-confirm.tsx'

/** Does an action of the table, or first asks for what it needs to know. */
export async function act(c: SiteContext, chosen: Chosen, action: Action): Promise<Response> {
  const { tables, table, keys, form, back } = chosen
  const asked: Table = { ...table, fields: action.fields, inlines: [] }
  const isAsked = action.confirm !== undefined || action.fields.length > 0
  const isConfirmed = textField(form, 'confirmed') === '1'
  const timeZone = c.get('timeZone')
  const posted = postedForm(tables, asked, null, form, new Map(), timeZone)
  if (isAsked && (!isConfirmed || posted.faults.length > 0)) {
    const state = isConfirmed ? posted.state : untouchedForm(asked, null, new URLSearchParams(), timeZone)
    return showConfirm(c, chosen, {
      action: action.name,
      label: action.label,
      question: action.confirm ?? `${action.label}?`,
      rows: await namesOf(c.env.DB, table, keys),
      company: [],
      controls: state.controls,
      errors: isConfirmed
        ? posted.faults.map(({ field, message }) => ({ message, ...(field !== undefined && { fieldId: field }) }))
        : [],
      isDangerous: action.isDangerous ?? false,
      status: isConfirmed ? 422 : 200,
    })
  }
  if (action.isGuarded && !isFresh(c)) return confirmFirst(c, actPath(table))
  const asker = { actor: actorOf(c), now: Date.now() }
  const notices = action.isGuarded
    ? await noticesOf(c.env, table, await guardedAct(c.env.DB, chosen, action, asker))
    : []
  const along = notices.map(({ statement }) => statement)
  const result = await runAction(c.env, table, action, { ...asker, keys, values: posted.values, along })
  await enqueueMails(c.env, notices)
  if (result.kind === 'refused') return sendBack(c, back, 'error', result.messages)
  if (result.outcome.details.length === 0) return sendBack(c, back, 'success', [result.outcome.said])
  return showPage(c, {
    page: 'AdminOutcome',
    title: action.label,
    props: { ...result.outcome },
    body: <OutcomePage table={table} title={action.label} outcome={result.outcome} back={back} />,
  })
}

async function guardedAct(
  db: D1Database,
  { table, keys }: Chosen,
  { label }: Action,
  asker: AdminAsker,
): Promise<GuardedAct> {
  return { ...asker, keys, what: `${label}: ${namesText(await namesOf(db, table, keys))}`, changes: [] }
}

async function namesOf(db: D1Database, table: Table, keys: readonly AdminKey[]): Promise<string[]> {
  const rows = await read(db, titlesOf(table, keys))
  return rows.map(({ key, title }) => nameOf(table, key, title === null ? null : String(title)))
}
