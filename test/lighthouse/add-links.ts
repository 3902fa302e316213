import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const folder = 'v3/d1/miniflare-D1DatabaseObject'
export const links = { link: 'lighthouse', referral: 'lighthouse' } as const

/** Writes a referral and an alert with a link into the local database, which must not be open elsewhere. */
export function addLinks(stateDir: string): void {
  const files = readdirSync(join(stateDir, folder))
  const file = files.find((name) => name.endsWith('.sqlite') && name !== 'metadata.sqlite')
  if (file === undefined) throw new Error('There is no local database.')
  const database = new DatabaseSync(join(stateDir, folder, file))
  const add = (text: string) => database.prepare(text).run({ now: Date.now() })
  add(`INSERT INTO referral (code, owner_id, max_uses, expiry_timeframe, created_at, expires_at)
    SELECT '${links.referral}', id, 20, '1w', :now, :now + 86400000 FROM discord_user WHERE school_id IS NOT NULL LIMIT 1`)
  add(`INSERT INTO opening (id, section_id, version, poll_id, last_closed_at, seen_open_at)
    SELECT 1, id, 1, 'lighthouse', :now - 30000, :now FROM section LIMIT 1`)
  add(`INSERT INTO class_alert (id, opening_id, recipient_id, section_id, kind, created_at, poll_id)
    SELECT 1, o.id, r.id, o.section_id, 'opening', :now, 'lighthouse' FROM opening o, recipient r WHERE o.id = 1 LIMIT 1`)
  add(`INSERT INTO delivery (id, poll_id, recipient_id, contact_id, channel, address, state, due_at, created_at, link_code)
    SELECT 1, 'lighthouse', recipient_id, id, kind, address, 'delivered', :now, :now, '${links.link}' FROM contact WHERE kind = 'phone' LIMIT 1`)
  database.exec('INSERT INTO delivery_alert (delivery_id, alert_id) VALUES (1, 1)')
  database.close()
}
