import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { liveConnection } from '../../client/islands/scheduler/live-connection.ts'
import { LiveSockets, waitAfter } from '../../client/islands/scheduler/live-sockets.ts'
import type { ConnectionState } from '../../client/use-live-page.ts'

let sockets: FakeSocket[] = []

class FakeSocket extends EventTarget {
  static readonly CONNECTING = 0
  static readonly OPEN = 1
  readyState = FakeSocket.CONNECTING
  isClosed = false

  constructor() {
    super()
    sockets.push(this)
  }

  send(): void {}
  close(): void {
    this.isClosed = true
  }

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

/** Waits for the next try. */
async function nextSocket(): Promise<FakeSocket | undefined> {
  const before = sockets.length
  for (let second = 0; second < 60 && sockets.length === before; second += 1) await vi.advanceTimersByTimeAsync(1000)
  return sockets[before]
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

  const last = await nextSocket()
  last?.opens()
  await vi.advanceTimersByTimeAsync(12_000)
  expect(states.at(-1)).toBe('live')
  const before = sockets.length
  last?.breaks()
  await vi.advanceTimersByTimeAsync(1100)
  expect(sockets.length).toBe(before + 1)
  live.stop()
})

test('a connection that is not open after 10 s is given up and retried, and the data is polled after three of them', async () => {
  const states: ConnectionState[] = []
  const live = new LiveSockets(['/scheduler/live/?queue=polls'])
  live.start({ onChange: () => undefined, onState: (state) => states.push(state) })
  await vi.advanceTimersByTimeAsync(9900)
  expect(sockets.map(({ isClosed }) => isClosed)).toEqual([false])
  expect(states).toEqual([])

  await vi.advanceTimersByTimeAsync(1200)
  expect(sockets.map(({ isClosed }) => isClosed)).toEqual([true, false])
  expect(states).toEqual(['late'])
  await vi.advanceTimersByTimeAsync(22_500)
  expect(states.at(-1)).toBe('polling')

  const last = await nextSocket()
  last?.opens()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(states.at(-1)).toBe('live')
  expect(last?.isClosed).toBe(false)
  live.stop()
})

test('a connection that no one needs anymore is closed once it opens, or after 10 s', async () => {
  const live = new LiveSockets(['/scheduler/live/?queue=polls', '/scheduler/live/?queue=alerts'])
  live.start({ onChange: () => undefined, onState: () => undefined })
  live.stop()
  expect(sockets.map(({ isClosed }) => isClosed)).toEqual([false, false])
  sockets[0]?.opens()
  expect(sockets.map(({ isClosed }) => isClosed)).toEqual([true, false])
  await vi.advanceTimersByTimeAsync(10_000)
  expect(sockets.map(({ isClosed }) => isClosed)).toEqual([true, true])
  expect(sockets).toHaveLength(2)
})

test('a page whose code for sockets does not load requests its data every 5 s, until it is hidden', async () => {
  vi.doMock('../../client/islands/scheduler/live-sockets.ts', () => {
    throw new Error('It did not load.')
  })
  const states: ConnectionState[] = []
  let changes = 0
  const connection = liveConnection(['/scheduler/live/?queue=polls'])
  connection.start({
    onChange: () => {
      changes += 1
    },
    onState: (state) => states.push(state),
  })
  await vi.waitFor(() => expect(states).toEqual(['polling']))
  await vi.advanceTimersByTimeAsync(10_000)
  expect(changes).toBe(2)
  connection.stop()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(changes).toBe(2)
  expect(sockets).toEqual([])
  vi.doUnmock('../../client/islands/scheduler/live-sockets.ts')
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
