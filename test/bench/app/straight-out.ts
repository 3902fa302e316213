import type { Fetcher } from '@cloudflare/workers-types'
import { env } from 'cloudflare:workers'

/** Requests of the Worker go straight to the network if the bench asks for it ({@link startApp}, `isStraight`). */
const { STRAIGHT_OUT: out } = env as { STRAIGHT_OUT?: Fetcher }
if (out !== undefined) Object.assign(globalThis, { fetch: out.fetch.bind(out) })
