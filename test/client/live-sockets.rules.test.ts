import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { LiveSockets, waitAfter } from '../../client/islands/scheduler/live-sockets.ts'
import type { ConnectionState } from '../../client/use-live-page.ts'

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

  says(data: string): void {
    this.dispatchEvent(Object.assign(new Event('message'), { data }))
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

test('a connection that breaks right after opening is retried less and less often; one that lasted is reopened soon', async () => {
  const states: ConnectionState[] = []
  let changes = 0
  const live = new LiveSockets(['/scheduler/live/?queue=polls'])
  const listener = {
    onChange: () => {
      changes += 1
    },
    onState: (state: ConnectionState) => states.push(state),
  }
  live.start(listener)
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
  expect(changes).toBeLessThan(60)

  await vi.advanceTimersByTimeAsync(31_000)
  sockets.at(-1)?.opens()
  await vi.advanceTimersByTimeAsync(12_000)
  expect(states.at(-1)).toBe('live')
  const before = sockets.length
  sockets.at(-1)?.breaks()
  await vi.advanceTimersByTimeAsync(1100)
  expect(sockets.length).toBe(before + 1)
  live.stop()
})

test('every message means a change, and so does opening, because a notification may have been missed', () => {
  let changes = 0
  const live = new LiveSockets(['/scheduler/live/?queue=polls', '/scheduler/live/?queue=alerts'])
  live.start({
    onChange: () => {
      changes += 1
    },
    onState: () => undefined,
  })
  for (const socket of sockets) socket.opens()
  expect(changes).toBe(2)
  sockets[0]?.says('changed')
  expect(changes).toBe(3)
  sockets[0]?.says('pong')
  expect(changes).toBe(3)
  live.stop()
  sockets[0]?.says('changed')
  expect(changes).toBe(3)
})

test('the delay before a new connection doubles up to 30 s, and is randomized', () => {
  expect([1, 2, 3, 9].map((failures) => waitAfter(failures, 1))).toEqual([1000, 2000, 4000, 30_000])
  expect(waitAfter(3, 0)).toBe(2000)
})
