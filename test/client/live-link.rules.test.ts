import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { LiveLink, type LinkState } from '../../client/islands/scheduler/live-link.ts'

let sockets: FakeSocket[] = []

class FakeSocket extends EventTarget {
  static readonly OPEN = 1
  readyState = 0

  constructor() {
    super()
    sockets.push(this)
  }

  send(): void {}
  close(): void {}

  opens(): void {
    this.readyState = FakeSocket.OPEN
    this.dispatchEvent(new Event('open'))
  }

  breaks(): void {
    this.readyState = 3
    this.dispatchEvent(Object.assign(new Event('close'), { code: 1006 }))
  }
}

beforeEach(() => {
  sockets = []
  vi.useFakeTimers()
  vi.stubGlobal('WebSocket', FakeSocket)
  vi.stubGlobal('location', { href: 'https://this.example/scheduler/' })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('a connection that opens and breaks at once is tried ever more rarely; one that has held is made again soon', async () => {
  const states: LinkState[] = []
  let loads = 0
  const link = new LiveLink({
    paths: ['/scheduler/live/?queue=polls'],
    onFrame: () => undefined,
    onState: (state) => states.push(state),
    reload: async () => {
      loads += 1
      return 'well'
    },
  })
  link.start()
  for (let second = 0, seen = 0; second < 120; second += 1) {
    for (const socket of sockets.slice(seen)) {
      socket.opens()
      socket.breaks()
    }
    seen = sockets.length
    await vi.advanceTimersByTimeAsync(1000)
  }
  expect(sockets.length).toBeLessThan(15)
  expect(states).toContain('polling')
  expect(loads).toBeLessThan(60)

  await vi.advanceTimersByTimeAsync(31_000)
  sockets.at(-1)?.opens()
  await vi.advanceTimersByTimeAsync(12_000)
  expect(states.at(-1)).toBe('live')
  const before = sockets.length
  sockets.at(-1)?.breaks()
  await vi.advanceTimersByTimeAsync(1100)
  expect(sockets.length).toBe(before + 1)
  link.stop()
})
