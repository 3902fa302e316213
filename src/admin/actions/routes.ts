import { Hono } from 'hono'
import type { AdminKey } from '../../web/admin-change.ts'
import { formOf, textField } from '../../web/parse.ts'
import { notThere, refused, wrongMethod } from '../../web/refusal.ts'
import type { SiteContext, SiteEnv } from '../../web/site.ts'
import { keepZone } from '../row/form-zone.ts'
import type { Table, Tables } from '../table.ts'
import { listPath, parseKey, tableOf } from '../table-parts.ts'
import { act } from './act.tsx'
import { deleteChosen } from './delete-chosen.ts'
import { sendBack } from './send-back.ts'

const mostKeys = 100

/** Something done to chosen rows: asked first where that is wanted, then done, then said. */
export function actionRoutes(tables: Tables): Hono<SiteEnv> {
  const routes = new Hono<SiteEnv>()

  routes.post('/:table/act/', (c) => postAct(c, tables, c.req.param('table')))

  // Said here, because the rows would take `act` for a key.
  routes.on(['GET', 'PUT', 'PATCH', 'DELETE'], '/:table/act/', (c) => {
    tableOf(tables, c.req.param('table'))
    throw wrongMethod(['POST'])
  })

  return routes
}

/** @param name the table's */
export async function postAct(c: SiteContext, tables: Tables, name: string): Promise<Response> {
  const table = tableOf(tables, name)
  const form = await formOf(c)
  keepZone(c, form)
  const keys = chosenKeys(table, form)
  const back = backOf(table, form)
  if (keys.length === 0) return sendBack(c, back, 'error', ['Tick at least one row first.'])
  if (keys.length > mostKeys) throw refused(`At most ${mostKeys} rows at once.`)
  const chosen = { tables, table, keys, form, back }
  const wanted = textField(form, 'act')
  if (wanted === 'delete' && table.mayDelete) return deleteChosen(c, chosen)
  const action = table.actions.find((one) => one.name === wanted)
  if (!action) throw notThere(`${table.labels} have no such action.`)
  return act(c, chosen, action)
}

function chosenKeys(table: Table, form: FormData): AdminKey[] {
  const keys = form.getAll('key').flatMap((value) => (typeof value === 'string' ? (parseKey(table, value) ?? []) : []))
  return [...new Set(keys)]
}

/** Where to go afterwards: only ever a page of this table. */
function backOf(table: Table, form: FormData): string {
  const back = textField(form, 'back')
  return back.startsWith(listPath(table)) && !back.includes('..') ? back : listPath(table)
}
