import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'

/** All rows at one time, by table; and when it was written, in ms. */
interface Moment {
  at: number
  tables: Record<string, Record<string, SqlStorageValue>[]>
}

interface Asked {
  text: string
  values: unknown[]
}

const isWrite = ({ text }: Asked): boolean =>
  /^\s*(?:INSERT|UPDATE|DELETE|REPLACE)\b/i.test(text) ||
  (/^\s*WITH\b/i.test(text) && /\b(?:INSERT INTO|DELETE FROM|UPDATE ")/i.test(text))

/**
 * The database with read replicas exactly as D1 promises them: queries outside a session, the first one of a session
 * that begins at the primary, and all writes go to the primary. All others go to a copy that lags, each time by as much
 * as `lagOf` says (ms), but never behind what the same session has seen. Bookmarks are numbers of states.
 */
export class LaggingDatabase {
  readonly #moments: Moment[] = []
  readonly #lagOf: () => number
  #copied = -1

  constructor(lagOf: () => number) {
    this.#lagOf = lagOf
  }

  /** Begins with what the database contains, as if it had always been so. */
  async open(): Promise<D1Database> {
    await prepareCopy()
    await this.#note(0)
    return {
      ...this.#connection(null),
      withSession: (start = 'first-unconstrained') => this.#session(start),
    } as D1Database
  }

  #session(start: string): D1DatabaseSession {
    const seen = { bookmark: start === 'first-primary' ? -1 : start === 'first-unconstrained' ? 0 : Number(start) }
    const isEmpty = { value: true }
    return {
      ...this.#connection(seen, isEmpty),
      getBookmark: () => (isEmpty.value ? null : String(seen.bookmark)),
    } as D1DatabaseSession
  }

  /** @param seen the state a session has seen; -1: it must see the newest */
  #connection(seen: { bookmark: number } | null, isEmpty = { value: true }): Pick<D1Database, 'prepare' | 'batch'> {
    const run = async (asked: Asked[]): Promise<D1Result[]> => {
      const isNewest = seen === null || seen.bookmark < 0 || asked.some(isWrite)
      const [results, bookmark] = isNewest ? await this.#askPrimary(asked) : await this.#askCopy(asked, seen.bookmark)
      isEmpty.value = false
      if (seen) seen.bookmark = bookmark
      return results
    }
    const inner = new WeakMap<object, Asked>()
    const prepared = (asked: Asked): D1PreparedStatement => {
      const all = async () => (await run([asked]))[0]
      const made = {
        bind: (...values: unknown[]) => prepared({ ...asked, values }),
        all,
        run: all,
        async first() {
          return (await all())?.results[0] ?? null
        },
      }
      inner.set(made, asked)
      return made as unknown as D1PreparedStatement
    }
    return {
      prepare: (text) => prepared({ text, values: [] }),
      batch: async (statements) =>
        (await run(statements.map((one) => inner.get(one) ?? { text: '', values: [] }))) as D1Result<never>[],
    }
  }

  async #askPrimary(asked: Asked[]): Promise<[D1Result[], number]> {
    const results = await env.DB.batch(asked.map(({ text, values }) => env.DB.prepare(text).bind(...values)))
    if (asked.some(isWrite)) await this.#note(Date.now())
    return [results, this.#moments.length - 1]
  }

  async #askCopy(asked: Asked[], least: number): Promise<[D1Result[], number]> {
    const known = Date.now() - this.#lagOf()
    const latest = this.#moments.findLastIndex(({ at }) => at <= known)
    const shown = Math.max(least, latest, 0)
    const moment = this.#moments[shown]
    if (moment && this.#copied !== shown) await writeCopy(moment)
    this.#copied = shown
    return [await readCopy(asked), shown]
  }

  async #note(at: number): Promise<void> {
    const names = await tableNames()
    const results = await env.DB.batch<Record<string, SqlStorageValue>>(
      names.map((name) => env.DB.prepare(`SELECT * FROM "${name}"`)),
    )
    const tables = names.map((name, index) => [name, results[index]?.results ?? []] as const)
    this.#moments.push({ at, tables: Object.fromEntries(tables) })
  }
}

const copy = () => env.LIMITER.get(env.LIMITER.idFromName('copy of the database'))

async function tableNames(): Promise<string[]> {
  const { results } = await env.DB.prepare(
    `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*' AND name NOT GLOB 'sqlite_*' AND name <> 'd1_migrations'`,
  ).all<{ name: string }>()
  return results.map(({ name }) => name)
}

/** Makes the tables of the copy: only what reading needs. */
async function prepareCopy(): Promise<void> {
  const names = await tableNames()
  const columns = await env.DB.batch<{ name: string; type: string }>(
    names.map((name) => env.DB.prepare(`SELECT name, type FROM pragma_table_xinfo('${name}')`)),
  )
  await runInDurableObject(copy(), (_, { storage }) => {
    for (const [index, name] of names.entries()) {
      const list = (columns[index]?.results ?? []).map((column) => `"${column.name}" ${column.type}`)
      storage.sql.exec(`DROP TABLE IF EXISTS "${name}"`)
      storage.sql.exec(`CREATE TABLE "${name}" (${list.join(', ')})`)
    }
  })
}

async function writeCopy({ tables }: Moment): Promise<void> {
  await runInDurableObject(copy(), (_, { storage }) => {
    for (const [name, rows] of Object.entries(tables)) {
      storage.sql.exec(`DELETE FROM "${name}"`)
      for (const row of rows) {
        const columns = Object.keys(row)
        storage.sql.exec(
          `INSERT INTO "${name}" (${columns.map((column) => `"${column}"`).join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
          ...Object.values(row),
        )
      }
    }
  })
}

function readCopy(asked: Asked[]): Promise<D1Result[]> {
  return runInDurableObject(copy(), (_, { storage }) =>
    asked.map(({ text, values }) => {
      const results = storage.sql.exec(text, ...(values as SqlStorageValue[])).toArray()
      return { results, success: true, meta: { changes: 0, last_row_id: 0 } } as unknown as D1Result
    }),
  )
}
