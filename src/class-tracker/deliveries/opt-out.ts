import type { ChannelKind } from '../../notify/channel.ts'

/**
 * Who wants no messages, or wants them again: an address, not a contact. It is remembered while nobody has the address too, and
 * a contact that gets it later is opted out from its beginning (triggers of migration 0012). `address_key` as of a contact.
 */
export interface OptOutAddress {
  kind: ChannelKind
  address_key: string
}

/**
 * No more messages to the address, from now on, and none of those that were not sent yet. What may have been taken already is
 * asked after and then given up by its own job. The first statement gives a row back when the address wanted messages until now.
 */
export function optOutStatements(
  db: D1Database,
  { kind, address_key }: OptOutAddress,
  now: number,
): [D1PreparedStatement, D1PreparedStatement, D1PreparedStatement] {
  return [
    db
      .prepare('INSERT INTO opt_out (kind, address_key, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING RETURNING at')
      .bind(kind, address_key, now),
    db
      .prepare('UPDATE contact SET opted_out_at = ? WHERE kind = ? AND address_key = ? AND opted_out_at IS NULL')
      .bind(now, kind, address_key),
    db
      .prepare(
        `UPDATE delivery SET state = 'canceled', last_error = 'Opted out.'
         WHERE contact_id = (SELECT id FROM contact WHERE kind = ?1 AND address_key = ?2) AND state = 'queued'`,
      )
      .bind(kind, address_key),
  ]
}

/** @returns whether the address wanted messages until now */
export async function optOut(db: D1Database, address: OptOutAddress, now: number): Promise<boolean> {
  const [remembered] = await db.batch(optOutStatements(db, address, now))
  return remembered?.results.length === 1
}

/** The person wants messages again. What was canceled stays so. */
export async function optIn(db: D1Database, { kind, address_key }: OptOutAddress): Promise<void> {
  await db.batch([
    db.prepare('DELETE FROM opt_out WHERE kind = ? AND address_key = ?').bind(kind, address_key),
    db.prepare('UPDATE contact SET opted_out_at = NULL WHERE kind = ? AND address_key = ?').bind(kind, address_key),
  ])
}
