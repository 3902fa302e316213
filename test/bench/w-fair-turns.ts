import { type Crowd, jain, type Outcome, playTurns } from './fair-turns.ts'
import type { Figure, Part } from './report.ts'

const RUNS = 200
const crowd: Crowd = { waiting: 300, openings: 40, outsiderSeconds: 300, acts: 0.4, actSeconds: 45, passes: 0.2 }

/** Fair turns against notifying everyone at once, simulated: no clock and no network, always the same numbers. */
export async function measureFairTurns(): Promise<Part> {
  const figures = [
    ['everybody at once', null],
    ['fair turns, waves of 60 s', 60],
    ['fair turns, waves of 20 s', 20],
  ] as const
  return {
    name: 'w. Fair turns: 300 people wait, 40 openings of 1 to 3 seats, outsiders take a free seat after 5 min on average',
    figures: figures.flatMap(([what, waveSeconds]) => figuresOf(what, play(waveSeconds))),
    notes: [
      `${RUNS} runs each with the same random numbers. Assumed: 40% of those notified act, after 45 s in the median; 20% of the others pass.`,
      'Jain’s index is over the seats each person got for a message, of those who got any: 1 means that every message was worth the same.',
      'Who waited longest: the share of seats that went to the half of the people who had waited longer.',
    ],
  }
}

function play(waveSeconds: number | null): Outcome[] {
  return Array.from({ length: RUNS }, (_, run) => playTurns(crowd, { waveSeconds }, randomFrom(run + 1)))
}

function figuresOf(what: string, outcomes: readonly Outcome[]): Figure[] {
  const sum = (of: (outcome: Outcome) => number) => outcomes.reduce((total, outcome) => total + of(outcome), 0)
  const seats = sum((outcome) => outcome.seats)
  const people = Array.from({ length: crowd.waiting }, (_, person) => ({
    messages: sum((outcome) => outcome.people[person]?.messages ?? 0),
    seats: sum((outcome) => outcome.people[person]?.seats ?? 0),
  }))
  const worth = people.filter(({ messages }) => messages > 0).map((one) => one.seats / one.messages)
  const first = people.slice(0, crowd.waiting / 2).reduce((total, one) => total + one.seats, 0)
  const fills = outcomes.flatMap((outcome) => outcome.fillSeconds).toSorted((one, other) => one - other)
  return [
    { what: `${what}: messages a seat`, value: sum((outcome) => outcome.messages) / seats, unit: '' },
    { what: `${what}: median time to fill`, value: fills[Math.floor(fills.length / 2)] ?? Number.NaN, unit: 's' },
    {
      what: `${what}: seats lost to outsiders`,
      value: (100 * sum((outcome) => outcome.lost)) / (seats + sum((outcome) => outcome.lost)),
      unit: '%',
    },
    { what: `${what}: Jain’s index of a message’s worth`, value: jain(worth), unit: '' },
    { what: `${what}: seats to who waited longest`, value: (100 * first) / seats, unit: '%' },
  ]
}

/** Mulberry32: small, and the same everywhere. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
