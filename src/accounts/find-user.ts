/** Somebody who may sign in, not yet asked whether they may. */
export interface SignInUser {
  id: number
  username: string
  password_hash: string | null
  is_active: number
  created_at: number
}

const columns = 'u.id, u.username, u.password_hash, u.is_active, u.created_at'

/**
 * The user of this user name, else of this e-mail address; letter case of a–z is ignored. Where several claim an address, who
 * has it verified is meant, else the one who claimed it last.
 */
export async function findUserByLogin(env: Env, login: string): Promise<SignInUser | null> {
  return env.DB.prepare(
    `SELECT * FROM (
       SELECT ${columns}, 3 AS fit, 0 AS claim FROM user u WHERE lower(u.username) = lower(?1)
       UNION ALL
       SELECT ${columns}, iif(e.verified_at IS NULL, e.is_primary, 2), e.id
       FROM email_address e JOIN user u ON u.id = e.user_id WHERE lower(e.address) = lower(?1))
     ORDER BY fit DESC, claim DESC LIMIT 1`,
  )
    .bind(login)
    .first<SignInUser>()
}

/** What is stored of somebody's password; null when they have none. */
export async function findPasswordHash(env: Env, userId: number): Promise<string | null> {
  return env.DB.prepare('SELECT password_hash FROM user WHERE id = ?').bind(userId).first<string>('password_hash')
}

/**
 * SQL that mail about an account may go to an address `e`: its owner has it verified, or it is the primary one of an account
 * that never had any verified. An address somebody merely added gives its owner no way into the account.
 */
export const isMailable = `(e.verified_at IS NOT NULL OR (e.is_primary AND NOT EXISTS (
  SELECT 1 FROM email_address o WHERE o.user_id = e.user_id AND o.verified_at IS NOT NULL)))`

/** Where mail for somebody goes: the address as it is stored, never as it was typed. */
export interface MailedUser extends SignInUser {
  address: string
  /** 0: somebody else may have created the account, so all that is mailed is a link that confirms the address. */
  is_verified: number
  last_sign_in_at: number | null
}

/** The active user of this address; of several that have it unverified the one who claimed it last. */
export async function findUserByAddress(env: Env, address: string): Promise<MailedUser | null> {
  return env.DB.prepare(
    `SELECT ${columns}, e.address, e.verified_at IS NOT NULL AS is_verified, u.last_sign_in_at
     FROM email_address e JOIN user u ON u.id = e.user_id AND u.is_active
     WHERE lower(e.address) = lower(?)
       AND ${isMailable}
     ORDER BY is_verified DESC, e.id DESC LIMIT 1`,
  )
    .bind(address)
    .first<MailedUser>()
}
