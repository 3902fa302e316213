/** ASCII only: no two names that look the same are two. */
export function isUsername(username: string): boolean {
  return /^[\w.+-]{1,150}$/.test(username)
}

export const notAUsername = 'A username has 1 to 150 letters, digits and . + - _ characters.'
