import { isCommonPassword } from './common-passwords.ts'

const MIN_LENGTH = 10
const MAX_LENGTH = 256

/** Counts characters, not bytes, in the normalized form that is hashed. */
const lengthOf = (password: string): number => [...password.normalize('NFKC')].length

/** Normalizing turns some characters, such as ligatures, into many that no one typed. */
const isTooShort = (password: string): boolean => Math.min([...password].length, lengthOf(password)) < MIN_LENGTH

/** No password of this length can have been set. */
export const isTooLong = (password: string): boolean => lengthOf(password) > MAX_LENGTH

/** What is wrong with a new password, in sentences; none when it is valid. */
export function passwordErrors(password: string, owner: { username: string; email: string }): string[] {
  if (isTooShort(password)) return [`The password must have at least ${MIN_LENGTH} characters.`]
  if (isTooLong(password)) return [`The password must have at most ${MAX_LENGTH} characters.`]
  const errors: string[] = []
  if (isCommonPassword(password)) errors.push('This password is too common.')
  if (isLike(password, owner.username)) errors.push('The password is too similar to the username.')
  if (isLike(password, owner.email) || isLike(password, owner.email.split('@')[0] ?? '')) {
    errors.push('The password is too similar to the email address.')
  }
  return errors
}

/** Whether the password is part of the word, or at least two thirds of it are the word. */
function isLike(password: string, word: string): boolean {
  const [text, own] = [password, word].map((part) => part.normalize('NFKC').toLowerCase())
  if (!text || !own || own.length < 3) return false
  return own.includes(text) || (text.includes(own) && own.length * 3 >= text.length * 2)
}
