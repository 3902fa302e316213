import fc from 'fast-check'

/** Random histories of providers, runners and people around the messages of one opening. */

export const people = 6
/** Those of them who wait by phone; the others wait by email. */
export const phones = [0, 3]

const who = fc.nat({ max: people - 1 })
const modes = [
  'http_500',
  'http_429',
  'reset',
  'truncated',
  'maintenance_html',
  'accept_then_reset',
  'accept_then_timeout',
]
const service = fc.constantFrom('sms', 'email')
/** Which round trip of a run meets a database that fails or is late, and whether before or after it was carried out. */
const trouble = { trip: fc.integer({ min: 1, max: 4 }), moment: fc.constantFrom('before' as const, 'after' as const) }

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('run' as const), who }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('twice' as const), who }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('mails' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('both' as const), who }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('fault' as const), service, mode: fc.constantFrom(...modes) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('rate' as const), service }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('status' as const), status: fc.constantFrom('open', 'closed') }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('stop' as const), who }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('move' as const),
      who,
      kind: fc.constantFrom('phone' as const, 'email' as const),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom('broken run' as const, 'late run' as const), who, ...trouble }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('broken mails' as const, 'late mails' as const), ...trouble }),
  },
  /** The longest waiting late run gets its answer. */
  { weight: 2, arbitrary: fc.record({ do: fc.constant('answer' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('evict pacers' as const) }) },
)

/** The people who wait by phone, where a second request is a second message. */
const byPhone = fc.constantFrom(...phones)

/** What a run has recorded, the database confirms when its claim is over and another has done its work. */
const overtaken = fc.record({ who: byPhone, isMail: fc.boolean() }).map(({ who: one, isMail }): SendingStep[] => {
  const late = { trip: 2, moment: 'after' } as const
  const run: SendingStep = isMail ? { do: 'mails' } : { do: 'run', who: one }
  const slow: SendingStep = isMail ? { do: 'late mails', ...late } : { do: 'late run', who: one, ...late }
  // The first of the other runs may only ask the outcome of the message.
  return [{ do: 'wait' }, slow, { do: 'wait' }, run, { do: 'wait' }, run, { do: 'answer' }]
})

/** A step, or a few that belong together. */
export const scene: fc.Arbitrary<SendingStep[]> = fc.oneof(
  { weight: 6, arbitrary: step.map((one): SendingStep[] => [one]) },
  { weight: 1, arbitrary: overtaken },
)

type Made<Arbitrary> = Arbitrary extends fc.Arbitrary<infer Value> ? Value : never
export type SendingStep = Made<typeof step>
