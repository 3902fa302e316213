import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { iconAddress, readInviteAnswer } from '../../src/classcords/discord/invite-answer.ts'
import { afterFailure } from '../../src/classcords/health/record-check.ts'
import { refuseWithoutAccess } from '../../src/classcords/invites/server-invites.ts'
import { DAY_MS } from '../../src/lib/time.ts'
import { expiryOf, readReferralForm } from '../../src/classcords/referrals/referral-form.ts'
import { referralState } from '../../src/classcords/referrals/referral-rules.ts'
import { sortKeyOf, wordRanges, wordsOf } from '../../src/classcords/search/words.ts'
import { typedSearch } from '../../src/lib/text.ts'
import { Refusal } from '../../src/web/refusal.ts'
import { placeholders } from '../../src/classcords/servers/newest-servers.ts'
import { scopeOf } from '../../src/classcords/servers/visibility.ts'
import { pictureHash } from '../../src/web/discord-user.ts'

describe('visibility', () => {
  const nobody = { user: null, discordUser: null, schoolId: null, isManager: false, isSuperuser: false }
  const member = { ...nobody, user: {}, discordUser: {}, schoolId: 1 }
  const priv = { is_private: true, school_ids: [1, 2] }

  /** The page with the missing step, or the status of the refusal; null if there is none. */
  function refusalOf(viewer: Parameters<typeof refuseWithoutAccess>[0], server: typeof priv) {
    try {
      refuseWithoutAccess(viewer, server)
      return null
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return error.nextStep?.href ?? error.status
    }
  }

  it("is one's own school with its private servers, or all schools' public servers", () => {
    expect(scopeOf({ schoolId: null })).toEqual({ schoolId: 0, withPrivate: false })
    expect(scopeOf({ schoolId: 7 })).toEqual({ schoolId: 7, withPrivate: true })
  })

  it.each([
    ['anonymous', nobody, 401],
    ['without Discord', { ...nobody, user: {} }, '/accounts/3rdparty/'],
    ['without school', { ...member, schoolId: null }, '/classcords/profile/'],
    ['of another school', { ...member, schoolId: 3 }, 403],
    ['of its school', member, null],
    ['manager', { ...nobody, user: {}, isManager: true }, null],
    ['superuser', { ...nobody, user: {}, isSuperuser: true }, null],
  ])('invites of a private server: %s', (_who, viewer, refusal) => {
    expect(refusalOf(viewer, priv)).toBe(refusal)
    expect(refusalOf(viewer, { is_private: false, school_ids: [] })).toBe(null)
  })

  it('includes 14 locked placeholders, −1 to −14, without facts about any server', () => {
    const locked = placeholders()
    expect(locked.map(({ id }) => id)).toEqual([-1, -2, -3, -4, -5, -6, -7, -8, -9, -10, -11, -12, -13, -14])
    expect(new Set(locked.map(({ id: _id, ...rest }) => JSON.stringify(rest))).size).toBe(1)
  })
})

describe('a referral', () => {
  const facts = { max_uses: 20, num_uses: 0, expires_at: 100, revoked_at: null }

  it.each([
    [facts, 99, { is_expired: false, is_valid: true, can_revoke: true }],
    [facts, 100, { is_expired: true, is_valid: false, can_revoke: false }],
    [{ ...facts, num_uses: 1 }, 0, { is_expired: false, is_valid: true, can_revoke: false }],
    [{ ...facts, num_uses: 20 }, 0, { is_expired: false, is_valid: false, can_revoke: false }],
    [
      { ...facts, max_uses: 0, num_uses: 500, expires_at: null },
      9e15,
      { is_expired: false, is_valid: true, can_revoke: false },
    ],
    [{ ...facts, revoked_at: 5 }, 6, { is_expired: true, is_valid: false, can_revoke: false }],
  ])('%j at %d', (given, now, state) => {
    expect(referralState(given, now)).toEqual(state)
  })

  it('expires after its time', () => {
    expect([
      expiryOf('1w', 0),
      expiryOf('2w', 0),
      expiryOf('1m', 0),
      expiryOf('3m', 0),
      expiryOf('permanent', 0),
    ]).toEqual([7 * DAY_MS, 14 * DAY_MS, 30 * DAY_MS, 90 * DAY_MS, null])
  })

  it('defaults to 20 uses and a week; some choices are only for managers', () => {
    const read = (max_uses_choice: string, expiry_timeframe: string, isManager = false) =>
      readReferralForm({ max_uses_choice, expiry_timeframe }, isManager)
    expect(read('', '')).toEqual({ choice: { maxUses: 20, timeframe: '1w' }, errors: {} })
    expect(read('100', '3m').choice).toEqual({ maxUses: 100, timeframe: '3m' })
    expect(read('0', 'permanent').errors).toEqual({
      max_uses_choice: 'Only manager users can create unlimited referrals.',
      expiry_timeframe: 'Only manager users can create permanent referrals.',
    })
    expect(read('0', 'permanent', true)).toEqual({ choice: { maxUses: 0, timeframe: 'permanent' }, errors: {} })
    expect(Object.keys(read('21', '4w', true).errors)).toHaveLength(2)
  })
})

