import { mailbox } from './mailboxes.ts'
import { withDatabase } from './state.ts'

/** What a successful attack would change: each must be the same afterwards. */
const guarded = {
  passwords: "SELECT username, password_hash FROM user WHERE username IN ('admin', 'student') ORDER BY id",
  superusers: 'SELECT id FROM user WHERE is_superuser ORDER BY id',
  managers: "SELECT id FROM discord_user WHERE role <> 'regular' ORDER BY id",
  sources: 'SELECT id, name, url, is_enabled FROM source ORDER BY id',
  'approved invites': "SELECT id FROM invite WHERE state = 'approved' ORDER BY id",
  'opt-outs': 'SELECT id FROM contact WHERE opted_out_at IS NOT NULL ORDER BY id',
  recipients: 'SELECT id, name FROM recipient ORDER BY id',
}

export type Guarded = ReadonlyMap<string, string>

export function readGuarded(stateDir: string): Guarded {
  return withDatabase(
    stateDir,
    (database) =>
      new Map(Object.entries(guarded).map(([name, query]) => [name, JSON.stringify(database.prepare(query).all())])),
  )
}

interface Happened {
  before: Guarded
  attackers: readonly string[]
  /** How many addresses used each invite at least once, by its id. */
  usersOf: ReadonlyMap<number, number>
  /** ms since epoch */
  startedAt: number
}

const hourMs = 3_600_000
/** These may be requested up to the limits; the others tell an owner what happened. */
const askedFor = ['sign_in_code', 'password_reset', 'confirm_address', 'account_exists', 'unknown_account']
const MAX_PER_MAILBOX = 5
/** A browser that knows the account has a separate budget. */
const MAX_PER_KNOWN_MAILBOX = 10
const MAX_PER_CLIENT = 60

/** What attackers gained, one sentence each. */
export function gains(stateDir: string, { before, attackers, usersOf, startedAt }: Happened): string[] {
  const changed = [...readGuarded(stateDir)].filter(([name, now]) => before.get(name) !== now)
  const found = changed.map(([name]) => `The ${name} are not what they were.`)
  withDatabase(stateDir, (database) => {
    const [sessions] = database
      .prepare(
        `SELECT count(*) AS count FROM session JOIN user ON user.id = user_id
         WHERE ip_address IN (SELECT value FROM json_each(?)) AND username NOT GLOB 'attacker-*'`,
      )
      .all(JSON.stringify(attackers))
    if (Number(sessions?.['count']) > 0) found.push(`${String(sessions?.['count'])} sessions of others are attackers'.`)
    const [confirmed] = database
      .prepare(
        `SELECT count(*) AS count FROM email_address JOIN user ON user.id = user_id
         WHERE verified_at IS NOT NULL AND username GLOB 'made-*'`,
      )
      .all()
    if (Number(confirmed?.['count']) > 0) found.push('An address no one confirmed counts as confirmed.')

    const hours = Math.floor((Date.now() - startedAt) / hourMs) + 1
    const uses = database
      .prepare(
        "SELECT invite_id, count(*) AS count FROM invite_use WHERE used_at >= ? AND visitor NOT GLOB 'user:*' GROUP BY 1",
      )
      .all(startedAt)
    for (const row of uses) {
      const [id, count] = [Number(row['invite_id']), Number(row['count'])]
      const allowed = (usersOf.get(id) ?? 0) * hours
      if (count > allowed) found.push(`Invite ${id} has ${count} uses, of ${allowed} that may count.`)
    }
    const mails = database
      .prepare(
        `SELECT address, created_at FROM mail
         WHERE created_at >= ? AND kind IN (SELECT value FROM json_each(?)) ORDER BY created_at`,
      )
      .all(startedAt, JSON.stringify(askedFor))
    const times = (keyOf: (address: string) => string | null) => {
      const byKey = new Map<string, number[]>()
      for (const row of mails) {
        const key = keyOf(String(row['address']))
        if (key !== null) byKey.set(key, [...(byKey.get(key) ?? []), Number(row['created_at'])])
      }
      return byKey
    }
    for (const [key, at] of times(mailbox)) {
      const most = mostInAnHour(at)
      const allowed = key === 'student@example.com' ? MAX_PER_KNOWN_MAILBOX : MAX_PER_MAILBOX
      if (most > allowed) found.push(`${key} was sent ${most} account mails in an hour.`)
    }
    for (const [client, at] of times((address) => /^(target-\d+)-/.exec(address)?.[1] ?? null)) {
      const most = mostInAnHour(at)
      if (most > MAX_PER_CLIENT) found.push(`${client}'s attacker made the site send ${most} mails in an hour.`)
    }
  })
  return found
}

function mostInAnHour(times: readonly number[]): number {
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + hourMs).length))
}
