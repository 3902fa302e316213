import { confirmFirst, isFresh } from '../../accounts/reauthenticate/recently-authenticated.ts'
import { actorOf } from '../../web/audit.ts'
import { textField } from '../../web/parse.ts'
import type { SiteContext } from '../../web/site.ts'
import { readRemoval, removeRows } from '../row/remove-rows.ts'
import { isGuardedRemoval } from '../guard/guarded.ts'
import { actPath, inSentence, nameOf } from '../table-parts.ts'
import type { Chosen } from './chosen.ts'
import { sendBack } from './send-back.ts'
import { showConfirm } from './show-confirm.tsx'

/** Asks once with everything that goes along, then deletes all of the rows or none. */
export async function deleteChosen(c: SiteContext, chosen: Chosen): Promise<Response> {
  const { tables, table, keys, form, back } = chosen
  const { rows, company } = await readRemoval(c.env.DB, tables, table, keys)
  if (rows.length === 0) return sendBack(c, back, 'error', ['None of these rows is there any more.'])
  const present = { ...chosen, keys: rows.map(({ key }) => key) }
  const these =
    rows.length === 1 ? `this ${inSentence(table.label)}` : `these ${rows.length} ${inSentence(table.labels)}`
  const ask = (status: 200 | 409 | 422, messages: readonly string[]) =>
    showConfirm(c, present, {
      action: 'delete',
      label: table.deleteLabel,
      question: `Delete ${these}? This cannot be undone.`,
      rows: rows.map(({ key, title }) => nameOf(table, key, title)),
      company,
      controls: [],
      errors: messages.map((message) => ({ message })),
      isDangerous: true,
      status,
    })
  if (textField(form, 'confirmed') !== '1') return ask(200, [])
  const isGuarded = isGuardedRemoval(table, rows.length, company)
  if (isGuarded && !isFresh(c)) return confirmFirst(c, actPath(table))
  const removed = await removeRows(c.env, table, rows, { actor: actorOf(c), now: Date.now() }, isGuarded)
  if (removed.kind === 'refused') return ask(removed.status, removed.messages)
  return sendBack(c, back, 'success', [removed.said])
}
