import type { TakeRequest } from '../../src/web/limits/limiter.ts'
import { limitOf } from '../../src/web/limits/limits.ts'
import { env } from 'cloudflare:workers'

/** Takes this often from a limit. */
export async function takeOften(action: string, key: string, count: number, rule: TakeRequest): Promise<void> {
  const limit = await limitOf(env, action, key)
  for (let taken = 0; taken < count; taken += 1) await limit.take(rule)
}
