import { describe, expect, it } from 'vitest'
import { mailboxKey } from '../../src/notify/email/mail-address.ts'
import { frontPageOf, safeNext } from '../../src/accounts/next.ts'
import { superuserErrors, superuserSql } from '../../src/accounts/new-superuser.ts'
import { hashPassword, isOutdated, isPasswordOf } from '../../src/accounts/password-hash.ts'
import { passwordErrors } from '../../src/accounts/password-rules.ts'
import { migratedDatabase } from '../db/migrated-database.ts'

const controls = ['\u0000', '\t', '\n', '\r', '\u000b', '\f', '\u001f', '\u007f', '\u0085', '\u2028', '\u2029']
const tricks = [
  ...String.raw`| |x|x/y|.|..|?a|#a|./x|../x|@evil.example| /x|%2F|localhost:8787/x
//|//evil.example|///evil.example|////evil.example|//evil.example/%2f..|//user@evil.example|//evil.example:80/
/\|/\evil.example|\/evil.example|\\evil.example|/\/evil.example|/x\y|/a/..\..\evil
http://evil.example|https://evil.example|https:evil.example|http:/evil.example|HTTPS://evil.example|https:///evil.example
ftp://evil.example|javascript:alert(1)|JaVaScRiPt:alert(1)|data:text/html,x|vbscript:x|mailto:a@evil.example|blob:x
/.//evil.example|/x/..//evil.example|/./..//evil.example|/%2e//evil.example|/%2e%2e//evil.example|/a/%2e%2e//evil.example`.split(
    /[|\n]/,
  ),
  '\ufeff/x',
  `/${'x'.repeat(3000)}`,
  ...controls.map((control) => `/${control}/evil.example`),
  ...controls.map((control) => `${control}//evil.example`),
]

describe('redirect target', () => {
  it.each(tricks)('rejects %j', (trick) => {
    expect(safeNext(trick)).toBeNull()
  })

  it('rejects an empty target', () => {
    expect([safeNext(null), safeNext(undefined)]).toEqual([null, null])
  })

  it.each([
    ['/', '/'],
    ['/class_tracker/', '/class_tracker/'],
    ['/class_tracker/add_classes/?page=2&q=a%20b#x', '/class_tracker/add_classes/?page=2&q=a%20b#x'],
    ['/a?next=//evil.example', '/a?next=//evil.example'],
    ['/a?u=https://evil.example', '/a?u=https://evil.example'],
    ['/a:b@c', '/a:b@c'],
    ['/a/../b', '/b'],
    ['/ü x', '/%C3%BC%20x'],
    ['/%2F/evil.example', '/%2F/evil.example'],
    ['/x//y', '/x//y'],
  ])('accepts %s', (asked, path) => {
    expect(safeNext(asked)).toBe(path)
  })

  it('always stays on this site as a browser resolves it', () => {
    const parts = ['/', '\\', '.', '..', '%2e', ':', '@', 'evil.example', 'http', '\t', '?', '#', ' ']
    let kept = 0
    for (let seed = 0; seed < 20_000; seed += 1) {
      const asked = Array.from(
        { length: 5 },
        (_, place) => parts[Math.floor(seed / 7 ** place + seed * 31 * place) % parts.length],
      )
      const next = safeNext(`/${asked.join('')}`)
      if (next === null) continue
      kept += 1
      expect(new URL(next, 'https://ours.example/accounts/login/').origin).toBe('https://ours.example')
    }
    expect(kept).toBeGreaterThan(100)
  })

  it('maps each area to its front page', () => {
    expect(
      ['/class_tracker', '/class_tracker/x', '/classcords/x', '/class_trackers/', '/x', null].map(frontPageOf),
    ).toEqual(['/class_tracker/', '/class_tracker/', '/classcords/', '/', '/', '/'])
  })
})

