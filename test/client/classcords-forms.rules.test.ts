import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { changed, exploreSearch, isSearch, type ExploreQuery } from '../../client/islands/classcords/explore-query.ts'
import {
  cardsWith,
  cardsWithout,
  cardWith,
  newCards,
  nextCard,
  verdictOf,
} from '../../client/islands/classcords/review-cards.ts'
import {
  draftWith,
  inviteLink,
  linkError,
  knownServerForm,
  newDraft,
  notesState,
  submissionForm,
} from '../../client/islands/classcords/submission.ts'
import { course, pendingInvite, server } from './classcords-samples.ts'

const school = { id: 1, name: 'Baruch College' }
const subject = { id: 2, name: 'Mathematics' }
const everything = { subjectId: null, courseId: null, q: '', page: 1 }

describe("an invite's link", () => {
  test('may lack its scheme', () => {
    expect(inviteLink(' discord.gg/abc ')).toBe('https://discord.gg/abc')
    expect(inviteLink('ptb.discord.com/invite/abc')).toBe('https://ptb.discord.com/invite/abc')
    expect(inviteLink('http://discord.gg/abc')).toBe('http://discord.gg/abc')
    expect(inviteLink('example.com/discord.gg/abc')).toBe('example.com/discord.gg/abc')
  })
  test('must be a URL; a blank one shows no error yet', () => {
    expect(linkError('')).toBe('')
    expect(linkError('discord.gg/abc')).toBe('')
    expect(linkError('https://discord.gg/abc')).toBe('')
    for (const wrong of ['abc', 'javascript:alert(1)', 'https://', 'https://a b', 'ftp://discord.gg/abc']) {
      expect(linkError(wrong), wrong).not.toBe('')
    }
  })
})

test('notes: 255 characters, a warning above 90 percent', () => {
  expect(notesState('x'.repeat(229))).toEqual({ text: '229 / 255', isWarning: false, isTooLong: false })
  expect(notesState('x'.repeat(230))).toMatchObject({ isWarning: true, isTooLong: false })
  expect(notesState('x'.repeat(255))).toMatchObject({ isWarning: true, isTooLong: false })
  expect(notesState('x'.repeat(256))).toMatchObject({ isTooLong: true })
  // As the server counts them.
  expect(notesState(`  ${'👩'.repeat(254)}\r\n👩\n`).text).toBe('256 / 255')
  expect(notesState('\r\n').text).toBe('0 / 255')
  expect(notesState('e\u0301').text).toBe('1 / 255')
})

describe('a draft', () => {
  const full = {
    ...newDraft('discord.gg/abc'),
    school,
    subject,
    courses: [course()],
    instructors: [{ id: 5, name: 'Lee' }],
  }
  test('loses lower levels when a higher one changes, but not when the same one is selected', () => {
    expect(draftWith(full, { school: { id: 9, name: 'Other' } })).toMatchObject({
      subject: null,
      courses: [],
      instructors: [],
    })
    expect(draftWith(full, { subject: null })).toMatchObject({ school, courses: [], instructors: [] })
    expect(draftWith(full, { school: { ...school } })).toMatchObject({ subject, courses: [course()] })
    expect(draftWith(full, { notes: 'hi' })).toMatchObject({ notes: 'hi', subject })
  })

  test("for a new server becomes the call's form: optional fields absent, lists repeated", () => {
    const form = submissionForm({ ...full, courses: [course(), course({ id: 7 })] }, { id: '900', name: 'Crew' }, false)
    expect([...form]).toEqual([
      ['invite_url', 'https://discord.gg/abc'],
      ['notes', ''],
      ['guild_name', 'Crew'],
      ['guild_id', '900'],
      ['school_id', '1'],
      ['privacy_level', 'public'],
      ['changes_privacy', '0'],
      ['subject_id', '2'],
      ['course_id', '1'],
      ['course_id', '7'],
      ['instructor_ids', '5'],
    ])
    const bare = submissionForm({ ...newDraft('discord.gg/abc'), school }, { id: '900', name: 'Crew' }, false)
    expect(bare.has('subject_id') || bare.has('course_id') || bare.has('instructor_ids')).toBe(false)
  })

  test('for a listed server sends its stored data, for a school available to the submitter', () => {
    const listed = server({
      schools: [{ id: 3, name: 'Hunter' }, school],
      privacy_level_info: { value: 'private', label: '' },
    })
    const guild = { id: '900', name: 'Crew' }
    const form = knownServerForm(full, guild, listed, [school])
    expect(form.get('school_id')).toBe('1')
    expect(form.get('privacy_level')).toBe('private')
    expect(form.getAll('course_id')).toEqual(['1'])
    expect(knownServerForm(full, guild, listed, []).get('school_id')).toBe('3')
    const many = { ...listed, courses: Array.from({ length: 21 }, (_unused, at) => course({ id: at + 1 })) }
    expect(knownServerForm(full, guild, many, [school]).getAll('course_id')).toHaveLength(20)
    expect(knownServerForm(full, guild, { ...many, subjects: [] }, [school]).has('course_id')).toBe(false)
  })
})

