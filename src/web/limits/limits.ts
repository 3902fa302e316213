import { bytesOf } from '../../lib/text.ts'
import { withTimeout } from '../../lib/time.ts'
import type { Limiter } from './limiter.ts'

export type Limit = Pick<Limiter, 'take' | 'giveBack' | 'reserve' | 'clear'>

/**
 * The exact limit of one key for one action. `action` is a fixed word with one window; `key` (an address, a user, an
 * IP) is hashed and never stored. Every call rejects if the limiter does not answer in time: the caller decides whether
 * that means no (sign-in) or yes (reads).
 */
export async function limitOf(env: Env, action: string, key: string): Promise<Limit> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytesOf(`${action}\n${key}`)))
  const name = `${action}:${[...hash].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
  const stub = () => (env.LIMITER as DurableObjectNamespace<Limiter>).get(env.LIMITER.idFromName(name))
  return {
    take: (request) => withTimeout(stub().take(request)),
    giveBack: (id) => withTimeout(stub().giveBack(id)),
    reserve: (request) => withTimeout(stub().reserve(request)),
    clear: () => withTimeout(stub().clear()),
  }
}
