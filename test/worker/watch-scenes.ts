import fc from 'fast-check'
import type { Status } from '../../src/sources/source.ts'

/** Random histories of schools, polls and people, as short scenes. */

/**
 * One round trip of a run fails, or its answer is late, before or after it was carried out. The job runs again: at once
 * if it failed, and while the first run still waits if it is late.
 */
export interface Trouble {
  trouble: 'fails' | 'is late'
  moment: 'before' | 'after'
  trip: number
}
export type Says = Status | 'nothing'
export type Saying = { do: 'school' | 'seen'; section: number; says: Says; seats: number }
export type Personal =
  | { do: 'watch' | 'unwatch'; recipient: number; section: number }
  | { do: 'contact'; index: number }
  | { do: 'phone'; recipient: number }
export type Step =
  | Saying
  | Personal
  | { do: 'poll' | 'begin' | 'ask' | 'end' | 'race' | 'sweep' | 'send' }
  | { do: 'list' | 'begin listing' | 'ask listing' | 'end listing' }
  | { do: 'say'; section: number; says: 'open' | 'waitlisted' | 'closed'; seats: number }
  | { do: 'wait'; minutes: number }
  | { do: 'clock back'; ms: number }
  | ({ do: 'troubled poll' | 'troubled list' | 'troubled sweep' } & Trouble)

const section = fc.nat(1)
const recipient = fc.nat(1)
const says = fc.constantFrom<Says[]>('open', 'open', 'open', 'closed', 'closed', 'waitlisted', 'unknown', 'nothing')
const seats = fc.integer({ min: 1, max: 2 })
const minutes = fc.constantFrom(1, 3, 9.5, 10, 60, 355, 360)
const pair = fc.record({ recipient, section })

const saying = fc
  .record({ section, says, seats, isHeard: fc.boolean() })
  .map(({ isHeard, ...said }): Step[] => [{ do: isHeard ? 'seen' : 'school', ...said }])

const flap = fc.record({ section, seats }).map(({ section: which, seats: free }): Step[] => [
  { do: 'seen', section: which, says: 'closed', seats: free },
  { do: 'seen', section: which, says: 'open', seats: free },
])

const later = minutes.map((some): Step[] => [{ do: 'wait', minutes: some }, { do: 'poll' }, { do: 'sweep' }])

/** Nothing changes for many grace periods. */
const days = fc
  .constantFrom(4, 5)
  .map((periods): Step[] =>
    Array.from({ length: periods }, (): Step[] => [
      { do: 'wait', minutes: 360 },
      { do: 'poll' },
      { do: 'sweep' },
    ]).flat(),
  )

const again = pair.map((both): Step[] => [{ do: 'unwatch', ...both }, { do: 'watch', ...both }, { do: 'poll' }])

const plain = fc
  .constantFrom('poll' as const, 'begin' as const, 'end' as const, 'race' as const, 'sweep' as const, 'send' as const)
  .map((what): Step[] => [{ do: what }])

/** A refresh, over several runs or one; a poll that makes its request later than it began. */
const refreshes = fc
  .constantFrom(
    'list' as const,
    'begin listing' as const,
    'ask listing' as const,
    'end listing' as const,
    'ask' as const,
  )
  .map((what): Step[] => [{ do: what }])

/** An old answer on its way while a newer one is recorded. */
const overtaken = fc
  .record({ section, seats, isRefreshOld: fc.boolean(), isOldOpen: fc.boolean() })
  .map(({ section: which, seats: free, isRefreshOld, isOldOpen }): Step[] => [
    { do: 'school', section: which, says: isOldOpen ? 'open' : 'closed', seats: free },
    { do: isRefreshOld ? 'begin listing' : 'begin' },
    { do: 'school', section: which, says: isOldOpen ? 'closed' : 'open', seats: free },
    { do: isRefreshOld ? 'poll' : 'list' },
    { do: isRefreshOld ? 'end listing' : 'end' },
  ])

const troubled = fc
  .record({
    section,
    seats,
    do: fc.constantFrom('troubled poll' as const, 'troubled list' as const, 'troubled sweep' as const),
    trouble: fc.constantFrom('fails' as const, 'is late' as const),
    moment: fc.constantFrom('before' as const, 'after' as const),
    trip: fc.integer({ min: 1, max: 5 }),
  })
  .map(({ section: which, seats: free, ...run }): Step[] => [
    { do: 'school', section: which, says: 'open', seats: free },
    run,
  ])

/** As clocks of different machines do: by a little, or by a lot. No two steps have the same time. */
const back = fc.constantFrom(503, 5003, 61_007).map((ms): Step[] => [{ do: 'clock back', ms }, { do: 'poll' }])

const edit = fc
  .record({ section, seats, says: fc.constantFrom('open' as const, 'waitlisted' as const, 'closed' as const) })
  .map((said): Step[] => [{ do: 'say', ...said }])

/** One scene: usually a few related steps, so that short histories reach the interesting cases. */
export const scene: fc.Arbitrary<Step[]> = fc.oneof(
  { weight: 4, arbitrary: saying },
  { weight: 4, arbitrary: flap },
  { weight: 4, arbitrary: later },
  { weight: 2, arbitrary: minutes.map((some): Step[] => [{ do: 'wait', minutes: some }]) },
  { weight: 1, arbitrary: days },
  { weight: 2, arbitrary: again },
  { weight: 1, arbitrary: pair.map((both): Step[] => [{ do: 'watch', ...both }]) },
  { weight: 1, arbitrary: pair.map((both): Step[] => [{ do: 'unwatch', ...both }]) },
  { weight: 7, arbitrary: plain },
  { weight: 5, arbitrary: refreshes },
  { weight: 3, arbitrary: overtaken },
  { weight: 2, arbitrary: edit },
  { weight: 4, arbitrary: troubled },
  { weight: 1, arbitrary: back },
  { weight: 1, arbitrary: fc.nat(3).map((index): Step[] => [{ do: 'contact', index }]) },
  { weight: 1, arbitrary: recipient.map((who): Step[] => [{ do: 'phone', recipient: who }]) },
)
