import { setTimeout as pause } from 'node:timers/promises'
import type { Collector } from './collector.ts'
import { type Sample, workerdMb } from './memory.ts'

const collectEveryMs = 1000
/** One sample after so many collections. */
const collectionsASample = 5

/**
 * Has garbage collected every second and notes what memory is left. `lives` says which life it is and its process group; null
 * between two.
 */
export function watchMemory(
  collector: Collector,
  lives: () => { life: number; group: number } | null,
): { samples: readonly Sample[]; stop(): void } {
  const samples: Sample[] = []
  let isWatching = true
  async function watch(): Promise<void> {
    for (let collections = 1; isWatching; collections += 1) {
      await pause(collectEveryMs)
      const before = lives()
      if (before === null) continue
      await collector.collect()
      const now = lives()
      if (now?.life !== before.life || collections % collectionsASample > 0) continue
      samples.push({ life: now.life, at: Date.now(), mb: workerdMb(now.group) })
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
