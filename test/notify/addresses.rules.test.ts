import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { maskedAddress } from '../../src/notify/addresses.ts'
import { typedAddress } from '../../src/notify/email/mail-address.ts'
import { contactNamedBy, isUnsubscribeTokenOf, unsubscribeToken } from '../../src/notify/unsubscribe-token.ts'

describe('masks', () => {
  test.each([
    ['phone', '+15550100143', '•••• 0143'],
    ['phone', '+123', '••••'],
    ['email', 'ada@example.com', 'a•••@example.com'],
    ['email', 'a@example.com', '•••@example.com'],
    ['email', '🎓x@example.com', '🎓•••@example.com'],
    ['email', 'nonsense', '•••'],
    ['discord', 'https://discord.com/api/webhooks/223704706495541234/secret-9999', 'Discord webhook …1234'],
    ['discord', 'https://discord.com/api/webhooks/12/secret', 'Discord webhook'],
    ['discord', 'nonsense', 'Discord webhook'],
    ['push', 'https://jmt17.google.com/fcm/send/a:b#key.auth', 'Device (Google)'],
  ] as const)('%s %s', (kind, address, masked) => {
    expect(maskedAddress(kind, address)).toBe(masked)
  })

  test("never show the whole address, nor a webhook's token", () => {
    const phones = fc.bigInt({ min: 1n, max: 10n ** 15n - 1n }).map((digits) => `+${digits}`)
    fc.assert(fc.property(phones, (phone) => !maskedAddress('phone', phone).includes(phone.slice(1, -4) || phone)))
    fc.assert(fc.property(fc.emailAddress(), (email) => !maskedAddress('email', email).includes(email)))
    const tokens = fc.stringMatching(/^[A-Za-z0-9_-]{10,70}$/)
    fc.assert(
      fc.property(fc.nat(), tokens, (id, token) => {
        const masked = maskedAddress('discord', `https://discord.com/api/webhooks/${id}/${token}`)
        expect(masked.length).toBeLessThanOrEqual(21)
        expect(masked).not.toContain(token.slice(-5))
      }),
    )
    fc.assert(
      fc.property(fc.constantFrom('phone', 'email', 'discord'), fc.string({ minLength: 1 }), (kind, text) => {
        expect(maskedAddress(kind, text)).not.toBe(text)
      }),
    )
  })
})

