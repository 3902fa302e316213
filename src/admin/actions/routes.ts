import { Hono } from 'hono'
import { ownerOf, whileSuperuser } from '../../accounts/owner.ts'
import { confirmFirst, isFresh } from '../../accounts/reauthenticate/recently-authenticated.ts'
import type { AdminKey } from '../../web/admin-change.ts'
import { actorOf } from '../../web/audit.ts'
import { takeExpiredForm } from '../../web/session/expired-form.ts'
import { formOf, textField } from '../../web/parse.ts'
import { notFound, Refusal, unprocessable, wrongMethod } from '../../web/refusal.ts'
import type { SiteContext, SiteEnv } from '../../web/site.ts'
import { isGuardedRemoval } from '../guard/guarded.ts'
import { keepZone } from '../zone-time.ts'
import { ROWS_PER_PAGE } from '../list/read-list.ts'
import { readRemoval, removeRows } from '../row/remove-rows.ts'
import { fingerprintOf } from '../row/stale-row.ts'
import { actPath, inSentence, listPath, nameOf, noSuchRow, parseKey, rowPath, tableOf } from '../table-parts.ts'
import type { Table, Tables } from '../table.ts'
import { act } from './act.tsx'
import { changedBefore, type Chosen, isOutdated, sendBack, showConfirm, expiredMessage } from './chosen.tsx'

/** An action on chosen rows: confirmed first where required, then done, then reported. */
export function actionRoutes(tables: Tables): Hono<SiteEnv> {
  const routes = new Hono<SiteEnv>()

  routes.post('/:table/act/', (c) => postAct(c, tables, c.req.param('table')))

  // Registered first, because the row routes would take `act` for a key.
  routes.on(['GET', 'PUT', 'PATCH', 'DELETE'], '/:table/act/', async (c) => {
    const table = tableOf(tables, c.req.param('table'))
    const asked = c.req.method === 'GET' ? await offerExpiredAct(c, tables, table) : null
    if (asked === null) throw wrongMethod(['POST'])
    return asked
  })

  return routes
}

/** @param name the table's */
export async function postAct(c: SiteContext, tables: Tables, name: string): Promise<Response> {
  return actOn(c, { tables, table: tableOf(tables, name), form: await formOf(c), isExpired: false })
}

/** Asks again about an action that was sent after the session had expired; null if there is none. */
export async function offerExpiredAct(c: SiteContext, tables: Tables, table: Table): Promise<Response | null> {
  const form = await takeExpiredForm(c, actPath(table))
  try {
    return form && (await actOn(c, { tables, table, form, isExpired: true }))
  } catch (error) {
    if (!form || !(error instanceof Refusal)) throw error
    return sendBack(c, backOf(table, form), 'error', error.messages)
  }
}

async function actOn(c: SiteContext, sent: Omit<Chosen, 'keys' | 'back'>): Promise<Response> {
  const { table, form } = sent
  keepZone(c, form)
  const keys = chosenKeys(table, form)
  const back = backOf(table, form)
  if (keys.length === 0) return sendBack(c, back, 'error', ['Select at least one row first.'])
  if (keys.length > ROWS_PER_PAGE) throw unprocessable(`Select at most ${ROWS_PER_PAGE} rows at a time.`)
  const chosen = { ...sent, keys, back }
  const wanted = textField(form, 'act')
  if (wanted === 'delete' && table.mayDelete) return deleteChosen(c, chosen)
  const action = table.actions.find((one) => one.name === wanted)
  if (!action) throw notFound(`${table.labels} do not have this action.`)
  return act(c, chosen, action)
}

function chosenKeys(table: Table, form: FormData): AdminKey[] {
  const keys = form.getAll('key').flatMap((value) => (typeof value === 'string' ? (parseKey(table, value) ?? []) : []))
  return [...new Set(keys)]
}

/** Where to go afterward: always a page of this table, in characters that a header may have. */
function backOf(table: Table, form: FormData): string {
  const back = textField(form, 'back')
  return back.startsWith(listPath(table)) && /^[!-~]+$/.test(back) && !back.includes('..') ? back : listPath(table)
}

/**
 * Asks first, listing everything that is deleted with the rows, then deletes all of them or none.
 * @param isOnPage whether the only row is deleted from its own page, which sends what the row was
 */
export async function deleteChosen(
  c: SiteContext,
  chosen: Chosen,
  isOnPage = textField(chosen.form, 'was') !== '',
): Promise<Response> {
  const { tables, table, keys, form, back, isExpired } = chosen
  const { rows, affected } = await readRemoval(c.env.DB, tables, table, keys)
  const [known] = rows
  if (!known && isOnPage) throw noSuchRow(table, keys[0] ?? '')
  if (!known) return sendBack(c, back, 'error', ['None of these rows exist anymore.'])
  const label = table.deleteLabel
  const names = rows.map(({ key, title }) => nameOf(table, key, title))
  const these =
    rows.length === 1 ? `this ${inSentence(table.label)}` : `these ${rows.length} ${inSentence(table.labels)}`
  const was = isOnPage ? await fingerprintOf(table, known) : ''
  const onPage = {
    title: `${label}: ${names[0]} · ${table.labels}`,
    heading: `${label} ${these}?`,
    cancel: rowPath(table, known.key),
    was,
  }
  const ask = (status: 200 | 409 | 422, messages: readonly string[]) =>
    showConfirm(
      c,
      { ...chosen, keys: rows.map(({ key }) => key) },
      {
        action: 'delete',
        label,
        question: isOnPage ? 'This cannot be undone.' : `Delete ${these}? This cannot be undone.`,
        rows: names,
        affected,
        controls: [],
        errors: messages.map((message) => ({ message })),
        isDangerous: true,
        status,
        ...(isOnPage && { onPage }),
      },
    )
  if (isExpired) return ask(200, [expiredMessage])
  if (textField(form, 'confirmed') !== '1') return ask(200, [])
  if (textField(form, 'was') !== was || (await isOutdated(form, { rows: names, affected })))
    return ask(409, [changedBefore])
  const isGuarded = isGuardedRemoval(table, rows.length, affected)
  if (isGuarded && !isFresh(c)) return confirmFirst(c, actPath(table))
  const removed = await removeRows(c.env, table, rows, {
    actor: actorOf(c),
    now: Date.now(),
    isGuarded,
    isAllowed: whileSuperuser(ownerOf(c)),
  })
  if (removed.kind === 'refused') return ask(removed.status, removed.messages)
  return sendBack(c, back, 'success', [removed.message])
}
