import { Hono } from 'hono'
import { ownerOf, whileSuperuser } from '../../accounts/owner.ts'
import { confirmFirst, isFresh } from '../../accounts/reauthenticate/recently-authenticated.ts'
import { readTogether } from '../../db/query.ts'
import type { AdminKey } from '../../web/admin-change.ts'
import { actorOf } from '../../web/audit.ts'
import { flash } from '../../web/session/flash.ts'
import { takeExpiredForm } from '../../web/session/expired-form.ts'
import { contextOf, showPage } from '../../web/page/page.tsx'
import { formOf, textField } from '../../web/parse.ts'
import { forbidden, notFound } from '../../web/refusal.ts'
import type { SiteContext, SiteEnv } from '../../web/site.ts'
import { deleteChosen, offerExpiredAct } from '../actions/routes.ts'
import { entryOf, latestEntries } from '../audit/history.ts'
import { Frame } from '../pages/frame.tsx'
import { RowPage, pageTitle } from '../pages/row.tsx'
import { type Counts, countsOf, findCounts } from '../read-counts.ts'
import type { Table, Tables } from '../table.ts'
import { formPath, listPath, noSuchRow, parseKey, tableOf } from '../table-parts.ts'
import { type Saved, untouchedForm } from './form-state.ts'
import { keepZone } from '../zone-time.ts'
import { knownRow, panelStatement, rowStatements } from './read-row.ts'
import { relatedCounts } from './related-counts.ts'
import { saveRow } from './save-row.ts'
import { fingerprintOf } from './stale-row.ts'

/** How many audit entries a row's page shows. */
const ENTRIES_BESIDE = 6

/** Adding, showing and changing one row, and asking before it is deleted. */
export function rowRoutes(tables: Tables): Hono<SiteEnv> {
  const routes = new Hono<SiteEnv>()

  routes.get('/:table/add/', async (c) => {
    const table = addable(tables, c.req.param('table'))
    const expiredForm = await expiredRowForm(c, tables, table, null)
    if (expiredForm) return showRow(c, tables, table, expiredForm)
    const state = untouchedForm(table, null, new URL(c.req.url).searchParams, c.get('timeZone'))
    return showRow(c, tables, table, { state, errors: [], known: null, status: 200 })
  })

  routes.post('/:table/add/', (c) => postAdd(c, tables, c.req.param('table')))

  routes.get('/:table/:key/', async (c) => {
    const { table, key } = tableAndKey(tables, c.req.param())
    const asked = await offerExpiredAct(c, tables, table)
    if (asked) return asked
    const expiredForm = table.mayChange ? await expiredRowForm(c, tables, table, key) : null
    if (expiredForm) return showRow(c, tables, table, expiredForm)
    const panels = table.panels
    const own = rowStatements(tables, table, key)
    const [counts, latest, [related = {}], ...lists] = await readTogether(
      c.env.DB,
      findCounts(),
      latestEntries(table, key, ENTRIES_BESIDE),
      relatedCounts(tables, table, key),
      ...own,
      ...panels.map((panel) => panelStatement(panel, key)),
    )
    const known = knownRow(table, lists)
    if (!known) throw noSuchRow(table, key)
    const state = untouchedForm(table, known, new URLSearchParams(), c.get('timeZone'))
    const shown = panels.map((panel, index) => ({ panel, rows: lists[own.length + index] ?? [] }))
    const summary = { latest: latest.map(entryOf), counts: related, now: Date.now() }
    const others = { panels: shown, summary, counts: countsOf(counts) }
    return showRow(c, tables, table, { state, errors: [], known, status: 200, ...others })
  })

  routes.post('/:table/:key/', (c) => postChange(c, tables, c.req.param()))

  routes.get('/:table/:key/delete/', async (c) => {
    const { table, key } = tableAndKey(tables, c.req.param())
    if (!table.mayDelete) throw notFound()
    const chosen = { tables, table, keys: [key], form: new FormData(), back: listPath(table), isExpired: false }
    return deleteChosen(c, chosen, true)
  })

  // A page that was open during a deployment may still send its form here: it is asked again.
  routes.post('/:table/:key/delete/', (c) => {
    const { table, key } = tableAndKey(tables, c.req.param())
    return c.redirect(`${formPath(table, key)}delete/`, 303)
  })

  return routes
}

