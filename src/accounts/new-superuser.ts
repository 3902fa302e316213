import { passwordFaults } from './password-rules.ts'
import { isUsername, notAUsername } from './username.ts'

export interface NewSuperuser {
  username: string
  email: string
  password: string
}

/** What is wrong with the answers, in sentences; none when they will do. */
export function superuserFaults({ username, email, password }: NewSuperuser): string[] {
  const faults: string[] = []
  if (!isUsername(username)) faults.push(notAUsername)
  if (email.length > 254 || !/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+\.[^\s@\p{Cc}]+$/u.test(email)) {
    faults.push('This is not an email address.')
  }
  return [...faults, ...passwordFaults(password, { username, email })]
}

/**
 * The statements that add the superuser with a verified address, to be run as one; they fail when the name or the address is
 * taken. Whoever may run them vouches for the address. @param now ms since epoch
 */
export function superuserSql({ username, email }: NewSuperuser, passwordHash: string, now: number): string {
  const values = [quoted(username), quoted(email), now, quoted(passwordHash), 1, 1, now]
  const address = `SELECT id, email, ${now}, 1, ${now} FROM user WHERE username = ${quoted(username)}`
  return `INSERT INTO user (username, email, email_verified_at, password_hash, is_superuser, is_active, created_at) VALUES (${values.join(', ')});
INSERT INTO email_address (user_id, address, verified_at, is_primary, created_at) ${address};
`
}

/** A text as SQLite writes it: quotes doubled, nothing else has a meaning inside. */
function quoted(text: string): string {
  if (text.includes('\0')) throw new Error('A text for the database cannot hold a NUL character.')
  return `'${text.replaceAll("'", "''")}'`
}
