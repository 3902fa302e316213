import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { isSigned, signText, signatureOf, verifyText } from '../../src/web/security/signing.ts'

const next = { ...env, SECRET_KEY: 'the-next-secret-key-of-more-than-32-characters' }
const rotated = { ...next, SECRET_KEY_PREVIOUS: env.SECRET_KEY }

describe('what was signed before SECRET_KEY was changed', () => {
  test('is accepted for its purpose while the previous key is kept', async () => {
    const signature = await signatureOf(env, 'purpose', 'text')
    expect(await isSigned(rotated, 'purpose', 'text', signature)).toBe(true)
    expect(await isSigned(rotated, 'another', 'text', signature)).toBe(false)
    expect(await isSigned(rotated, 'purpose', 'other', signature)).toBe(false)
    expect(await isSigned(next, 'purpose', 'text', signature)).toBe(false)
    expect(await verifyText(rotated, 'purpose', await signText(env, 'purpose', 'text'))).toBe('text')
  })

  test('is signed with the current key from then on', async () => {
    const signature = await signatureOf(rotated, 'purpose', 'text')
    expect(await isSigned(next, 'purpose', 'text', signature)).toBe(true)
    expect(await isSigned(env, 'purpose', 'text', signature)).toBe(false)
  })
})