describe('the search', () => {
  test('has a subject, a course or keywords', () => {
    expect(isSearch({ ...everything, q: 'a' })).toBe(true)
    expect(isSearch({ ...everything, subjectId: 2 })).toBe(true)
    expect(isSearch({ ...everything, q: '  ' })).toBe(false)
    expect(isSearch({ ...everything, page: 4 })).toBe(false)
  })
  test('starts on the first page; another subject clears the course', () => {
    const query: ExploreQuery = { subjectId: 2, courseId: 3, q: 'a', page: 4 }
    expect(changed(query, { q: 'ab' })).toEqual({ subjectId: 2, courseId: 3, q: 'ab', page: 1 })
    expect(changed(query, { subjectId: 9 })).toEqual({ subjectId: 9, courseId: null, q: 'a', page: 1 })
    expect(changed(query, { subjectId: 2 })).toMatchObject({ courseId: 3 })
  })
  test('is entirely in the address, whatever is typed', () => {
    expect(exploreSearch(everything, null)).toBe('')
    const id = fc.option(fc.nat(), { nil: null })
    fc.assert(
      fc.property(id, id, fc.string({ unit: 'grapheme' }), fc.integer({ min: 1 }), (subjectId, courseId, q, page) => {
        const read = new URLSearchParams(exploreSearch({ subjectId, courseId, q, page }, 'code'))
        expect(read.get('subject_id')).toBe(subjectId === null ? null : String(subjectId))
        expect(read.get('course_id')).toBe(courseId === null ? null : String(courseId))
        expect(read.get('q')).toBe(q.trim() === '' ? null : q.trim().toWellFormed())
        expect(Number(read.get('page') ?? 1)).toBe(page)
        expect(read.get('referral')).toBe('code')
      }),
    )
  })
})

describe('cards under review', () => {
  const invites = [1, 2, 3].map((id) => pendingInvite({ id }))
  const cards = newCards(invites)
  const ids = (shown: readonly { invite: { id: number } }[]) => shown.map(({ invite }) => invite.id)
  const decided = cardWith(cards, 2, { decided: 'approved' })

  test('a decided card disappears unless it was restored in the meantime', () => {
    expect(ids(cardsWithout(decided, 2))).toEqual([1, 3])
    expect(ids(cardsWithout(cards, 2))).toEqual([1, 2, 3])
  })
  test('undo restores it in its place, once, as pending', () => {
    expect(cardsWith(cardsWithout(decided, 2), pendingInvite({ id: 2 }), 1, '')).toEqual(cards)
    expect(cardsWith(decided, pendingInvite({ id: 2 }), 1, '')).toEqual(cards)
    expect(ids(cardsWith([], pendingInvite({ id: 2 }), 1, ''))).toEqual([2])
    expect(cardsWith([], pendingInvite({ id: 2 }), 1, 'Not ours')).toMatchObject([
      { decided: null, reason: 'Not ours' },
    ])
  })
  test('the next one takes the place of the last; after the last comes the one before', () => {
    expect(nextCard(cards, 0)?.invite.id).toBe(2)
    expect(nextCard(decided, 0)?.invite.id).toBe(3)
    expect(nextCard(decided, 2)?.invite.id).toBe(1)
    expect(nextCard(newCards(invites.slice(0, 1)), 0)).toBeNull()
  })
  test('a approves and r rejects; repeated keys and combinations are ignored', () => {
    const key = { key: 'a', repeat: false, ctrlKey: false, metaKey: false, altKey: false }
    expect(verdictOf(key)).toBe('approve')
    expect(verdictOf({ ...key, key: 'r' })).toBe('reject')
    expect(verdictOf({ ...key, key: 'A' })).toBeNull()
    expect(verdictOf({ ...key, repeat: true })).toBeNull()
    expect(verdictOf({ ...key, key: 'r', metaKey: true })).toBeNull()
    expect(verdictOf({ ...key, ctrlKey: true })).toBeNull()
  })
})
