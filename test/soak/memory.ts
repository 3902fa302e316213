import { readdirSync, readFileSync } from 'node:fs'

/** Resident memory of workerd at one time in one of its lives. */
export interface Sample {
  life: number
  /** milliseconds since epoch */
  at: number
  /** MB (10⁶ bytes) */
  mb: number
}

const pageBytes = 4096

/** Resident MB of every workerd in a process group (Linux). */
export function workerdMb(group: number): number {
  let pages = 0
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      const [, name = '', rest = ''] = /^\d+ \((.*)\) (.*)$/s.exec(stat) ?? []
      if (name !== 'workerd' || Number(rest.split(' ')[2]) !== group) continue
      pages += Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1])
    } catch {
      // Ended in the meantime.
    }
  }
  return (pages * pageBytes) / 1e6
}

/**
 * Until the code is compiled, the page caches of the runtime's own databases are filled, and the allocator, which
 * returns little memory, has seen its peak. It grows for 3 minutes and stays level afterwards (`--minutes 13 --life 30`:
 * 250, 304, 313, 319, 314, … 318 MB).
 */
const warmUpMs = 180_000

/**
 * Memory growth between restarts, MB a minute: one slope for all lives, each with its own offset, without each life's
 * first 3 minutes. NaN with too few samples.
 * @returns also how many samples that are, and of how many minutes
 */
export function growth(samples: readonly Sample[], from: number): { slope: number; count: number; minutes: number } {
  const lives = Map.groupBy(samples, ({ life }) => life)
  let covariance = 0
  let variance = 0
  let count = 0
  let minutes = 0
  for (const life of lives.values()) {
    const start = life[0]?.at ?? 0
    const used = life.filter(({ at }) => at >= from && at >= start + warmUpMs)
    const mean = (value: (sample: Sample) => number) => used.reduce((sum, one) => sum + value(one), 0) / used.length
    const [middle, height] = [mean(({ at }) => at), mean(({ mb }) => mb)]
    minutes += ((used.at(-1)?.at ?? 0) - (used[0]?.at ?? 0)) / 60_000
    for (const { at, mb } of used) {
      covariance += (at - middle) * (mb - height)
      variance += (at - middle) ** 2
      count += 1
    }
  }
  return { slope: (covariance / variance) * 60_000, count, minutes }
}

const stepMs = 30_000

/** The size of a life of the runtime every half minute: "204, 221, 226 MB". */
export function courseOf(samples: readonly Sample[], life: number): string {
  const own = samples.filter((sample) => sample.life === life)
  const start = own[0]?.at ?? 0
  const steps = Map.groupBy(own, ({ at }) => Math.floor((at - start) / stepMs))
  return `${[...steps.values()].flatMap(([first]) => (first ? [Math.round(first.mb)] : [])).join(', ')} MB`
}
