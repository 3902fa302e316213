import { describe, expect, test } from 'vitest'
import type { Recipient } from '../../src/class-tracker/recipients/contract.ts'
import type { WatchedSection } from '../../src/class-tracker/watches/contract.ts'
import { openSections } from '../../client/islands/class-tracker/open-now.tsx'

const sectionOf = (id: number, status: WatchedSection['status']): WatchedSection => ({
  id,
  number: String(10_000 + id),
  number_label: 'CRN',
  section: '001',
  topic: '',
  status,
  seats_available: 1,
  capacity: 30,
  waitlist_available: null,
  observed_at: null,
  term: { id: 1, full_term_name: 'Fall 2026' },
  course: { id: 1, code: 'MATH', level: '101', title: 'Algebra', subject: 'Mathematics' },
  instruction_list: [],
  school: { id: 1, name: 'Harbor State' },
  link: null,
  history: [],
})
const recipientOf = (id: number, ...sections: WatchedSection[]): Recipient => ({
  id,
  name: `Recipient ${id}`,
  description: '',
  is_contact_by_phone: true,
  phone_numbers: [],
  watched_sections: sections,
  watched_count: sections.length,
})

describe('what is open now', () => {
  test('lists each open section once, with everyone who watches it', () => {
    const [algebra, optics] = [sectionOf(1, 'open'), sectionOf(2, 'open')]
    const ada = recipientOf(1, algebra, sectionOf(3, 'closed'))
    const bob = recipientOf(2, optics, algebra, sectionOf(4, 'unknown'))
    expect(openSections([ada, bob])).toEqual([
      { section: algebra, watchers: [ada, bob] },
      { section: optics, watchers: [bob] },
    ])
    expect(openSections([recipientOf(5, sectionOf(6, 'waitlisted'))])).toEqual([])
  })
})
