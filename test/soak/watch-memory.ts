import { setTimeout as pause } from 'node:timers/promises'
import type { Collector } from './collector.ts'
import { type Sample, workerdMb } from './memory.ts'

/** Collecting in all of them takes the runtime up to half a second. */
const collectEveryMs = 3000

/**
 * Forces garbage collection every three seconds and records the remaining memory. `lives` gives the current life and
 * its process group; null between two.
 */
export function watchMemory(
  collector: Collector,
  lives: () => { life: number; group: number } | null,
): { samples: readonly Sample[]; stop(): void } {
  const samples: Sample[] = []
  let isWatching = true
  async function watch(): Promise<void> {
    while (isWatching) {
      await pause(collectEveryMs)
      const before = lives()
      if (before === null) continue
      await collector.collect()
      const now = lives()
      if (now?.life === before.life) samples.push({ life: now.life, at: Date.now(), mb: workerdMb(now.group) })
    }
  }
  void watch()
  return {
    samples,
    stop() {
      isWatching = false
    },
  }
}
