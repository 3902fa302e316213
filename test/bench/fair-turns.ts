/** How people and outsiders behave, in seconds and probabilities: assumptions, the same for both ways of notifying. */
export interface Crowd {
  waiting: number
  openings: number
  /** The mean time until an outsider takes a free seat. */
  outsiderSeconds: number
  /** The probability that someone who is notified acts on it, and the median time until then. */
  acts: number
  actSeconds: number
  /** The probability that someone who does not want the seat says so. */
  passes: number
}

export interface Turns {
  /** The seconds of a wave; null: everyone at once. */
  waveSeconds: number | null
}

export interface Outcome {
  messages: number
  /** Seats taken by waiting people, and by outsiders. */
  seats: number
  lost: number
  /** Seconds from the opening until a waiting person had the seat. */
  fillSeconds: number[]
  /** For each person: received messages, and seats. */
  people: { messages: number; seats: number }[]
}

interface Happening {
  at: number
  what: 'outsider' | 'acts' | 'passes' | 'wave'
  person: number
}

/** Plays a sequence of openings of one to three seats; a person who gets a seat stops waiting. */
export function playTurns(crowd: Crowd, { waveSeconds }: Turns, random: () => number): Outcome {
  const people = Array.from({ length: crowd.waiting }, () => ({ messages: 0, seats: 0 }))
  const outcome: Outcome = { messages: 0, seats: 0, lost: 0, fillSeconds: [], people }
  const exponential = (mean: number) => -Math.log(1 - random()) * mean
  for (let opening = 0; opening < crowd.openings; opening += 1) {
    const queue = people.flatMap(({ seats }, person) => (seats === 0 ? [person] : []))
    const size = 1 + Math.floor(random() * 3)
    let free = size
    const happenings: Happening[] = Array.from({ length: size }, () => ({
      at: exponential(crowd.outsiderSeconds),
      what: 'outsider',
      person: -1,
    }))
    let wave = 0
    const notify = (at: number): void => {
      for (const person of queue.splice(0, waveSeconds === null ? queue.length : size)) {
        outcome.messages += 1
        const one = people[person]
        if (one) one.messages += 1
        // The time to act has a long tail: its logarithm is normal.
        const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
        const delay = crowd.actSeconds * Math.exp(0.9 * normal)
        if (random() < crowd.acts) happenings.push({ at: at + delay, what: 'acts', person })
        else if (random() < crowd.passes) happenings.push({ at: at + delay, what: 'passes', person })
      }
      wave += 1
      if (waveSeconds !== null && queue.length > 0) {
        happenings.push({ at: at + waveSeconds, what: 'wave', person: wave })
      }
    }
    notify(0)
    while (free > 0) {
      happenings.sort((one, other) => other.at - one.at)
      const next = happenings.pop()
      if (!next) break
      if (next.what === 'wave' && next.person === wave) notify(next.at)
      if (next.what === 'passes' && waveSeconds !== null && queue.length > 0) notify(next.at)
      if (next.what === 'outsider') {
        free -= 1
        outcome.lost += 1
      }
      if (next.what === 'acts') {
        free -= 1
        outcome.seats += 1
        outcome.fillSeconds.push(next.at)
        const one = people[next.person]
        if (one) one.seats += 1
        const outsider = happenings.findIndex(({ what }) => what === 'outsider')
        if (outsider >= 0) happenings.splice(outsider, 1)
        if (waveSeconds !== null && free > 0 && queue.length > 0) notify(next.at)
      }
    }
  }
  return outcome
}

/** 1 if all are treated alike, 1/n if one has everything (Jain, Chiu and Hawe, 1984). */
export function jain(values: readonly number[]): number {
  const sum = values.reduce((total, value) => total + value, 0)
  const squares = values.reduce((total, value) => total + value * value, 0)
  return squares === 0 ? 1 : (sum * sum) / (values.length * squares)
}
