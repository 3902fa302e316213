import { env } from 'cloudflare:workers'

/** Called around each round trip, numbered from 1. */
interface Watcher {
  before?(trip: number): Promise<void> | void
  after?(trip: number): Promise<void> | void
}

/** The database with hooks around every round trip, which may count, delay or break it. */
export function watchedDatabase(watcher: Watcher): D1Database {
  let trips = 0
  const watched = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    trips += 1
    const trip = trips
    await watcher.before?.(trip)
    const result = await work()
    await watcher.after?.(trip)
    return result
  }
  const prepared = (statement: D1PreparedStatement): D1PreparedStatement =>
    Object.assign(statement, {
      bind: (
        (bind) =>
        (...values: unknown[]) =>
          prepared(bind.apply(statement, values))
      )(statement.bind),
      first: (
        (first: (...column: string[]) => Promise<unknown>) =>
        (...column: string[]) =>
          watched(() => first.apply(statement, column))
      )(statement.first),
      run: (
        (run) => () =>
          watched(() => run.apply(statement))
      )(statement.run),
      all: (
        (all) => () =>
          watched(() => all.apply(statement))
      )(statement.all),
    })
  const database: Pick<D1Database, 'prepare' | 'batch' | 'withSession'> = {
    prepare: (sql) => prepared(env.DB.prepare(sql)),
    batch: (statements) => watched(() => env.DB.batch(statements)),
    withSession: () => ({ ...database, getBookmark: () => null }),
  }
  return database as D1Database
}

/** One round trip fails, before or after it was carried out; all others work. */
export function failingAt(failing: number, moment: 'before' | 'after'): D1Database {
  const fail = (trip: number) => {
    if (trip === failing) throw new Error('D1_ERROR: Network connection lost.')
  }
  return watchedDatabase(moment === 'before' ? { before: fail } : { after: fail })
}

/** A database with one late answer. */
export interface LateDatabase {
  db: D1Database
  /** Resolves once the late round trip has begun. */
  isWaiting: Promise<void>
  /** Lets it answer. */
  answer: () => void
}

/** One round trip answers only on demand, and is carried out just before it waits or just before it answers. */
export function lateAt(late: number, moment: 'before' | 'after'): LateDatabase {
  const waiting = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<void>()
  const hold = async (trip: number): Promise<void> => {
    if (trip !== late) return
    waiting.resolve()
    await answered.promise
  }
  const db = watchedDatabase(moment === 'before' ? { before: hold } : { after: hold })
  return { db, isWaiting: waiting.promise, answer: answered.resolve }
}

/** A run that {@link failingAt} broke has ended; the next run repeats it. */
export async function unlessBroken(run: Promise<unknown>): Promise<void> {
  try {
    await run
  } catch (error) {
    if (!String(error).includes('Network connection lost')) throw error
  }
}

export class Killed extends Error {
  constructor() {
    super('the runner was killed')
  }
}

/** The runner dies just before or just after its nth round trip, and writes nothing more. */
export function killedAt(trip: number, moment: 'before' | 'after'): D1Database {
  const kill = (present: number) => {
    if (present >= trip) throw new Killed()
  }
  return watchedDatabase({
    before: (present) => kill(moment === 'before' ? present : present - 1),
    after: (present) => (moment === 'after' ? kill(present) : undefined),
  })
}
