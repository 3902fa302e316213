import { and, eq, getTableName } from 'drizzle-orm'
import { createMiddleware } from 'hono/factory'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import manifest from '../../.build/manifest.json'
import { query, read, readFirst } from '../db/query.ts'
import { user } from '../db/schema/index.ts'
import { beginSession } from '../db/session.ts'
import { withTimeout } from '../lib/time.ts'
import { Refusal } from './refusal.ts'
import type { SiteEnv } from './site.ts'

/** The migrations that wrangler has applied. Source: https://developers.cloudflare.com/d1/reference/migrations/ */
const appliedMigration = sqliteTable('d1_migrations', { name: text().notNull() })

/** SQLite's own list of the database's tables and indexes. Source: https://sqlite.org/schematab.html */
const sqliteSchema = sqliteTable('sqlite_schema', { type: text().notNull(), name: text().notNull() })

/** Something that the instance needs, and the command that provides it. Never contains a secret's value. */
export interface MissingPart {
  what: string
  local: string
  deployed: string
}

const MIN_SECRET_LENGTH = 32
/** A slower database has a different problem, which the page itself will report. */
const MAX_CHECK_MS = 1000

/** The response to every request until the instance has what it needs. */
export class NotSetUp extends Refusal {
  readonly missing: readonly MissingPart[]

  constructor(missing: readonly MissingPart[]) {
    super(503, missing.map(sentenceOf))
    this.missing = missing
  }
}

const sentenceOf = ({ what, local, deployed }: MissingPart): string =>
  `${what} On your own computer, run ${local}; for a deployed instance, ${deployed}.`

function missingSecret(env: Pick<Env, 'SECRET_KEY'>): MissingPart[] {
  const length = env.SECRET_KEY?.length ?? 0
  if (length >= MIN_SECRET_LENGTH) return []
  const what =
    length === 0
      ? 'The secret SECRET_KEY is missing.'
      : `The secret SECRET_KEY is shorter than ${MIN_SECRET_LENGTH} characters.`
  return [{ what, local: 'npm run dev', deployed: 'npx wrangler secret put SECRET_KEY' }]
}

/** Lists what is missing. Rejects if the database does not answer. */
async function missingMigrations(db: D1Database): Promise<MissingPart[]> {
  const applied = await appliedMigrations(db)
  if (applied === null) return []
  const missing = manifest.migrations.filter((name) => !applied.has(name))
  if (missing.length === 0) return []
  const what =
    missing.length === manifest.migrations.length
      ? 'The database has no tables yet.'
      : `The database schema is older than the app: ${missing.length} of ${manifest.migrations.length} migrations are missing, the first is ${missing[0]}.`
  return [{ what, local: 'npm run dev', deployed: 'npx wrangler d1 migrations apply DB --remote' }]
}

/** Null if the tables were created without wrangler (https://developers.cloudflare.com/d1/reference/migrations/). */
async function appliedMigrations(db: D1Database): Promise<ReadonlySet<string> | null> {
  try {
    const applied = await read(db, query.select().from(appliedMigration))
    return new Set(applied.map(({ name }) => name))
  } catch (error) {
    if (!/no such table/.test(String(error))) throw error
    const isUserTable = and(eq(sqliteSchema.type, 'table'), eq(sqliteSchema.name, getTableName(user)))
    const table = await readFirst(db, query.select().from(sqliteSchema).where(isUserTable))
    return table === null ? new Set() : null
  }
}

/** The refusal for an error caused by missing tables or columns; null for every other error. */
export async function notSetUpBehind(error: Error, env: Env): Promise<NotSetUp | null> {
  if (error instanceof NotSetUp) return error
  if (!/no such (?:table|column)|has no column named/.test(String(error))) return null
  const missing = await withTimeout(missingMigrations(env.DB), MAX_CHECK_MS).catch(() => [])
  return missing.length === 0 ? null : new NotSetUp(missing)
}

/** The nearest copy is asked first, because it can only be behind. */
async function missingEverywhere(db: D1Database): Promise<MissingPart[]> {
  const nearby = await missingMigrations(beginSession(db, 'first-unconstrained'))
  return nearby.length === 0 ? nearby : missingMigrations(db)
}

type Check = (env: Env) => Promise<MissingPart[]>

/** Makes a check of what is missing that stops asking the database once nothing is. It never rejects. */
export function setUpCheck(): Check {
  let isMigrated = false
  return async (env) => {
    const secret = missingSecret(env)
    if (isMigrated) return secret
    try {
      const migrations = await withTimeout(missingEverywhere(env.DB), MAX_CHECK_MS)
      isMigrated = migrations.length === 0
      return [...secret, ...migrations]
    } catch {
      return secret
    }
  }
}

const checkHere = setUpCheck()

/** Answers 503 while something is missing. While the database is checked, pages are rendered and changes wait. */
export const requireSetUp = (check: Check = checkHere) =>
  createMiddleware<SiteEnv>(async function requireSetUp(c, next) {
    const found = check(c.env)
    const isRead = c.req.method === 'GET' || c.req.method === 'HEAD'
    if (!isRead || missingSecret(c.env).length > 0) refuseMissing(await found)
    await next()
    if (c.res.status !== 503) refuseMissing(await found)
  })

function refuseMissing(missing: readonly MissingPart[]): void {
  if (missing.length > 0) throw new NotSetUp(missing)
}

/** Runs a cron or a queue handler unless something is missing, in which case it logs one line. */
export async function whenSetUp(env: Env, work: () => Promise<void>, check: Check = checkHere): Promise<void> {
  const missing = await check(env)
  if (missing.length > 0) logNotSetUp(new NotSetUp(missing))
  else await work()
}

export function logNotSetUp({ messages }: NotSetUp): void {
  console.error({ event: 'not_set_up', missing: messages })
}
