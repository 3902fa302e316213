import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  RECOVERY_CODE_COUNT,
  newRecoveryCodes,
  plainCode,
  isCodeOf,
  keyAddress,
  stepOf,
  typedSecret,
} from '../../src/accounts/two-factor/totp.ts'

describe('authenticator code', () => {
  const secret = new TextEncoder().encode('12345678901234567890')
  // RFC 6238, appendix B, SHA-1: the last six of its eight digits.
  const vectors: [number, string][] = [
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ]

  it.each(vectors)('at %i s is %s, and valid only in that step', async (seconds, code) => {
    const step = stepOf(seconds * 1000)
    expect(await isCodeOf(secret, step, code)).toBe(true)
    expect(await isCodeOf(secret, step - 1, code)).toBe(false)
    expect(await isCodeOf(secret, step + 1, code)).toBe(false)
  })

  it.each(['', '28708', '2870822', '287 082', '２８７０８２', '287082\n', '+87082', 'abcdef'])(
    'is not %j',
    async (code) => {
      expect(await isCodeOf(secret, stepOf(59_000), code)).toBe(false)
    },
  )

  it('lasts 30 s', () => {
    expect([stepOf(0), stepOf(29_999), stepOf(30_000)]).toEqual([0, 0, 1])
  })

  it('comes from a secret that apps can read', () => {
    const url = new URL(keyAddress(secret, 'a b@example.com'))
    expect([url.protocol, url.host, decodeURIComponent(url.pathname)]).toEqual([
      'otpauth:',
      'totp',
      '/Class Cords:a b@example.com',
    ])
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      issuer: 'Class Cords',
      secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
    })
    expect(typedSecret(secret)).toBe('GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ')
  })
})

describe('recovery codes', () => {
  it('are ten different random codes of eight digits', () => {
    const [first, second] = [newRecoveryCodes(), newRecoveryCodes()]
    for (const codes of [first, second]) {
      expect(new Set(codes).size).toBe(RECOVERY_CODE_COUNT)
      for (const code of codes) expect(code).toMatch(/^\d{8}$/)
    }
    expect(first).not.toEqual(second)
  })

  it('may be typed with spaces and hyphens', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('1', '2', ' ', '-', '\t'), { maxLength: 50 }), (characters) => {
        expect(plainCode(characters.join(''))).toBe(characters.filter((one) => /\d/.test(one)).join(''))
      }),
    )
  })
})
