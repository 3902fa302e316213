import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { decrypt, encrypt, hasOldKey } from '../../src/web/security/encryption.ts'

const withSecrets = (present: string, previous?: string): Env => ({
  ...env,
  SECRET_KEY: present,
  ...(previous === undefined ? {} : { SECRET_KEY_PREVIOUS: previous }),
})
const [first, second] = ['the first secret of more than 32 characters', 'the second secret of more than 32 characters']

describe('encrypted text', () => {
  it('can be decrypted only for the same purpose, and is different each time', async () => {
    const sealed = await encrypt(env, 'a purpose', 'grüße ✓')
    expect(await decrypt(env, 'a purpose', sealed)).toBe('grüße ✓')
    expect(await decrypt(env, 'another', sealed)).toBeNull()
    expect(await encrypt(env, 'a purpose', 'grüße ✓')).not.toBe(sealed)
    expect(sealed).toMatch(/^v1\.[\w-]{8}\.[\w-]{16}\.[\w-]+$/)
  })

  it.each(['', 'v1', 'v1.a.b', 'v1.a.b.c', 'v2.a.b.c', 'v1.a.b.c.d', '....', 'v1.!.!.!'])('is not %j', async (text) => {
    expect(await decrypt(env, 'a purpose', text)).toBeNull()
  })

  it('is invalid once a bit of it is changed', async () => {
    const parts = (await encrypt(env, 'a purpose', 'text')).split('.')
    for (const at of [1, 2, 3]) {
      const changed = parts.map((part, n) => (n === at ? (part.startsWith('A') ? 'B' : 'A') + part.slice(1) : part))
      expect(await decrypt(env, 'a purpose', changed.join('.'))).toBeNull()
    }
  })

  it('survives a change of the secret while the previous one is kept, and says that it is old', async () => {
    const sealed = await encrypt(withSecrets(first), 'a purpose', 'text')
    expect(await hasOldKey(withSecrets(first), sealed)).toBe(false)
    const rotated = withSecrets(second, first)
    expect(await decrypt(rotated, 'a purpose', sealed)).toBe('text')
    expect(await hasOldKey(rotated, sealed)).toBe(true)
    const anew = await encrypt(rotated, 'a purpose', 'text')
    expect(await hasOldKey(rotated, anew)).toBe(false)
    expect(await decrypt(withSecrets(second), 'a purpose', anew)).toBe('text')
    expect(await decrypt(withSecrets(second), 'a purpose', sealed)).toBeNull()
  })
})
