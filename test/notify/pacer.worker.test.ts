import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { AccountPacer } from '../../src/notify/pacer/pacer.ts'

const request = { ticket: 'one', flow: 'section', kind: 'alert', units: 1 } as const

test.each([
  ['rejects', () => Promise.reject(new Error('The database is overloaded.'))],
  ['hangs', () => new Promise<never>(() => undefined)],
])('while the database %s, an account has its initial pace', async (_, readSetting) => {
  const turns = await runInDurableObject(env.PACER.get(env.PACER.newUniqueId()), (_pacer, state) =>
    new AccountPacer(state, env, readSetting).turns([
      { account: 'sms', request },
      { account: 'sms', request: { ...request, ticket: 'two' } },
    ]),
  )
  const [first, second] = turns.map((turn) => ('go_at' in turn ? turn.go_at : null))
  expect(second).toBeGreaterThanOrEqual((first ?? Infinity) + 1000)
})
