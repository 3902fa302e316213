import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { maskedAddress } from '../../src/notify/masked-address.ts'
import { contactOfUnsubscribeToken, unsubscribeToken } from '../../src/notify/unsubscribe-token.ts'

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
  ] as const)('%s %s', (kind, address, masked) => {
    expect(maskedAddress(kind, address)).toBe(masked)
  })

  test('never show the whole address, nor a webhook’s token', () => {
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
  test('give back the contact that they were made for', async () => {
    const ids = fc.integer({ min: 1, max: 999_999_999_999_999 })
    await fc.assert(
      fc.asyncProperty(ids, fc.string({ minLength: 1 }), async (id, secret) => {
        const token = await unsubscribeToken(id, secret)
        expect(token).toMatch(/^[A-Za-z0-9_.-]+$/)
        expect(await contactOfUnsubscribeToken(token, secret)).toBe(id)
        expect(await contactOfUnsubscribeToken(token, `${secret}x`)).toBeNull()
      }),
    )
  })

  test('are always the same, so that an old message and a new one hold one link', async () => {
    expect(await unsubscribeToken(7, 's')).toBe(await unsubscribeToken(7, 's'))
  })

  test('work for no other contact, and in one spelling only', async () => {
    const token = await unsubscribeToken(7, 'secret')
    const mac = token.slice(2)
    const last = mac.at(-1) ?? ''
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const sameBits = alphabet[(alphabet.indexOf(last) & ~3) | ((alphabet.indexOf(last) + 1) & 3)] ?? ''
    const others = [
      `8.${mac}`,
      `07.${mac}`,
      `7.0.${mac}`,
      `7.${mac}=`,
      `7.${mac.slice(0, -1)}${sameBits}`,
      `7.${mac.slice(0, -1)}`,
      `-7.${mac}`,
      `7.${'A'.repeat(43)}`,
      '7.',
      '7',
      '',
      'x'.repeat(100_000),
    ]
    for (const other of others) expect(await contactOfUnsubscribeToken(other, 'secret')).toBeNull()
  })

  test('no signature made for something else passes', async () => {
    const key = await crypto.subtle.importKey(
      'raw',
      new TextEncoder().encode('secret'),
      { name: 'HMAC', hash: 'SHA-256' },
      false,
      ['sign'],
    )
    const bare = Buffer.from(await crypto.subtle.sign('HMAC', key, new TextEncoder().encode('7'))).toString('base64url')
    expect(await contactOfUnsubscribeToken(`7.${bare}`, 'secret')).toBeNull()
  })
})
