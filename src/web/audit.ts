import { type SQL, sql } from 'drizzle-orm'
import { into, statement, type Template } from '../db/query.ts'
import { audit } from '../db/schema/index.ts'
import { placeOf } from './security/client-address.ts'
import type { SiteContext } from './site.ts'

export interface Actor {
  userId: number | null
  /** The name at the time of the act, which stays readable after the user is deleted. */
  who: string
  ipAddress: string | null
  country: string | null
}

export interface AuditEntry {
  /** A verb in the past tense: 'added', 'changed', 'deleted', 'approved', 're-queued'… */
  act: string
  /** The part of the product: 'admin', 'class_tracker', 'classcords', 'scheduler', 'accounts'. */
  area: string
  /** The table or kind of thing, and the key of its row; '' if many rows were affected. */
  table: string
  key: string
  /** The key as an expression, for a row that the same batch adds. */
  addedKey?: SQL
  title: string
  /** The fields that differ, before and after; null if there was or is no row. */
  before?: Readonly<Record<string, unknown>> | null
  after?: Readonly<Record<string, unknown>> | null
  /** Whether something changes; without it, the entry is always written. */
  isChange?: SQL
}

const MAX_TITLE = 200
const MAX_STATE = 20_000

/** The person making the request, for {@link auditEntry}. */
export function actorOf(c: SiteContext): Actor {
  const user = c.get('user')
  return {
    userId: user?.id ?? null,
    who: user?.username ?? 'nobody',
    ...placeOf(c),
  }
}

/** The columns of an entry, in the order in which they are written. */
const auditColumns = [
  audit.at,
  audit.userId,
  audit.who,
  audit.ipAddress,
  audit.country,
  audit.act,
  audit.area,
  audit.tableName,
  audit.rowKey,
  audit.title,
  audit.before,
  audit.after,
] as const

/** The statement belongs in the batch that acts, so that neither exists without the other. */
export function auditEntry(actor: Actor, entry: AuditEntry, at: number): Template<never> {
  const { act, area, table, key, addedKey = sql`NULL`, title, isChange = sql`true` } = entry
  return statement(sql`INSERT INTO ${into(audit, ...auditColumns)}
    SELECT ${at}, ${actor.userId}, ${actor.who}, ${actor.ipAddress}, ${actor.country}, ${act}, ${area}, ${table},
      coalesce(${addedKey}, ${key}), ${withoutSecrets(title).slice(0, MAX_TITLE)}, ${stateText(entry.before)},
      ${stateText(entry.after)} WHERE ${isChange}`)
}

/**
 * Audits an act on rows that only the database knows: one entry per row of `rows`, a SELECT of `row_key`, `title`,
 * `before` and `after` (the last two as JSON or NULL). After a write, the SELECT can use `changes()` to check whether
 * it changed anything.
 */
export function auditRows(
  { userId, who, ipAddress, country }: Actor,
  { act, area, table }: Pick<AuditEntry, 'act' | 'area' | 'table'>,
  rows: SQL,
  at: number,
): Template<never> {
  return statement(sql`INSERT INTO ${into(audit, ...auditColumns)}
    SELECT ${at}, ${userId}, ${who}, ${ipAddress}, ${country}, ${act}, ${area}, ${table}, r.row_key, substr(r.title, 1, 200),
      r.before, r.after FROM (${rows}) r`)
}

/** Without the token of a Discord webhook's address, which lets anyone post, and the keys of devices. */
export const withoutSecrets = (text: string): string =>
  text.replace(/(\/webhooks\/\d+\/)[\w-]+/g, '$1•••').replace(/#[\w-]{87}\.[\w-]{22}/g, '#•••')

/** JSON of the fields; if it would be too long to keep, only the fields' names. */
function stateText(state: Readonly<Record<string, unknown>> | null | undefined): string | null {
  if (!state) return null
  const text = withoutSecrets(JSON.stringify(state))
  return text.length <= MAX_STATE ? text : JSON.stringify({ too_large: Object.keys(state) })
}
