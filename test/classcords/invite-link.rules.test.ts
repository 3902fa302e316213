import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalCode, codeOfLink, inviteAddress } from '../../src/classcords/invites/invite-link.ts'

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-']
const code = fc.array(fc.constantFrom(...letters), { minLength: 2, maxLength: 100 }).map((points) => points.join(''))
const sub = fc.constantFrom('', 'www.', 'ptb.', 'canary.')
const place = fc.constantFrom('discord.gg/', 'discord.com/invite/', 'discordapp.com/invite/')
const scheme = fc.constantFrom('https://', 'http://', '', 'HTTPS://')
const end = fc.constantFrom('', '/', '?event=1', '#x', '/?a=b')

describe('every spelling of a link', () => {
  it('has the same code', () => {
    fc.assert(
      fc.property(scheme, sub, place, code, end, (begins, prefix, host, written, ends) => {
        expect(codeOfLink(`  ${begins}${prefix}${host}${written}${ends} `)).toBe(written)
      }),
    )
  })

  it('has one canonical form, which parses back', () => {
    fc.assert(
      fc.property(code, (written) => {
        expect(codeOfLink(inviteAddress(written))).toBe(written)
      }),
    )
  })
})

describe('any other text', () => {
  it.each([
    '',
    'abc',
    'https://discord.gg/',
    'https://discord.gg/a',
    `https://discord.gg/${'a'.repeat(101)}`,
    'https://discord.gg/with_underscore',
    'https://discord.gg/a/b',
    'https://discord.gg/invite/abc',
    'https://discord.com/abc',
    'https://discord.com/channels/1/2',
    'https://discord.com/invite/abc/def',
    'https://discord.gg.evil.example/abc',
    'https://evildiscord.gg/abc',
    'https://discord.gg@evil.example/abc',
    'https://user:pass@discord.gg/abc',
    'https://discord.gg:8443/abc',
    'https://evil.example/discord.gg/abc',
    'https://evil.example/?u=https://discord.gg/abc',
    'javascript:alert(1)//discord.gg/abc',
    'javascript://discord.gg/abc',
    'data:text/html,discord.gg/abc',
    'ftp://discord.gg/abc',
    'https://dіscord.gg/abc',
    'https://discord.gg/abc def',
    `https://discord.gg/abc?${'a'.repeat(200)}`,
  ])('%j is none', (link) => {
    expect(codeOfLink(link)).toBeNull()
  })

  it('never yields more than letters, digits and hyphens', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.webUrl(),
          fc.string().map((text) => `discord.gg/${text}`),
        ),
        (text) => {
          const found = codeOfLink(text)
          expect(found === null || /^[A-Za-z0-9-]{2,100}$/.test(found)).toBe(true)
        },
      ),
    )
  })
})

it('codes are case-sensitive, except for vanity codes', () => {
  expect(canonicalCode('AbC', null)).toBe('AbC')
  expect(canonicalCode('AbC', 'abc')).toBe('abc')
  expect(canonicalCode('AbC', 'other')).toBe('AbC')
  expect(canonicalCode('AbC', '<x>')).toBe('AbC')
})
