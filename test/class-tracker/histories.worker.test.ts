import fc from 'fast-check'
import { test } from 'vitest'
import { WatchHistory } from '../worker/watch-history.ts'
import { scene, type Step } from '../worker/watch-scenes.ts'

/** A history takes many round trips to the database, so there are fewer runs than for other properties. */
const numRuns = Math.ceil((fc.readConfigureGlobal().numRuns ?? 100) * 0.3)

test(
  'any history of a school, its polls and its watchers notifies each watcher of each opening once, and no one else',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(scene, { minLength: 10, maxLength: 25, size: 'max' }), async (scenes) => {
        const history = await WatchHistory.begin()
        // Someone watches from the start; otherwise many histories would concern no one.
        for (const recipient of [0, 1]) await history.play({ do: 'watch', recipient, section: recipient })
        for (const step of scenes.flat()) await history.play(step)
      }),
      { numRuns },
    )
  },
  Math.max(240_000, numRuns * 2000),
)

/** Two people watch a section each, and these steps follow. */
async function play(steps: readonly Step[]): Promise<void> {
  const history = await WatchHistory.begin()
  for (const recipient of [0, 1]) await history.play({ do: 'watch', recipient, section: recipient })
  for (const step of steps) await history.play(step)
}

const polledBack: readonly Step[] = [{ do: 'clock back', ms: 503_000 }, { do: 'poll' }]
const opens: Step = { do: 'school', section: 0, says: 'open', seats: 1 }

test('a newly watched section that was left out does not look fresher because of a refresh of an earlier time', async () => {
  const left: Step = { do: 'seen', section: 0, says: 'nothing', seats: 1 }
  await play([left, ...polledBack, ...polledBack, opens, { do: 'list' }, { do: 'list' }])
})

test('a newly watched section that no poll knew yet does not, either', async () => {
  const both = { recipient: 0, section: 0 }
  const unknown: Step[] = [{ do: 'unwatch', ...both }, { do: 'begin' }, { do: 'watch', ...both }, { do: 'end' }]
  await play([...unknown, { do: 'clock back', ms: 503_000 }, opens, { do: 'list' }])
})
