import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { readListQuery } from '../../src/admin/list/list-query.ts'
import { listStatements } from '../../src/admin/list/list-statements.ts'
import { ROWS_PER_PAGE } from '../../src/admin/list/read-list.ts'
import { compiledText } from '../../src/db/query.ts'
import { tableOf } from '../../src/admin/table-parts.ts'
import { adminTables } from '../../src/admin/tables.ts'
import { ROOT } from '../world/start/settings.ts'
import type { AnsweredList, AskedList } from './app/admin-worker.ts'
import { startApp, type BenchApp } from './app/start-app.ts'
import { trackerOf } from './filled-tracker.ts'
import { percentile, type Figure, type Part } from './report.ts'

const rows = 100_000
const rounds = 5
const listsPerRound = 2
/** What a person perceives as immediate, also on a busy machine, in ms. */
const atMost = 500
/** A window of the list for the page, one for the count, and what their rows refer to. */
const mostRowsRead = 200_000

interface Question {
  what: string
  table: 'sections' | 'alerts'
  address: string
  /** Rows of the page it must find. */
  shown: number
}

const questions: readonly Question[] = [
  { what: 'sections: first page', table: 'sections', address: '', shown: 50 },
  { what: 'sections: a page in the middle', table: 'sections', address: 'after=50000', shown: 50 },
  { what: 'sections: by number', table: 'sections', address: 'sort=number', shown: 50 },
  { what: 'sections: watched only', table: 'sections', address: 'watched=yes', shown: 50 },
  { what: 'sections: of a course', table: 'sections', address: 'course_id=77', shown: 50 },
  { what: 'sections: status, without an index', table: 'sections', address: 'status=open', shown: 50 },
  { what: 'sections: a number, wherever it is', table: 'sections', address: 'q=107919', shown: 1 },
  { what: 'sections: a rare topic', table: 'sections', address: 'q=RARE', shown: 20 },
  { what: 'sections: a text nobody has', table: 'sections', address: 'q=no+such+text', shown: 0 },
  { what: 'alerts: first page', table: 'alerts', address: '', shown: 50 },
  { what: 'alerts: of a recipient', table: 'alerts', address: 'recipient_id=77', shown: 50 },
  { what: 'alerts: failed, without an index', table: 'alerts', address: 'state=failed', shown: 40 },
  { what: 'alerts: a recipient’s name', table: 'alerts', address: 'q=recipient+777', shown: 20 },
]

interface Plain {
  sql: string
  values: SQLInputValue[]
}

/** The statements of a list as they are sent, for another SQLite. */
function statementsOf({ table: name, address }: Question): Plain[] {
  const table = tableOf(adminTables, name)
  const query = readListQuery(table, new URLSearchParams(address))
  const statements = listStatements(adminTables, table, query, { size: ROWS_PER_PAGE, timeZone: 'UTC' })
  return Object.values(statements).flatMap((statement) => {
    if (statement === null) return []
    const { text, params } = compiledText(statement)
    return [{ sql: text, values: params as SQLInputValue[] }]
  })
}

/** The app's own tables in Node's SQLite, in memory. */
function plainDatabase(): DatabaseSync {
  const database = new DatabaseSync(':memory:')
  const folder = join(ROOT, 'migrations')
  for (const file of readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .toSorted()) {
    database.exec(readFileSync(join(folder, file), 'utf8'))
  }
  for (const { sql, values } of trackerOf(rows)) database.prepare(sql).run(...values)
  return database
}

function askPlain(database: DatabaseSync, statements: readonly Plain[]): number {
  const began = performance.now()
  for (let lists = 0; lists < listsPerRound; lists += 1) {
    for (const { sql, values } of statements) database.prepare(sql).all(...values)
  }
  return (performance.now() - began) / listsPerRound
}

async function compare(app: BenchApp, plain: DatabaseSync, question: Question) {
  const { what, table, address, shown } = question
  const statements = statementsOf(question)
  const asked: AskedList = { table, address, count: listsPerRound }
  const pairs: { ours: number; bare: number }[] = []
  let answer: AnsweredList = { ms: 0, trips: 0, rowsRead: 0, shown: 0 }
  for (let round = 0; round <= rounds; round += 1) {
    answer = await app.ask<AnsweredList>('/_admin/lists', asked)
    if (answer.shown !== shown) throw new Error(`${what}: ${answer.shown} rows were found instead of ${shown}.`)
    const pair = { ours: answer.ms, bare: askPlain(plain, statements) }
    if (round > 0) pairs.push(pair)
  }
  const median = (of: (pair: { ours: number; bare: number }) => number) => percentile(pairs.map(of), 0.5)
  const figure: Figure = {
    what,
    value: median(({ ours }) => ours),
    unit: 'ms',
    atMost,
    note: `${answer.rowsRead.toLocaleString('en-US')} rows read; ${median(({ ours, bare }) => ours / bare).toFixed(2)} × the same SQL in plain SQLite (${median(({ bare }) => bare).toFixed(2)} ms)`,
  }
  return { figure, answer }
}

/** Admin lists of 100 000 sections and as many alerts, as a Worker reads them, beside the same SQL in plain SQLite. */
export async function measureAdmin(): Promise<Part> {
  const app = await startApp({}, 'admin-worker')
  const plain = plainDatabase()
  try {
    for (const { sql, values } of trackerOf(rows)) {
      await app.db
        .prepare(sql)
        .bind(...values)
        .run()
    }
    const compared = []
    for (const question of questions) compared.push(await compare(app, plain, question))
    const answers = compared.map(({ answer }) => answer)
    return {
      name: `(k) The admin on ${rows.toLocaleString('en-US')} sections and as many alerts`,
      figures: [
        ...compared.map(({ figure }) => figure),
        {
          what: 'D1 round trips of a list, at most',
          value: Math.max(...answers.map(({ trips }) => trips)),
          unit: '',
          exactly: 1,
        },
        {
          what: 'rows read by a list, at most',
          value: Math.max(...answers.map(({ rowsRead }) => rowsRead)),
          unit: '',
          atMost: mostRowsRead,
        },
      ],
      notes: [
        `Medians of ${rounds} pairs of ${listsPerRound} lists with their counts, ours and plain in turn. Ours is read from D1 by a Worker; plain is SQLite inside of Node.`,
      ],
    }
  } finally {
    plain.close()
    await app.close()
  }
}
