import { describe, expect, test } from 'vitest'
import {
  isUsable,
  matching,
  refreshed,
  unreachableText,
  withRecipient,
  withSection,
  withoutContact,
  withoutRecipient,
  withoutSection,
} from '../../client/islands/class-tracker/recipients.ts'
import { contact, recipient, watchedSection } from './samples.ts'

const ann = recipient()
const ben = recipient({ id: 2, name: 'Ben', watched_sections: [] })

describe('merging', () => {
  test('a new recipient goes to the top with nothing watched', () => {
    const saved = recipient({ id: 3, name: 'New' })
    expect(withRecipient([ann, ben], saved)).toEqual([{ ...saved, watched_sections: [] }, ann, ben])
  })

  test('an edited recipient takes the saved values where it stands', () => {
    expect(withRecipient([ann, ben], { ...ben, name: 'Benjamin' })).toEqual([ann, { ...ben, name: 'Benjamin' }])
  })

  test('an added section comes first, and only once', () => {
    const added = watchedSection({ id: 7 })
    const once = withSection([ann, ben], 1, added)
    expect(once[0]?.watched_sections.map(({ id }) => id)).toEqual([7, 1])
    expect(withSection(once, 1, added)).toEqual(once)
    expect(once[1]).toBe(ben)
  })

  test('what is removed goes, and nothing else', () => {
    expect(withoutSection([ann, ben], 1, 1)[0]?.watched_sections).toEqual([])
    expect(withoutSection([ann, ben], 1, 99)[0]?.watched_sections).toHaveLength(1)
    expect(withoutRecipient([ann, ben], 1)).toEqual([ben])
    expect(withoutContact([ann], 1)[0]?.phone_numbers).toEqual([])
  })

  test('a refresh keeps the objects of what did not change, and takes what did', () => {
    const fresh = [structuredClone(ann), { ...ben, name: 'Benjamin' }]
    const shown = refreshed([ann, ben], fresh)
    expect(shown[0]).toBe(ann)
    expect(shown[1]?.name).toBe('Benjamin')
    expect(refreshed([ann, ben], [ben])).toEqual([ben])
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

  test('the dialog warns when nobody would be messaged', () => {
    expect(unreachableText(ann)).toBe('')
    expect(unreachableText(recipient({ phone_numbers: [] }))).toMatch(/has no contact info/)
    expect(unreachableText(recipient({ is_contact_by_phone: false }))).toMatch(/no usable contact/)
  })
})

test('finding looks at names, contacts and watched sections, for every word', () => {
  expect(matching([ann, ben], '')).toEqual([ann, ben])
  expect(matching([ann, ben], 'ANALYTICS 2300')).toEqual([ann])
  expect(matching([ann, ben], 'ben')).toEqual([ben])
  expect(matching([ann, ben], 'ben analytics')).toEqual([])
})
