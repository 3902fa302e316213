import { describe, expect, inject, it } from 'vitest'
import { FRESH_MS, MAX_REQUESTS, SharedChecks } from '../../src/classcords/join/shared-checks.ts'
import type { Lookup } from '../../src/classcords/discord/look-up-invite.ts'
import { randomFrom } from '../world/random.ts'

/** A clock that advances only when nothing else is left to do. */
class VirtualTime {
  now = 0
  #waiting: { at: number; go: () => void }[] = []

  wait = (ms: number): Promise<void> => this.at(this.now + ms)

  at(moment: number): Promise<void> {
    return new Promise((go) => this.#waiting.push({ at: moment, go }))
  }

  async run(): Promise<void> {
    for (;;) {
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
      const next = Math.min(...this.#waiting.map(({ at }) => at))
      if (next === Infinity) return
      const due = this.#waiting.filter(({ at }) => at === next)
      this.#waiting = this.#waiting.filter(({ at }) => at !== next)
      this.now = Math.max(this.now, next)
      for (const { go } of due) go()
    }
  }
}

const guild: Lookup = {
  kind: 'guild',
  invite: {
    code: 'x',
    guild_id: '1',
    name: 'x',
    description: '',
    icon: null,
    member_count: 1,
    online_count: 1,
    expires_at: null,
    is_permanent: true,
  },
}
const unsure = (retry_after_ms: number | null): Lookup => ({
  kind: 'unsure',
  reason: 'test',
  timed_out: false,
  retry_after_ms,
})

/** A Discord whose invites die at set times. */
function discord(time: VirtualTime, diesAt: (code: string) => number) {
  const requests: { code: string; at: number }[] = []
  const look = async (code: string): Promise<Lookup> => {
    requests.push({ code, at: time.now })
    await time.wait(150)
    return diesAt(code) <= time.now ? { kind: 'dead' } : guild
  }
  const checks = new SharedChecks({ look, now: () => time.now, wait: time.wait })
  return { checks, requests }
}

/** The most requests in any window of 10 seconds. */
function busiest(requests: readonly { at: number }[]): number {
  const times = requests.map(({ at }) => at).toSorted((one, other) => one - other)
  return Math.max(0, ...times.map((from) => times.filter((at) => at >= from && at < from + 10_000).length))
}

const hour = 3600_000

describe('10 000 clicks on invites that die at random', () => {
  const clicks = 10_000
  const invites = 100

  it('never follow an invite that died more than a minute ago, and stay within the request limit', async () => {
    const random = randomFrom(`clicks ${inject('seed')}`)
    const time = new VirtualTime()
    const deaths = new Map(
      Array.from({ length: invites }, (_unused, index) => [String(index), random.next() * 2 * hour]),
    )
    const { checks, requests } = discord(time, (code) => deaths.get(code) ?? 0)
    let [joined, refused, unchecked, late] = [0, 0, 0, 0]
    const click = async (at: number, code: string) => {
      await time.at(at)
      const lookup = await checks.check(code)
      if (lookup.kind === 'dead') refused += 1
      else if (lookup.kind === 'unsure') unchecked += 1
      else {
        joined += 1
        if ((deaths.get(code) ?? 0) < time.now - FRESH_MS) late += 1
      }
    }
    const all = Array.from({ length: clicks }, () =>
      click(
        random.between(0, hour),
        // Some are far more popular than others.
        String(Math.floor(random.next() ** 2 * invites)),
      ),
    )
    await time.run()
    await Promise.all(all)
    expect([joined + refused, unchecked, late]).toEqual([clicks, 0, 0])
    expect(Math.min(joined, refused)).toBeGreaterThan(clicks / 20)
    expect(busiest(requests)).toBeLessThanOrEqual(MAX_REQUESTS)
    expect(requests.length).toBeLessThan(clicks)
  })
})

describe('shared checks', () => {
  it('make one request for any number of simultaneous clicks, and for the following minute', async () => {
    const time = new VirtualTime()
    const { checks, requests } = discord(time, () => Infinity)
    const all = [0, 0, 1, 100, 30_000, FRESH_MS - 1].map((at) => time.at(at).then(() => checks.check('one')))
    await time.run()
    await Promise.all(all)
    expect(requests).toHaveLength(1)
    const later = time.at(time.now + FRESH_MS).then(() => checks.check('one'))
    await time.run()
    await later
    expect(requests).toHaveLength(2)
  })

  it('wait for their turn within the limit, and give up if that takes too long', async () => {
    const time = new VirtualTime()
    const { checks, requests } = discord(time, () => Infinity)
    const all = Array.from({ length: 10 * MAX_REQUESTS }, (_unused, index) => checks.check(String(index)))
    await time.run()
    const kinds = (await Promise.all(all)).map(({ kind }) => kind)
    expect(kinds.filter((kind) => kind === 'guild')).toHaveLength(MAX_REQUESTS)
    expect(requests).toHaveLength(MAX_REQUESTS)
    const last = time.at(8700).then(() => checks.check('late'))
    await time.run()
    expect([(await last).kind, busiest(requests)]).toEqual(['guild', MAX_REQUESTS])
  })

  it.each([
    ['asked for a pause', 20_000, 20_000],
    ['did not answer', null, 5000],
  ])('ask nothing after Discord %s', async (_what, asked, pause) => {
    const time = new VirtualTime()
    const requests: number[] = []
    const look = async () => {
      requests.push(time.now)
      return unsure(asked)
    }
    const checks = new SharedChecks({ look, now: () => time.now, wait: time.wait })
    const all = [0, 1, pause - 1, pause].map((at) => time.at(at).then(() => checks.check(String(at))))
    await time.run()
    expect((await Promise.all(all)).map(({ kind }) => kind)).toEqual(Array(4).fill('unsure'))
    expect(requests).toEqual([0, pause])
  })

  it('ask nothing in a pause that began while they waited for their turn', async () => {
    const time = new VirtualTime()
    const requests: number[] = []
    const look = async () => {
      requests.push(time.now)
      return time.now < 8600 ? guild : unsure(20_000)
    }
    const checks = new SharedChecks({ look, now: () => time.now, wait: time.wait })
    const first = Array.from({ length: MAX_REQUESTS - 1 }, (_unused, index) => checks.check(String(index)))
    const refused = time.at(8600).then(() => checks.check('refused'))
    const late = time.at(8600).then(() => checks.check('late'))
    await time.run()
    await Promise.all(first)
    expect([(await refused).kind, (await late).kind]).toEqual(['unsure', 'unsure'])
    expect(requests.filter((at) => at > 8600)).toEqual([])
  })
})
