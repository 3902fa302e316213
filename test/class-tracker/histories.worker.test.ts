import fc from 'fast-check'
import { test } from 'vitest'
import { WatchHistory } from '../worker/watch-history.ts'
import { scene } from '../worker/watch-scenes.ts'

/** A history is many round trips to the database: fewer of them than of other properties. */
const numRuns = Math.ceil((fc.readConfigureGlobal().numRuns ?? 100) * 0.3)

test(
  'any history of a school, its polls and its watchers tells each watcher of each opening once, and nobody else',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(scene, { minLength: 10, maxLength: 25, size: 'max' }), async (scenes) => {
        const history = await WatchHistory.begin()
        // Somebody watches from the start, or many histories would be about nobody.
        for (const recipient of [0, 1]) await history.play({ do: 'watch', recipient, section: recipient })
        for (const step of scenes.flat()) await history.play(step)
      }),
      { numRuns },
    )
  },
  Math.max(240_000, numRuns * 2000),
)
