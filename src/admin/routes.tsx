import { Hono } from 'hono'
import { registerWaitingForms } from '../accounts/reauthenticate/recently-authenticated.ts'
import { requireSuperuser } from '../accounts/roles.ts'
import { write } from '../db/query.ts'
import { truncated } from '../lib/text.ts'
import { contextOf, showPage } from '../web/page/page.tsx'
import { positiveInteger } from '../web/parse.ts'
import { notFound, wrongMethod } from '../web/refusal.ts'
import { laterOf, type SiteContext, type SiteEnv } from '../web/site.ts'
import { actionRoutes, postAct, offerExpiredAct } from './actions/routes.ts'
import { readHistory } from './audit/history.ts'
import { findPalette } from './palette.ts'
import { isOld, renewCounts } from './read-counts.ts'
import { readIndex } from './read-index.ts'
import { exportList } from './list/export-list.ts'
import { readListQuery } from './list/list-query.ts'
import { readList } from './list/read-list.ts'
import { HistoryPage } from './pages/history.tsx'
import { Frame } from './pages/frame.tsx'
import { IndexPage } from './pages/index.tsx'
import { ListPage } from './pages/list.tsx'
import { findOptions } from './row/find-references.ts'
import { postAdd, postChange, rowRoutes } from './row/routes.tsx'
import { nameOf, parseKey, tableOf } from './table-parts.ts'
import type { Tables } from './table.ts'

/** The admin, for superusers only. Its pages work without JavaScript; scripts add shortcuts and suggestions. */
export function adminRoutes(tables: Tables): Hono<SiteEnv> {
  const admin = new Hono<SiteEnv>()
  admin.use('*', requireSuperuser({ area: 'admin' }))
  registerForms(tables)

  admin.get('/', (c) => showIndex(c, tables))
  admin.get('/palette.json', async (c) => c.json(await findPalette(c.env.DB, tables, c.req.query('q') ?? '')))

  admin.get('/:table/', (c) => showList(c, tables, c.req.param('table')))
  admin.get('/:table/export.csv', (c) => {
    const table = tableOf(tables, c.req.param('table'))
    const query = readListQuery(table, queryOf(c))
    return c.body(exportList(c.env.DB, tables, table, { query, timeZone: c.get('timeZone') }), 200, {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${table.name}.csv"`,
    })
  })

  admin.get('/:table/options.json', async (c) => {
    const table = tableOf(tables, c.req.param('table'))
    const asked = { search: c.req.query('q') ?? '', timeZone: c.get('timeZone') }
    return c.json(await findOptions(c.env.DB, tables, table, asked))
  })

  // Registered before the rows, because `export.csv`, `options.json` and `act` are not keys.
  admin.on(['POST', 'PUT', 'PATCH', 'DELETE'], ['/:table/export.csv', '/:table/options.json'], (c) => {
    tableOf(tables, c.req.param('table'))
    throw wrongMethod(['GET', 'HEAD'])
  })
  admin.route('/', actionRoutes(tables))
  admin.route('/', rowRoutes(tables))

  admin.get('/:table/:key/history/', (c) => showHistory(c, tables, c.req.param()))

  return admin
}

async function showIndex(c: SiteContext, tables: Tables): Promise<Response> {
  const all = tables.values()
  const now = Date.now()
  const index = await readIndex(c.env.DB, all, now, laterOf(c))
  return showPage(c, {
    page: 'Admin',
    title: 'Admin',
    props: { tables: all.map(({ name, labels }) => ({ name, labels, rows: index.counts.get(name)?.rows ?? 0 })) },
    body: <IndexPage tables={all} index={index} now={now} timeZone={c.get('timeZone')} />,
  })
}

async function showList(c: SiteContext, tables: Tables, name: string): Promise<Response> {
  const table = tableOf(tables, name)
  const asked = await offerExpiredAct(c, tables, table)
  if (asked) return asked
  const query = readListQuery(table, queryOf(c))
  const now = Date.now()
  const list = await readList(c.env.DB, tables, table, { query, timeZone: c.get('timeZone') })
  if (isOld(list.counts, now)) c.executionCtx.waitUntil(write(c.env.DB, renewCounts(tables.values(), now)))
  return showPage(c, {
    page: 'AdminList',
    title: table.heading ?? table.labels,
    props: {
      table: table.name,
      ...list.count,
      rows: list.rows.map(({ key, title }) => ({ key, title: truncated(title) })),
    },
    body: (
      <Frame places={tables.places} current={table.name} counts={list.counts} now={now} timeZone={c.get('timeZone')}>
        <ListPage context={contextOf(c)} table={table} query={query} list={list} now={now} />
      </Frame>
    ),
  })
}

/** @param place a table's name and a row's key, as the address has them */
async function showHistory(c: SiteContext, tables: Tables, place: { table: string; key: string }): Promise<Response> {
  const table = tableOf(tables, place.table)
  const key = parseKey(table, place.key)
  if (key === null) throw notFound()
  const { counts, ...history } = await readHistory(c.env.DB, table, key, positiveInteger(c.req.query('before')))
  if (history.title === null && history.entries.length === 0) throw notFound()
  return showPage(c, {
    page: 'AdminHistory',
    title: `History of ${nameOf(table, key, history.title ?? history.entries[0]?.title ?? null)} · ${table.labels}`,
    props: { table: table.name, key, entries: history.entries },
    body: (
      <Frame places={tables.places} current={table.name} counts={counts} now={Date.now()} timeZone={c.get('timeZone')}>
        <HistoryPage table={table} rowKey={key} {...history} timeZone={c.get('timeZone')} />
      </Frame>
    ),
  })
}

const queryOf = (c: SiteContext): URLSearchParams => new URL(c.req.url).searchParams

const area = '/admin/'

/** Lets forms of the admin wait until their sender has confirmed who they are, and then carries them out. */
function registerForms(tables: Tables): void {
  registerWaitingForms(area, {
    async carryOut(c, path) {
      // The form may have waited while its sender was demoted.
      if (!c.get('user')?.is_superuser) throw notFound()
      const [table = '', key = '', more = ''] = partsOf(path)
      // Another version's form, such as a delete: its page asks again.
      if (more !== '') return c.redirect(path, 303)
      if (key === 'act') return postAct(c, tables, table)
      if (key === 'add') return postAdd(c, tables, table)
      return postChange(c, tables, { table, key: decodeURIComponent(key) })
    },
    pageOf(path) {
      const [table = '', key] = partsOf(path)
      return key === 'act' ? `${area}${table}/` : path
    },
  })
}

const partsOf = (path: string): string[] => path.slice(area.length).split('/')
