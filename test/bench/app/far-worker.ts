import measured, { Ledger, Limiter, Pacer, Runner } from './measured-worker.ts'
import worker from '../../../src/worker.ts'
import { farDatabase, farObjects, farSessions, Journey } from './far-away.ts'

export { Ledger, Limiter, Pacer, Runner }

type Fetch = typeof measured.fetch
type Bindings = Parameters<Fetch>[1] & Record<'LIMITER' | 'PACER' | 'RUNNER', object>

let journey: Journey | undefined
let isCacheFar = false

/** Look-ups in the location's cache belong to the request that is being answered: one at a time is. */
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

/** The app far away from everything it asks; each answer says in a header what it waited for. */
export default {
  ...measured,
  async fetch(request: Request, env: Bindings, context: Parameters<Fetch>[2]): Promise<Response> {
    if (new URL(request.url).pathname.startsWith('/_bench/')) return measured.fetch(request, env, context)
    moveCacheAway()
    const present = (journey = new Journey())
    const far = {
      ...env,
      DB: farDatabase(env.DB, present),
      SESSIONS: farSessions(env.SESSIONS, present),
      LEDGER: farObjects(env.LEDGER, present),
      LIMITER: farObjects(env.LIMITER, present),
      PACER: farObjects(env.PACER, present),
      RUNNER: farObjects(env.RUNNER, present),
    }
    const response = await (worker as { fetch: Fetch }).fetch(request, far, context)
    const answer = new Response(response.body, response)
    answer.headers.set('x-trips', JSON.stringify(present.trips))
    return answer
  },
}
