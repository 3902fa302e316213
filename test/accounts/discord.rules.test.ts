import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readProfile, usernameOf } from '../../src/accounts/discord/profile.ts'
import { avatarAddress } from '../../src/web/discord-user.ts'

describe('username of a new account', () => {
  const id = '1170000000000000003'
  it.each([
    ['Noor Haddad', 'noor-haddad'],
    ['  Zoë  Ångström ', 'zoe-angstrom'],
    ['-_x_-', 'x'],
    ['a - b', 'a-b'],
    ['李小龍', ''],
    ['💥', ''],
    ["Robert'); DROP TABLE user;--", 'robert-drop-table-user'],
  ])('of %j begins with %j', (displayName, slug) => {
    expect(usernameOf({ displayName, discordId: id })).toBe(`${slug}@${id}`)
  })

  it('has at most 150 characters of a-z, 0-9, - and _, and ends with the full id', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), (displayName) => {
        const name = usernameOf({ displayName, discordId: id })
        expect(name).toMatch(/^[a-z0-9_-]*@1170000000000000003$/)
        expect(name.length).toBeLessThanOrEqual(150)
      }),
    )
  })
})

describe('Discord profile', () => {
  const whole = { id: '80351110224678912', username: 'nelly', email: 'nelly@example.com', verified: true }

  it('needs only id and name', () => {
    expect(readProfile({ id: '1', username: 'x' })).toEqual({
      discordId: '1',
      username: 'x',
      discriminator: '0',
      displayName: 'x',
      avatar: null,
      email: null,
      isVerified: false,
    })
  })

  it.each([
    [{ verified: false }, 'nelly@example.com', false],
    [{ verified: undefined }, 'nelly@example.com', false],
    [{ verified: null }, 'nelly@example.com', false],
    [{ email: null }, null, false],
    [{ email: '' }, null, false],
    [{ email: 'not an address' }, null, false],
    [{ email: 'a@b.de\nBcc: c@d.ef' }, null, false],
    [{}, 'nelly@example.com', true],
  ])('with %j has the address %j, verified: %j', (fields, email, isVerified) => {
    expect(readProfile({ ...whole, ...fields })).toMatchObject({ email, isVerified })
  })

  it.each([{ verified: 'true' }, { verified: 1 }, { id: 1 }, { id: '' }, { id: '1/../2' }, { username: '' }])(
    'with %j is rejected',
    (fields) => {
      expect(readProfile({ ...whole, ...fields })).toBeNull()
    },
  )

  it('can be read from any value without an error', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        readProfile(value)
      }),
    )
  })
})

describe('picture address', () => {
  const cdn = 'https://cdn.example'
  it.each([
    [{ avatar: 'a_12ab', discriminator: '0' }, `${cdn}/avatars/80351110224678912/a_12ab.png?size=128`],
    [{ avatar: null, discriminator: '1337' }, `${cdn}/embed/avatars/2.png`],
    [{ avatar: null, discriminator: '0' }, `${cdn}/embed/avatars/5.png`],
    [{ avatar: null, discriminator: '' }, `${cdn}/embed/avatars/5.png`],
  ])('for %j is %s', (person, address) => {
    expect(avatarAddress({ discord_id: '80351110224678912', ...person }, cdn)).toBe(address)
  })
})
