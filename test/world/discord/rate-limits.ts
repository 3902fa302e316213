import { json, type Answer } from '../http.ts'

const WINDOW = 10_000

/** Discord's buckets: one per route and caller, each with its own window, all stated in the headers of every answer. */
export class RateLimits {
  readonly #buckets = new Map<string, { used: number; endsAt: number }>()
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Takes one call from the bucket and returns `answer`, or refuses with the seconds to wait. */
  guard(bucket: string, now: number, answer: () => Answer): Answer {
    const present = this.#buckets.get(bucket)
    const current = present && present.endsAt > now ? present : { used: 0, endsAt: now + WINDOW }
    this.#buckets.set(bucket, current)
    const isAllowed = current.used < this.#limit
    if (isAllowed) current.used += 1
    const seconds = (current.endsAt - now) / 1000
    const headers = {
      'x-ratelimit-bucket': bucket.split(' ')[0] ?? '',
      'x-ratelimit-limit': String(this.#limit),
      'x-ratelimit-remaining': String(this.#limit - current.used),
      'x-ratelimit-reset': (current.endsAt / 1000).toFixed(3),
      'x-ratelimit-reset-after': seconds.toFixed(3),
    }
    if (isAllowed) {
      const given = answer()
      return { ...given, headers: { ...given.headers, ...headers } }
    }
    return json({ message: 'You are being rate limited.', retry_after: seconds, global: false }, 429, {
      ...headers,
      'x-ratelimit-scope': 'user',
      'retry-after': String(Math.ceil(seconds)),
    })
  }
}