describe('unsubscribe tokens', () => {
  const ada = { id: 7, kind: 'email', address: 'ada@example.com' } as const

  test('are for the contact and the address that they were made for', async () => {
    const targets = fc.record({
      id: fc.integer({ min: 1, max: 999_999_999_999_999 }),
      kind: fc.constantFrom('phone', 'email', 'discord'),
      address: fc.string({ maxLength: 400 }),
    })
    await fc.assert(
      fc.asyncProperty(targets, fc.string({ minLength: 1 }), async (target, secret) => {
        const token = await unsubscribeToken(target, secret)
        expect(token).toMatch(/^[A-Za-z0-9_.-]{45,59}$/)
        expect(contactNamedBy(token)).toBe(target.id)
        expect(await isUnsubscribeTokenOf(token, target, ['another', secret])).toBe(true)
        expect(await isUnsubscribeTokenOf(token, target, [`${secret}x`])).toBe(false)
        expect(await isUnsubscribeTokenOf(token, { ...target, address: `${target.address}x` }, [secret])).toBe(false)
      }),
    )
  })

  test('are deterministic, so that an old message and a new one have the same link', async () => {
    expect(await unsubscribeToken(ada, 's')).toBe(await unsubscribeToken({ ...ada }, 's'))
  })

  test('survive a different spelling of the address', async () => {
    const spelled = { ...ada, address: 'Ada@Example.com' }
    expect(await isUnsubscribeTokenOf(await unsubscribeToken(spelled, 's'), ada, ['s'])).toBe(true)
    const hook = (host: string) => ({ id: 7, kind: 'discord', address: `https://${host}/webhooks/12/to_K` }) as const
    const token = await unsubscribeToken(hook('discord.com/api'), 's')
    expect(await isUnsubscribeTokenOf(token, hook('ptb.discordapp.com/api/v10'), ['s'])).toBe(true)
  })

  test('made before links had their own key still work, also after a rotation', async () => {
    // As version 0.1.0 signed them.
    const key = await hmacKey('secret')
    const signed = new TextEncoder().encode('class-cords unsubscribe 2\n7\nemail\nada@example.com')
    const token = `7.${Buffer.from(await crypto.subtle.sign('HMAC', key, signed)).toString('base64url')}`
    expect(await isUnsubscribeTokenOf(token, ada, ['secret'])).toBe(true)
    expect(await isUnsubscribeTokenOf(token, ada, ['new', 'secret'])).toBe(true)
    expect(await isUnsubscribeTokenOf(token, ada, ['new'])).toBe(false)
    expect(await isUnsubscribeTokenOf(token, { ...ada, address: 'bob@example.com' }, ['secret'])).toBe(false)
  })

  test('are not signed with the secret itself', async () => {
    const token = await unsubscribeToken(ada, 'secret')
    const mac = Buffer.from(token.slice(2), 'base64url')
    const key = await hmacKey('secret')
    for (const text of ['7\nemail\nada@example.com', 'class-cords unsubscribe 2\n7\nemail\nada@example.com']) {
      const bare = Buffer.from(await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(text)))
      expect(mac.equals(bare)).toBe(false)
    }
  })

  test('work for no other contact, kind or address', async () => {
    const token = await unsubscribeToken(ada, 'secret')
    const others = [
      { ...ada, id: 8 },
      { ...ada, kind: 'phone' },
      { ...ada, address: 'bob@example.com' },
      { ...ada, address: '' },
    ] as const
    for (const other of others) expect(await isUnsubscribeTokenOf(token, other, ['secret'])).toBe(false)
    const renamed = `8.${token.slice(2)}`
    expect(await isUnsubscribeTokenOf(renamed, { ...ada, id: 8 }, ['secret'])).toBe(false)
  })

  test('are accepted in one spelling only', async () => {
    const mac = (await unsubscribeToken(ada, 'secret')).slice(2)
    const last = mac.at(-1) ?? ''
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const sameBits = alphabet[(alphabet.indexOf(last) & ~3) | ((alphabet.indexOf(last) + 1) & 3)] ?? ''
    const malformed = [
      `07.${mac}`,
      `7.0.${mac}`,
      `7.${mac}=`,
      `7.${mac.slice(0, -1)}`,
      `-7.${mac}`,
      '7.',
      '7',
      '',
      'x'.repeat(100_000),
    ]
    for (const token of malformed) expect(contactNamedBy(token)).toBeNull()
    for (const token of [...malformed, `7.${mac.slice(0, -1)}${sameBits}`, `7.${'A'.repeat(43)}`]) {
      expect(await isUnsubscribeTokenOf(token, ada, ['secret'])).toBe(false)
    }
  })

  test('cannot be replaced by a signature made for another purpose', async () => {
    const key = await hmacKey('secret')
    for (const text of ['7', 'class-cords unsubscribe 1\n7', '7\nemail\nada@example.com']) {
      const bare = Buffer.from(await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(text)))
      expect(await isUnsubscribeTokenOf(`7.${bare.toString('base64url')}`, ada, ['secret'])).toBe(false)
    }
  })
})

function hmacKey(secret: string): Promise<CryptoKey> {
  const bytes = new TextEncoder().encode(secret)
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
}

test.each([
  'ada@example.com/a.b',
  'ada@example.com?a.b',
  'ada@example.com#a.b',
  'ada@mail%2Eexample.com',
  'ada@example',
])('no email can be sent to %s', (typed) => expect(typedAddress(typed)).toBeNull())

test('an address stays as it was typed', () => {
  for (const typed of ['Ada.L+x@Example.com', 'ada@münchen.example', 'ada@mail.example.co'])
    expect(typedAddress(` ${typed} `)).toBe(typed)
})