describe('an invite that fails its checks', () => {
  it('is dead after three failures over at least a day, never sooner', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 2 * DAY_MS }), { minLength: 1, maxLength: 10 }), (pauses) => {
        let state = { failures: 0, first_failed_at: null as number | null }
        let now = 0
        for (const pause of pauses) {
          now += pause
          const after = afterFailure(state, now)
          expect(after.is_dead).toBe(after.failures >= 3 && now - (after.first_failed_at ?? 0) >= DAY_MS)
          expect(after.due_at).toBeGreaterThan(now)
          state = after
        }
      }),
    )
  })

  it('is dead a day after its first failure if it is checked on time', () => {
    let state = { failures: 0, first_failed_at: null as number | null }
    let now = 1000
    const verdicts = [1, 2, 3].map(() => {
      const after = afterFailure(state, now)
      state = after
      now = after.due_at
      return after.is_dead
    })
    expect(verdicts).toEqual([false, false, true])
  })
})

describe('search words', () => {
  it('have no accents, case or punctuation', () => {
    expect(wordsOf('Éléments of C++', 'CS-101, cs')).toEqual(['elements', 'of', 'c', 'cs', '101'])
    expect(wordRanges('  Cálc  I ').map(({ from }) => from)).toEqual(['calc', 'i'])
    expect(wordRanges('%_*')).toEqual([])
    expect(typedSearch(` a\n\tb\u0000c ${'x'.repeat(300)}`)).toHaveLength(100)
  })

  it('match prefixes', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (text) => {
        for (const word of wordsOf(text)) {
          const [range] = wordRanges(word)
          if (!range) throw new Error('no range')
          expect(word >= range.from && word < range.to).toBe(true)
        }
      }),
    )
  })

  it('sort by first course, then name; servers without a course come last', () => {
    const key = (name: string, ...courses: [string, string][]) =>
      sortKeyOf(
        name,
        courses.map(([code, level]) => ({ code, level })),
      )
    const sorted = [
      key('B'),
      key('A'),
      key('Z', ['CS', '10'], ['ZZ', '1']),
      key('Y', ['CS', '9']),
      key('X', ['CS', '10']),
    ].toSorted()
    expect(sorted).toEqual([key('Y', ['CS', '9']), key('X', ['CS', '10']), key('Z', ['CS', '10']), key('A'), key('B')])
  })
})

describe("Discord's answer", () => {
  const guild = { id: '119', name: 'Calc', icon: 'abc123' }
  const answer = { code: 'abc', guild, expires_at: null, approximate_member_count: 5, approximate_presence_count: 2 }

  it('may lack an inviter and a profile, and have unknown fields', () => {
    expect(readInviteAnswer({ ...answer, new_field: { a: 1 } }, 'abc')).toEqual({
      code: 'abc',
      guild_id: '119',
      name: 'Calc',
      description: '',
      icon: 'abc123',
      member_count: 5,
      online_count: 2,
      expires_at: null,
      is_permanent: true,
    })
    expect(readInviteAnswer({ guild }, 'abc')).toMatchObject({
      member_count: null,
      online_count: null,
      is_permanent: true,
    })
  })

  it('has one spelling of a vanity code', () => {
    expect(readInviteAnswer({ guild: { ...guild, vanity_url_code: 'calc' } }, 'CALC')).toMatchObject({ code: 'calc' })
  })

  it.each([
    [{ ...answer, expires_at: '2026-12-01T00:00:00+00:00' }],
    [{ ...answer, expires_at: 'soon' }],
    [{ ...answer, max_uses: 5 }],
  ])('%j is not permanent', (given) => {
    expect(readInviteAnswer(given, 'abc')).toMatchObject({ is_permanent: false })
  })

  it('is recognized as a group chat, and is null for anything else', () => {
    expect(readInviteAnswer({ code: 'abc', type: 1, channel: { id: '1', type: 3 } }, 'abc')).toBe('not_guild')
    for (const nothing of [{}, null, [], 'x', { code: 'abc', guild: { id: 'evil/../', name: 'x' } }, { guild: 5 }])
      expect(readInviteAnswer(nothing, 'abc')).toBeNull()
  })

  it('is null if it is about another invite', () => {
    expect(readInviteAnswer(answer, 'abd')).toBeNull()
    expect(readInviteAnswer({ code: 'abc', type: 1, channel: { id: '1', type: 3 } }, 'abd')).toBeNull()
    expect(readInviteAnswer(answer, 'ABC')).toMatchObject({ guild_id: '119' })
  })

  it('never becomes an address on another host', () => {
    for (const hash of ['../../evil', 'a"onerror="x', 'A', 'g', '', 'a'.repeat(65), 'abc?x=1', 'a_', '//evil'])
      expect(pictureHash(hash)).toBeNull()
    expect(pictureHash('a_0f')).toBe('a_0f')
    expect(iconAddress('https://cdn.example', '119', 'abc123')).toBe('https://cdn.example/icons/119/abc123.png?size=96')
    expect(iconAddress('https://cdn.example', '119', null)).toBeNull()
  })

  it('has names without bidirectional control characters', () => {
    expect(readInviteAnswer({ guild: { ...guild, name: ' a\u202eb\n\u0000c ' } }, 'abc')).toMatchObject({
      name: 'ab c',
    })
    expect(readInviteAnswer({ guild: { ...guild, name: '\u200b' } }, 'abc')).toMatchObject({ name: 'Unnamed server' })
  })
})
