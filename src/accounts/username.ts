/** ASCII only, so that no two usernames look the same. */
export function isUsername(username: string): boolean {
  return /^[\w.+-]{1,150}$/.test(username)
}

export const notAUsername = 'A username has 1 to 150 letters, digits and . + - _ characters.'