/** A table's name and a row's key from an address, decoded. */
interface RowPlace {
  table: string
  key: string
}

export function postAdd(c: SiteContext, tables: Tables, name: string): Promise<Response> {
  return postForm(c, tables, addable(tables, name), null)
}

export async function postChange(c: SiteContext, tables: Tables, place: RowPlace): Promise<Response> {
  const { table, key } = tableAndKey(tables, place)
  if (!table.mayChange) throw forbidden(`${table.labels} cannot be changed here.`)
  return postForm(c, tables, table, key)
}

async function postForm(c: SiteContext, tables: Tables, table: Table, key: AdminKey | null): Promise<Response> {
  const form = await formOf(c)
  keepZone(c, form)
  const saved = await saveRow(c.env, tables, table, { key, form, ...requestOf(c) })
  if (saved.kind === 'unconfirmed') return confirmFirst(c, formPath(table, key))
  if (saved.kind === 'refused') return showRow(c, tables, table, saved)
  flash(c, 'success', saved.message)
  const addsAnother = key === null && textField(form, 'act') === 'save_and_add'
  return c.redirect(formPath(table, addsAnother ? null : saved.key), 303)
}

/** A form that was sent after the session had expired, as it was filled in; null if there is none. */
async function expiredRowForm(c: SiteContext, tables: Tables, table: Table, key: AdminKey | null) {
  const form = await takeExpiredForm(c, formPath(table, key))
  if (form === null) return null
  // Looking up shows what was typed and saves nothing.
  form.set('act', 'look_up')
  const shown = await saveRow(c.env, tables, table, { key, form, ...requestOf(c) })
  if (shown.kind !== 'refused') return null
  const message = 'You were logged out before this was saved. Check it and save it again.'
  return { ...shown, errors: [{ message }, ...shown.errors] }
}

function requestOf(c: SiteContext) {
  const asked = { actor: actorOf(c), now: Date.now(), timeZone: c.get('timeZone') }
  return { ...asked, isFresh: isFresh(c), isAllowed: whileSuperuser(ownerOf(c)) }
}

function tableAndKey(tables: Tables, place: RowPlace): { table: Table; key: AdminKey } {
  const table = tableOf(tables, place.table)
  const key = parseKey(table, place.key)
  if (key === null) throw notFound()
  return { table, key }
}

function addable(tables: Tables, name: string): Table {
  const table = tableOf(tables, name)
  if (!table.mayAdd) throw notFound()
  return table
}

/** A row's form, and what is shown beside it. */
interface ShownRow
  extends
    Omit<Extract<Saved, { kind: 'refused' }>, 'kind'>,
    Partial<Pick<Parameters<typeof RowPage>[0], 'panels' | 'summary'>> {
  counts?: Counts
}

async function showRow(c: SiteContext, tables: Tables, table: Table, shown: ShownRow): Promise<Response> {
  const { known, state, errors, status, panels = [], summary = null, counts = new Map() } = shown
  return showPage(c, {
    page: 'AdminRow',
    title: pageTitle(table, known),
    props: { table: table.name, key: known?.key ?? null, errors },
    status,
    body: (
      <Frame places={tables.places} current={table.name} counts={counts} now={Date.now()} timeZone={c.get('timeZone')}>
        <RowPage
          context={contextOf(c)}
          table={table}
          known={known}
          fingerprint={known ? await fingerprintOf(table, known) : ''}
          state={state}
          errors={errors}
          panels={panels}
          summary={summary}
        />
      </Frame>
    ),
  })
}
