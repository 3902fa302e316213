import type { D1Database, D1PreparedStatement } from '@cloudflare/workers-types'
import { readListQuery } from '../../../src/admin/list/list-query.ts'
import { readList } from '../../../src/admin/list/read-list.ts'
import { tableOf } from '../../../src/admin/table-parts.ts'
import { adminTables } from '../../../src/admin/tables.ts'
import measured, { Checker, Ledger, Limiter, Pacer, Runner } from './measured-worker.ts'

export { Checker, Ledger, Limiter, Pacer, Runner }

/** A list to read, and how often. */
export interface AskedList {
  table: string
  /** The query part of its address. */
  address: string
  count: number
}

export interface AnsweredList {
  /** Of one list. */
  ms: number
  trips: number
  rowsRead: number
  /** Rows of the page. */
  shown: number
}

async function readLists(db: D1Database, { table: name, address, count }: AskedList): Promise<AnsweredList> {
  const table = tableOf(adminTables, name)
  const query = readListQuery(table, new URLSearchParams(address))
  let [trips, rowsRead, shown] = [0, 0, 0]
  const counted: Pick<D1Database, 'prepare' | 'batch'> = {
    prepare: (sql) => db.prepare(sql),
    async batch<Row>(statements: D1PreparedStatement[]) {
      const results = await db.batch<Row>(statements)
      trips += 1
      for (const { meta } of results) rowsRead += meta.rows_read
      return results
    },
  }
  const began = Date.now()
  for (let lists = 0; lists < count; lists += 1) {
    shown = (await readList(counted as D1Database, adminTables, table, { query, timeZone: 'UTC' })).rows.length
  }
  return { ms: (Date.now() - began) / count, trips: trips / count, rowsRead: rowsRead / count, shown }
}

type Fetch = typeof measured.fetch

/** The measured app, with a call that reads admin lists. */
export default {
  ...measured,
  async fetch(request: Request, env: Parameters<Fetch>[1], context: Parameters<Fetch>[2]): Promise<Response> {
    if (new URL(request.url).pathname !== '/_admin/lists') return measured.fetch(request, env, context)
    return Response.json(await readLists(env.DB, await request.json()))
  },
}
