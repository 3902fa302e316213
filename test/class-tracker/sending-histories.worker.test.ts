import fc from 'fast-check'
import { afterEach, test } from 'vitest'
import { setProviderTimeout } from '../worker/deliveries.ts'
import { forgetPacers } from '../worker/pacers.ts'
import { SendingModel } from '../worker/sending-model.ts'
import { scene } from '../worker/sending-steps.ts'
import { world } from '../worker/world.ts'

const numRuns = Math.ceil((fc.readConfigureGlobal().numRuns ?? 100) * 0.15)

afterEach(async () => {
  await world.clearFaults()
  await forgetPacers()
})

test(
  'any history of providers, runners, the database and people: no one is notified twice, and no one is missed',
  async () => {
    await setProviderTimeout(150)
    await fc.assert(
      fc.asyncProperty(fc.array(scene, { minLength: 5, maxLength: 18, size: 'max' }), async (scenes) => {
        await world.clearFaults()
        await forgetPacers(['sms', 'mail'])
        const sending = await SendingModel.begin()
        for (const one of scenes.flat()) await sending.play(one)
        await sending.end()
        await sending.compare()
      }),
      { numRuns },
    )
  },
  Math.max(240_000, numRuns * 4000),
)
