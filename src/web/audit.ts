import { placeOf } from './client-address.ts'
import type { SiteContext } from './site.ts'

/** Who acts, and from where. */
export interface Actor {
  userId: number | null
  /** The name as it is now: it stays readable when the user is gone. */
  who: string
  ipAddress: string | null
  country: string | null
}

export interface AuditEntry {
  /** A verb in the past: 'added', 'changed', 'deleted', 'approved', 're-queued'… */
  act: string
  /** The part of the product: 'admin', 'class_tracker', 'classcords', 'scheduler', 'accounts'. */
  area: string
  /** The table or kind of thing touched, and the key of its row; '' for what touched many. */
  table: string
  key: string
  /** SQL of the key instead, of a row that the same batch adds. */
  addedKey?: string
  /** What the thing is called. */
  title: string
  /** The fields that differ, as they were and as they are; null where there is no row. */
  before?: Readonly<Record<string, unknown>> | null
  after?: Readonly<Record<string, unknown>> | null
}

const longestTitle = 200
const longestState = 20_000

/** The person behind the request, for {@link auditStatement}. */
export function actorOf(c: SiteContext): Actor {
  const user = c.get('user')
  return {
    userId: user?.id ?? null,
    who: user?.username ?? 'nobody',
    ...placeOf(c),
  }
}

/** Writes down an act. It belongs into the batch that acts, so that neither is there without the other. */
export function auditStatement(db: D1Database, actor: Actor, entry: AuditEntry, at: number): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO audit (at, user_id, who, ip_address, country, act, area, table_name, row_key, title, before, after)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, coalesce(${entry.addedKey ?? 'NULL'}, ?), ?, ?, ?)`,
    )
    .bind(
      at,
      actor.userId,
      actor.who,
      actor.ipAddress,
      actor.country,
      entry.act,
      entry.area,
      entry.table,
      entry.key,
      withoutSecrets(entry.title).slice(0, longestTitle),
      stateText(entry.before),
      stateText(entry.after),
    )
}

/** A text without the token a Discord webhook's address ends in: whoever has it can post there. */
export const withoutSecrets = (text: string): string => text.replace(/(\/webhooks\/\d+\/)[\w-]+/g, '$1•••')

/** JSON of the fields; of a state too large to keep, only the names of its fields. */
function stateText(state: Readonly<Record<string, unknown>> | null | undefined): string | null {
  if (!state) return null
  const text = withoutSecrets(JSON.stringify(state))
  return text.length <= longestState ? text : JSON.stringify({ too_large: Object.keys(state) })
}
