import { sql } from 'drizzle-orm'
import { into, statement, compiledText } from '../db/query.ts'
import { emailAddress, newId, user } from '../db/schema/index.ts'
import { notAnAddress, typedAddress } from '../notify/email/mail-address.ts'
import { passwordErrors } from './password-rules.ts'
import { isUsername, notAUsername } from './find-user.ts'

export interface NewSuperuser {
  username: string
  email: string
  password: string
}

/** What is wrong with the answers, in sentences; none when they are valid. */
export function superuserErrors({ username, email, password }: NewSuperuser): string[] {
  const errors: string[] = []
  if (!isUsername(username)) errors.push(notAUsername)
  if (typedAddress(email) !== email) errors.push(notAnAddress)
  return [...errors, ...passwordErrors(password, { username, email })]
}

/** To be run together. The address counts as verified, as only an operator can run them. */
export function superuserSql({ username, email }: NewSuperuser, passwordHash: string, now: number): string {
  if ([username, email, passwordHash].some((text) => text.includes('\0')))
    throw new Error('Text for the database cannot contain a NUL character.')
  const { emailVerifiedAt, isSuperuser, isActive, createdAt } = user
  const { userId, address, verifiedAt, isPrimary } = emailAddress
  const statements = [
    sql`INSERT INTO ${into(user, user.id, user.username, user.email, emailVerifiedAt, user.passwordHash, isSuperuser, isActive, createdAt)}
      VALUES (${newId('user')}, ${username}, ${email}, ${now}, ${passwordHash}, 1, 1, ${now})`,
    sql`INSERT INTO ${into(emailAddress, userId, address, verifiedAt, isPrimary, emailAddress.createdAt)}
      SELECT ${user.id}, ${user.email}, ${now}, 1, ${now} FROM ${user} WHERE ${user.username} = ${username}`,
  ]
  return statements.map((one) => `${compiledText(statement(one.inlineParams())).text};\n`).join('')
}
