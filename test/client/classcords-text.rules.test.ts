import { describe, expect, test } from 'vitest'
import {
  courseTitle,
  isLocked,
  directoryLogInHref,
  recentCount,
  serverCount,
  serverChips,
  serverGroups,
} from '../../client/islands/classcords/server-text.ts'
import { cardAbout } from '../../client/islands/classcords/server-names.ts'
import { userTag } from '../../client/islands/classcords/profile.tsx'
import { referralStatus, usesText } from '../../client/islands/classcords/referrals.tsx'
import { submissionState } from '../../client/islands/classcords/submission-list.tsx'
import { initialOf } from '../../client/components/hue.ts'
import { counted } from '../../client/components/count-text.ts'
import { onePage } from './samples.ts'
import { course, privateLevel, referral, server, submission } from './classcords-samples.ts'

describe('the description on a card', () => {
  const shown = (description: string) => cardAbout(server({ description }))
  test('is complete up to 100 characters, then cut', () => {
    expect(shown('x'.repeat(100))).toBe('x'.repeat(100))
    expect(shown('x'.repeat(101))).toBe(`${'x'.repeat(100)}…`)
  })
  test('is never cut inside a character', () => {
    expect(shown('🎓'.repeat(101))).toBe(`${'🎓'.repeat(100)}…`)
  })
})

test('figures have thousands separators, and a singular', () => {
  expect(counted(0, 'member')).toBe('0 members')
  expect(counted(1, 'member')).toBe('1 member')
  expect(counted(1234567, 'member')).toBe('1,234,567 members')
})

test('a server is for its courses, otherwise its subjects; beyond four they are counted', () => {
  const courses = [1, 2, 3, 4, 5, 6].map((id) => course({ id, level: String(id) }))
  expect(serverChips(server({ courses }))).toEqual({ shown: ['MATH 1', 'MATH 2', 'MATH 3', 'MATH 4'], more: 2 })
  expect(serverChips(server({ courses: [] }))).toEqual({ shown: ['Mathematics'], more: 0 })
  expect(serverChips(server({ courses: [course(), course({ id: 2 })] }))).toEqual({ shown: ['MATH 2210'], more: 0 })
  expect(serverChips(server({ courses: [], subjects: [], is_general_server: true }))).toEqual({ shown: [], more: 0 })
})

test('a course without a title is called by its code', () => {
  expect(courseTitle(course())).toBe('MATH 2210 - Calculus')
  expect(courseTitle(course({ title: '' }))).toBe('MATH 2210')
})

describe('groups of servers', () => {
  test('are featured, public, private; each server is in one, and a featured private one is featured', () => {
    const featured = server({ id: 1, is_required_for_trust: true, privacy_level_info: privateLevel })
    const hidden = server({ id: 2, privacy_level_info: privateLevel })
    const open = server({ id: 3 })
    const groups = serverGroups([hidden, open, featured])
    expect(groups.map(({ key, servers }) => [key, servers.map(({ id }) => id)])).toEqual([
      ['featured', [1]],
      ['public', [3]],
      ['private', [2]],
    ])
  })
  test('without a server are left out', () => {
    expect(serverGroups([server()]).map(({ title }) => title)).toEqual(['Public'])
  })
})

test('servers are counted without placeholders, with the page number if there are several', () => {
  expect(recentCount([server(), server({ id: -1 })])).toBe('1 recently added')
  expect(serverCount(1, onePage)).toBe('1 server')
  expect(serverCount(1031, { ...onePage, current_page: 2, total_pages: 69 })).toBe('1,031 servers, page 2 of 69')
})

test('only a negative id is locked', () => {
  expect(isLocked({ id: -1 })).toBe(true)
  expect(isLocked({ id: 1 })).toBe(false)
})

test('the login link keeps the referral code and the current page', () => {
  expect(directoryLogInHref(null)).toBe('/classcords/login/')
  expect(directoryLogInHref('a&b', '/classcords/all/')).toBe(
    '/classcords/login/?referral=a%26b&next=%2Fclasscords%2Fall%2F',
  )
})

describe("a referral's status", () => {
  const labelOf = (changes: Parameters<typeof referral>[0]) => referralStatus(referral(changes)).label
  test('is the first that applies: full, partly used, expired, active', () => {
    expect(labelOf({ num_uses: 20, is_expired: true })).toBe('Fully Redeemed')
    expect(labelOf({ num_uses: 1, is_expired: true })).toBe('Partially Redeemed')
    expect(labelOf({ is_expired: true })).toBe('Expired')
    expect(labelOf({})).toBe('Active')
  })
  test('is never full without a maximum', () => {
    expect(labelOf({ max_uses: 0 })).toBe('Active')
    expect(labelOf({ max_uses: 0, num_uses: 500 })).toBe('Partially Redeemed')
    expect(usesText({ max_uses: 0, num_uses: 5 })).toBe('5 / Unlimited')
    expect(usesText({ max_uses: 20, num_uses: 5 })).toBe('5 / 20')
  })
})

test('a discriminator is shown only if there is one', () => {
  expect(userTag({ username: 'maya', discriminator: '0' })).toBe('maya')
  expect(userTag({ username: 'maya', discriminator: '' })).toBe('maya')
  expect(userTag({ username: 'maya', discriminator: '0042' })).toBe('maya#0042')
})

test('a submission shows its state, and why', () => {
  expect(submissionState(submission())).toMatchObject({ label: 'Pending', text: expect.stringContaining('2') })
  expect(submissionState(submission({ state: 'rejected', reason: 'Not a class' })).text).toBe('Reason: Not a class')
  expect(submissionState(submission({ state: 'rejected' })).text).toContain('without giving a reason')
  expect(submissionState(submission({ state: 'approved', is_valid: false })).text).toContain('no longer works')
  const removed = { ...submission().discord_server, is_active: false }
  expect(submissionState(submission({ state: 'approved', discord_server: removed })).text).toContain('removed')
  expect(submissionState(submission({ state: 'expired' })).label).toBe('Expired')
})

test("a server's symbol is its first letter or digit, in any script", () => {
  expect(initialOf('🔥 calculus')).toBe('C')
  expect(initialOf('東京')).toBe('東')
  expect(initialOf('🔥')).toBe('#')
})
