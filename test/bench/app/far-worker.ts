import measured, { Checker, Ledger, Limiter, Pacer, Runner } from './measured-worker.ts'
import worker from '../../../src/worker.ts'
import { DELAYS, farBindings, Journey, PLACED_DELAYS } from './far-away.ts'

export { Checker, Ledger, Limiter, Pacer, Runner }

type Fetch = typeof measured.fetch
type Bindings = Parameters<Fetch>[1] & Parameters<typeof farBindings>[0]

let journey: Journey | undefined
let isCacheFar = false

/** Lookups in the location's cache belong to the current request, of which there is only one at a time. */
function moveCacheAway(): void {
  if (isCacheFar) return
  isCacheFar = true
  const { default: cache } = caches as unknown as { default: Cache }
  const match = cache.match.bind(cache)
  Object.assign(cache, {
    match: (...asked: Parameters<typeof match>) =>
      journey === undefined ? match(...asked) : journey.go('cache', () => match(...asked)),
  })
}

/**
 * The app far from everything it calls, or with `x-placed` near it and far from the reader. Each answer says in a
 * header what it waited for.
 */
export default {
  ...measured,
  async fetch(request: Request, env: Bindings, context: Parameters<Fetch>[2]): Promise<Response> {
    if (new URL(request.url).pathname.startsWith('/_bench/')) return measured.fetch(request, env, context)
    moveCacheAway()
    const isPlaced = request.headers.has('x-placed')
    if (isPlaced) await new Promise((resolve) => setTimeout(resolve, DELAYS.primary))
    const present = (journey = new Journey(isPlaced ? PLACED_DELAYS : DELAYS))
    const response = await (worker as { fetch: Fetch }).fetch(request, farBindings(env, present), context)
    const answer = new Response(response.body, response)
    answer.headers.set('x-trips', JSON.stringify(present.trips))
    return answer
  },
}
