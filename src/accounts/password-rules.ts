import { isCommonPassword } from './common-passwords.ts'

const shortest = 10
const longest = 256

/** What is wrong with a new password, in sentences; none when it will do. Characters are counted, not bytes. */
export function passwordFaults(password: string, owner: { username: string; email: string }): string[] {
  const length = [...password.normalize('NFKC')].length
  if (length < shortest) return [`The password must have at least ${shortest} characters.`]
  if (length > longest) return [`The password must have at most ${longest} characters.`]
  const faults: string[] = []
  if (isCommonPassword(password)) faults.push('This password is too common.')
  if (isLike(password, owner.username)) faults.push('The password is too similar to the username.')
  if (isLike(password, owner.email) || isLike(password, owner.email.split('@')[0] ?? '')) {
    faults.push('The password is too similar to the email address.')
  }
  return faults
}

/** Whether one is the other with little around it: at least two thirds of the password are the word. */
function isLike(password: string, word: string): boolean {
  const [text, own] = [password, word].map((part) => part.normalize('NFKC').toLowerCase())
  if (!text || !own || own.length < 3) return false
  return own.includes(text) || (text.includes(own) && own.length * 3 >= text.length * 2)
}
