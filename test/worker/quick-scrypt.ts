/**
 * Takes the place of scrypt in the Worker's tests, where hashing passwords would be a sixth of the work: as dependent
 * on every argument, but quick. `test/accounts/accounts.rules.test.ts` and the journeys use the real one.
 */
export async function scrypt(
  password: string,
  salt: Uint8Array,
  keyLength: number,
  { N, r, p }: Record<'N' | 'r' | 'p', number>,
  done: (error: Error | null, key: Uint8Array) => void,
): Promise<void> {
  const rest = new TextEncoder().encode(`${N} ${r} ${p} ${password}`)
  const bytes = new Uint8Array([salt.length, ...salt, ...rest])
  const key = await crypto.subtle.digest('SHA-256', bytes)
  done(null, new Uint8Array(key, 0, keyLength))
}