describe('password hash', () => {
  const salt = new Uint8Array(16).fill(7)
  const low = { power: 10, blockSize: 8, lanes: 1 }

  it('matches only its own password', async () => {
    const hash = await hashPassword('correct horse battery', salt, low)
    expect(hash).toMatch(/^scrypt\$10\$8\$1\$[\w-]{22}\$[\w-]{43}$/)
    expect(await isPasswordOf(hash, 'correct horse battery')).toBe(true)
    expect(await isPasswordOf(hash, 'correct horse batterY')).toBe(false)
    expect(await isPasswordOf(hash, '')).toBe(false)
  })

  it('follows RFC 7914', async () => {
    const hash = await hashPassword('pleaseletmein', new TextEncoder().encode('SodiumChloride'), low)
    const { scryptSync } = await import('node:crypto')
    const expected = scryptSync('pleaseletmein', 'SodiumChloride', 32, { N: 1024, r: 8, p: 1 }).toString('base64url')
    expect(hash.split('$')[5]).toBe(expected)
  })

  it('is the same for every Unicode composition of a password', async () => {
    const hash = await hashPassword('Zu\u0308rich ﬁne pass', salt, low)
    expect(await isPasswordOf(hash, 'Z\u00fcrich fine pass')).toBe(true)
  })

  it.each([
    '',
    'x',
    'scrypt$10$8$1$$',
    'scrypt$10$8$1$AAAA$AAAA',
    'pbkdf2$10$8$1$AAAA$AAAA',
    'scrypt$10$8$1$AAAA$AAAA$AAAA',
  ])('does not match a malformed hash: %j', async (hash) => {
    expect(await isPasswordOf(hash, '')).toBe(false)
  })

  it('recognizes hashes with outdated costs', async () => {
    expect(isOutdated(await hashPassword('x', salt, low))).toBe(true)
    expect(isOutdated(await hashPassword('x', salt))).toBe(false)
  })

  const owner = { username: 'marie-curie', email: 'marie.sklodowska@example.com' }
  it.each([
    ['123456789', 1],
    ['1234567890', 1],
    ['Q1W2E3R4T5', 1],
    ['1357924680!', 0],
    ['é'.repeat(10), 0],
    ['😀'.repeat(9), 1],
    ['😀'.repeat(10), 0],
    ['ﷺ', 1],
    ['x'.repeat(256), 0],
    ['x'.repeat(257), 1],
    ['marie-curie', 1],
    ['MARIE-CURIE1', 1],
    ['marie.sklodowska', 1],
    ['marie.sklodowska@example.com', 1],
    ['something about marie-curie and radium', 0],
  ])('%s has %i errors', (password, errors) => {
    expect(passwordErrors(password, owner)).toHaveLength(errors)
  })
})

describe('new superuser', () => {
  const good = { username: 'admin', email: "o'hara@example.com", password: 'a long password' }

  it('accepts valid answers', () => {
    expect(superuserErrors(good)).toEqual([])
  })

  it.each([
    { username: '' },
    { username: 'two words' },
    { username: "admin'); DROP TABLE user; --" },
    { username: 'x'.repeat(151) },
    { email: '' },
    { email: 'nobody' },
    { email: 'a@b' },
    { email: 'a b@example.com' },
    { email: 'a@example.com\u0000' },
    { password: 'short' },
  ])('is refused with %o', (part) => {
    expect(superuserErrors({ ...good, ...part })).toHaveLength(1)
  })

  it.each([
    ['name', { username: 'ADMIN', email: 'other@example.com' }],
    ['address', { username: 'other', email: "O'Hara@example.com" }],
  ])('does not share the %s of another account, in whatever case', (_what, taken) => {
    const database = migratedDatabase()
    database.exec(superuserSql(good, 'scrypt$x', 5))
    expect(() => database.exec(superuserSql({ ...good, ...taken }, 'scrypt$x', 5))).toThrow('UNIQUE constraint failed')
  })

  it('escapes quotes in the statement', () => {
    expect(superuserSql(good, 'scrypt$x', 5)).toContain(", 'admin', 'o''hara@example.com', 5, 'scrypt$x', 1, 1, 5);")
  })
})

describe('mailbox key', () => {
  it.each([
    ['Ada@Example.org', 'ada@example.org'],
    ['ada+news@example.org', 'ada@example.org'],
    ['ada+a+b@example.org', 'ada@example.org'],
    ['+ada@example.org', '+ada@example.org'],
    ['a.d.a@example.org', 'a.d.a@example.org'],
    ['a.d.a+x@GMAIL.com', 'ada@gmail.com'],
    ['ada@googlemail.com', 'ada@gmail.com'],
    ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
    ['ada@xn--bcher-kva.example', 'ada@xn--bcher-kva.example'],
    ['ａｄａ@example.org', 'ada@example.org'],
    ['...@gmail.com', '...@gmail.com'],
  ])('of %s is %s', (address, key) => {
    expect(mailboxKey(address)).toBe(key)
  })
})
