import { passwordHash } from '../world/start/seed.ts'
import { withDatabase } from './state.ts'

/** What exists at the start, as far as people use it and attackers may know it. */
export interface Known {
  publicInvites: number[]
  privateInvites: number[]
  privateServers: number[]
  contacts: number[]
}

/** Each attacker has an ordinary account: confirmed, and linked to Discord. */
export const ATTACKER_PASSWORD = 'an account of my own'
export const attackerName = (number: number): string => `attacker-${number}`

const paces = { sms_segments_per_second: 1, mail_requests_per_second: 2, discord_requests_per_second: 2 }

/** The providers' default paces, and the attackers' own accounts. The app must not run. */
export function prepareAttack(stateDir: string, attackers: number): void {
  withDatabase(stateDir, (database) => {
    const now = Date.now()
    const hash = passwordHash(ATTACKER_PASSWORD)
    const setPace = database.prepare('INSERT OR REPLACE INTO setting (name, value, changed_at) VALUES (?, ?, ?)')
    for (const [name, units] of Object.entries(paces)) setPace.run(name, String(units), now)
    const add = {
      user: database.prepare(
        `INSERT OR IGNORE INTO user (username, email, email_verified_at, password_hash, created_at)
         VALUES (?1, ?1 || '@attack.example', ?2, ?3, ?2)`,
      ),
      address: database.prepare(
        `INSERT OR IGNORE INTO email_address (user_id, address, verified_at, is_primary, created_at)
         SELECT id, email, ?2, 1, ?2 FROM user WHERE username = ?1`,
      ),
      discordUser: database.prepare(
        `INSERT OR IGNORE INTO discord_user (user_id, discord_id, username, discriminator, display_name, is_verified, school_id,
           login_count, first_login_at, last_login_at)
         SELECT id, ?3, ?1, '0', ?1, 1, (SELECT min(id) FROM school), 1, ?2, ?2 FROM user WHERE username = ?1`,
      ),
    }
    for (let number = 0; number < attackers; number += 1) {
      const name = attackerName(number)
      add.user.run(name, now, hash)
      add.address.run(name, now)
      add.discordUser.run(name, now, `1175${String(number).padStart(15, '0')}`)
    }
  })
}

/** Reads it beside the app. */
export function readSoakAccounts(stateDir: string): Known {
  return withDatabase(stateDir, (database) => {
    const ids = (query: string) =>
      database
        .prepare(query)
        .all()
        .map((row) => Number(row['id']))
    const invites = (privacy: string) =>
      `SELECT invite.id FROM invite JOIN discord_server ON discord_server.id = invite.server_id
       WHERE state = 'approved' AND is_valid AND discord_server.privacy_level = '${privacy}' AND NOT is_required_for_trust`
    return {
      publicInvites: ids(invites('public')),
      privateInvites: ids(invites('private')),
      privateServers: ids("SELECT id FROM discord_server WHERE privacy_level = 'private'"),
      contacts: ids('SELECT id FROM contact ORDER BY id'),
    }
  })
}
