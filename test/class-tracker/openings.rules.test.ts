import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mayAlert, proposeChanges, type KnownSection } from '../../src/class-tracker/polling/openings.ts'
import type { Seats, Status } from '../../src/sources/source.ts'

const asked = { group_id: 7, asked_at: 1000, seen_at: 1100 }
const status = fc.constantFrom<Status>('open', 'waitlisted', 'closed', 'unknown')
const figure = fc.option(fc.integer({ min: -13, max: 300 }), { nil: null })
const key = fc.integer({ min: 1, max: 12 }).map(String)
const seats: fc.Arbitrary<Seats> = fc.record({
  section_key: key,
  status,
  seats_available: figure,
  seats_for_anyone: figure,
  capacity: figure,
  waitlist_available: figure,
})
const known: fc.Arbitrary<KnownSection> = fc
  .tuple(seats, fc.integer({ min: 1, max: 99 }), fc.integer({ min: 0, max: 2 }))
  .map(([one, version, new_watch_count]) => ({ ...one, id: Number(one.section_key), version, new_watch_count }))
const sections = fc.uniqueArray(known, { selector: (one) => one.id, maxLength: 12 })
const answers = fc.uniqueArray(seats, { selector: (one) => one.section_key, maxLength: 12 })

describe('an answer that never contains figures', () => {
  const figures = { seats_available: null, seats_for_anyone: null, capacity: null, waitlist_available: null }
  const answered = { section_key: '1', ...figures } as const
  const former = {
    id: 1,
    section_key: '1',
    status: 'open',
    seats_available: 3,
    seats_for_anyone: 1,
    capacity: 30,
    waitlist_available: 0,
    version: 4,
    new_watch_count: 0,
  } as const

  test('ends the figures that a person has entered, even if the status is the same', () => {
    for (const status of ['open', 'closed'] as const) {
      const [proposal] = proposeChanges([former], [{ ...answered, status, has_figures: false }], asked)
      expect(proposal).toMatchObject({ ...figures, status, is_changed: true })
    }
  })

  test('changes nothing while the status is the same and no figures are known', () => {
    const unknown = { ...former, ...answered }
    expect(proposeChanges([unknown], [{ ...answered, status: 'open', has_figures: false }], asked)).toEqual([])
  })
})

describe('proposed changes', () => {
  test('never concern a section that the school left out or left unknown', () => {
    fc.assert(
      fc.property(sections, answers, (believed, seen) => {
        const believedIds = new Set(
          seen.filter((one) => one.status !== 'unknown').map((one) => Number(one.section_key)),
        )
        for (const proposal of proposeChanges(believed, seen, asked))
          expect(believedIds.has(proposal.known.id)).toBe(true)
      }),
    )
  })

  test('carry what was seen and the version that was read', () => {
    fc.assert(
      fc.property(sections, answers, (believed, seen) => {
        for (const proposal of proposeChanges(believed, seen, asked)) {
          const former = believed.find((one) => one.id === proposal.known.id)
          const now = seen.find((one) => Number(one.section_key) === proposal.known.id)
          expect(proposal).toMatchObject({
            ...asked,
            known: former,
            status: now?.status,
            seats_available: now?.seats_available,
          })
          expect(proposal.is_opening).toBe(
            now?.status === 'open' && (former?.status === 'closed' || former?.status === 'waitlisted'),
          )
        }
      }),
    )
  })

  test('are none if the school repeats what is known and there is no new watcher', () => {
    fc.assert(
      fc.property(sections, (believed) => {
        const settled = believed.map((one) => ({ ...one, new_watch_count: 0 }))
        expect(proposeChanges(settled, settled, asked)).toEqual([])
      }),
    )
  })

  test('settle once written: the same answer proposes nothing', () => {
    fc.assert(
      fc.property(sections, answers, (believed, seen) => {
        const proposals = new Map(
          proposeChanges(believed, seen, asked).map((proposal) => [proposal.known.id, proposal]),
        )
        const after = believed.map((one) => {
          const proposal = proposals.get(one.id)
          return proposal ? { ...one, ...proposal, new_watch_count: 0 } : one
        })
        const left = proposeChanges(after, seen, asked)
        expect(left).toEqual([])
      }),
    )
  })

  test('may alert only while open', () => {
    fc.assert(
      fc.property(sections, answers, (believed, seen) => {
        for (const proposal of proposeChanges(believed, seen, asked)) {
          const isNew = proposal.known.new_watch_count > 0
          expect(mayAlert(proposal)).toBe(isNew ? proposal.status === 'open' : proposal.is_opening)
        }
      }),
    )
  })
})
