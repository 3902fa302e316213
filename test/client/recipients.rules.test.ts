import { describe, expect, test } from 'vitest'
import { openSections } from '../../client/islands/class-tracker/open-now.tsx'
import {
  isUsable,
  refreshed,
  rowsShown,
  unreachableText,
  withAllSections,
  withRecipient,
  withSection,
  withoutContact,
  withoutRecipient,
  withoutSection,
} from '../../client/islands/class-tracker/recipients.ts'
import type { Recipient } from '../../src/class-tracker/recipients/contract.ts'
import { contact, recipient, watchedSection } from './samples.ts'

const ann = recipient()
const none: ReadonlySet<number> = new Set()
const ben = recipient({ id: 2, name: 'Ben', watched_sections: [] })

describe('merging', () => {
  test('puts a new recipient at the top', () => {
    const saved = recipient({ id: 3, name: 'New', watched_sections: [] })
    expect(withRecipient([ann, ben], saved)).toEqual([saved, ann, ben])
  })

  test('updates an edited recipient in place', () => {
    expect(withRecipient([ann, ben], { ...ben, name: 'Benjamin' })).toEqual([ann, { ...ben, name: 'Benjamin' }])
  })

  test('puts an added section first, and only once', () => {
    const added = watchedSection({ id: 7 })
    const once = withSection([ann, ben], 1, added)
    expect(once[0]?.watched_sections.map(({ id }) => id)).toEqual([7, 1])
    expect(withSection(once, 1, added)).toEqual(once)
    expect(once.map(({ watched_count }) => watched_count)).toEqual([2, 0])
    expect(once[1]).toBe(ben)
  })

  test('removes only what was removed', () => {
    expect(withoutSection([ann, ben], 1, 1)[0]?.watched_sections).toEqual([])
    expect(withoutSection([ann, ben], 1, 1)[0]?.watched_count).toBe(0)
    expect(withoutSection([ann, ben], 1, 99)[0]?.watched_sections).toHaveLength(1)
    expect(withoutSection([ann, ben], 1, 99)[0]?.watched_count).toBe(1)
    expect(withoutRecipient([ann, ben], 1)).toEqual([ben])
    expect(withoutContact([ann], 1)[0]?.phone_numbers).toEqual([])
  })

  test('keeps the objects of what did not change in a refresh, and replaces the rest', () => {
    const fresh = [structuredClone(ann), { ...ben, name: 'Benjamin' }]
    const shown = refreshed([ann, ben], fresh, none)
    expect(shown[0]).toBe(ann)
    expect(shown[1]?.name).toBe('Benjamin')
    expect(refreshed([ann, ben], [ben], none)).toEqual([ben])
  })

  test("keeps a recipient's sections that a new page leaves out, until they are removed", () => {
    const sections = [1, 2, 3].map((id) => watchedSection({ id }))
    const all = withAllSections([ann, ben], 1, sections)
    expect(all[0]?.watched_count).toBe(3)
    const brought = recipient({ watched_sections: [watchedSection({ id: 3, status: 'open' })], watched_count: 3 })
    const ids = (shown: readonly Recipient[]) => shown[0]?.watched_sections.map(({ id }) => id)
    expect(ids(refreshed(all, [brought], new Set([1])))).toEqual([3, 1, 2])
    expect(ids(refreshed(all, [{ ...brought, watched_count: 2 }], new Set([1])))).toEqual([3, 1])
    expect(ids(refreshed(all, [brought], none))).toEqual([3])
  })

  test('draws one section per recipient on a page with very many', () => {
    expect(rowsShown([ann, ben])).toBeGreaterThanOrEqual(8)
    const many = recipient({ watched_sections: Array.from({ length: 8 }, (_, id) => watchedSection({ id })) })
    expect(rowsShown(Array.from({ length: 8 }, () => many))).toBe(1)
  })
})

describe('who can be reached', () => {
  test.each([
    [{}, true, true],
    [{ is_enabled: false }, true, false],
    [{ opted_out: true }, true, false],
    [{}, false, false],
    [{ kind: 'email' as const }, false, true],
  ])('%j with texts wanted %s: %s', (changes, isContactByPhone, usable) => {
    expect(isUsable(contact(changes), { is_contact_by_phone: isContactByPhone })).toBe(usable)
  })

  test('the dialog warns if no one would be messaged', () => {
    expect(unreachableText(ann)).toBe('')
    expect(unreachableText(recipient({ phone_numbers: [] }))).toMatch(/has no contact info/)
    expect(unreachableText(recipient({ is_contact_by_phone: false }))).toMatch(/no usable contact/)
  })
})

test('what is open now lists each open section once, with everyone who watches it', () => {
  const algebra = watchedSection({ id: 1, status: 'open' })
  const optics = watchedSection({ id: 2, status: 'open' })
  const closed = watchedSection({ id: 3 })
  const ada = recipient({ id: 1, watched_sections: [algebra, closed] })
  const bob = recipient({ id: 2, watched_sections: [optics, algebra] })
  expect(openSections([ada, bob])).toEqual([
    { section: algebra, watchers: [ada, bob] },
    { section: optics, watchers: [bob] },
  ])
  expect(openSections([recipient({ watched_sections: [closed] })])).toEqual([])
})

test('what is open now begins with what opened last', () => {
  const change = (at: string, status: 'open' | 'closed') => ({
    at,
    status,
    seats_available: status === 'open' ? 1 : 0,
    capacity: 30,
    waitlist_available: null,
  })
  const open = (id: number, ...history: ReturnType<typeof change>[]) => watchedSection({ id, status: 'open', history })
  const earlier = open(
    1,
    change('2026-11-03T08:00:00Z', 'closed'),
    change('2026-11-03T09:00:00Z', 'open'),
    change('2026-11-03T11:00:00Z', 'open'),
  )
  const later = open(2, change('2026-11-03T10:00:00Z', 'open'))
  const found = openSections([recipient({ watched_sections: [open(3), earlier, later] })])
  expect(found.map(({ section }) => section.id)).toEqual([2, 1, 3])
})
