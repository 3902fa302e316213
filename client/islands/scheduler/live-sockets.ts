import type { Connection, ConnectionListener } from '../../use-live-page.ts'
import { POLL_INTERVAL_MS } from './live-connection.ts'

/** A network that answers nothing would leave a socket connecting for minutes, and block the next one. */
const MAX_CONNECT_WAIT_MS = 10_000
const PING_INTERVAL_MS = 25_000
const MAX_PONG_WAIT_MS = 10_000
const FIRST_WAIT_MS = 1000
const MAX_WAIT_MS = 30_000
const MAX_FAILURES_BEFORE_POLLING = 3
/** A connection that breaks sooner counts as failing: reloading the page's data each time would burden the server. */
const PROVEN_AFTER_MS = 10_000
/** The server's close codes: reconnect to have your login checked again; stop watching. */
const CHECK_AGAIN = 4000
const OVER = 4001

/**
 * The wait before the next try, in ms: doubled with each failure; random, so that browsers do not come back together.
 */
export function waitAfter(failures: number, random: number): number {
  const wait = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.max(0, failures - 1))
  return Math.round(wait * (0.5 + random / 2))
}

/**
 * Keeps one socket open per path. A broken one is reopened after a delay, and the page's data is requested then,
 * because a notification may have been missed. If sockets keep failing, the page's data is requested every 5 s instead.
 */
export class LiveSockets implements Connection {
  /** Addresses of sockets: paths of this site. */
  readonly #paths: readonly string[]
  #listener: ConnectionListener | null = null
  readonly #sockets = new Map<string, WebSocket>()
  readonly #timers = new Set<ReturnType<typeof setTimeout>>()
  #failures = 0
  #polling: ReturnType<typeof setInterval> | undefined

  constructor(paths: readonly string[]) {
    this.#paths = paths
  }

  start(listener: ConnectionListener): void {
    if (this.#listener !== null) return
    this.#listener = listener
    this.#failures = 0
    for (const path of this.#paths) this.#open(path)
  }

  stop(): void {
    this.#listener = null
    this.#stopPolling()
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers.clear()
    const sockets = [...this.#sockets.values()]
    this.#sockets.clear()
    // Browsers warn about a socket that is closed while it connects: it is closed once it opens, or takes too long.
    for (const socket of sockets) if (socket.readyState !== WebSocket.CONNECTING) socket.close()
  }

  /** @returns a function that cancels it */
  #later(milliseconds: number, act: () => void): () => void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      act()
    }, milliseconds)
    this.#timers.add(timer)
    return () => {
      clearTimeout(timer)
      this.#timers.delete(timer)
    }
  }

  #open(path: string): void {
    const socket = new WebSocket(new URL(path, location.href.replace(/^http/, 'ws')))
    this.#sockets.set(path, socket)
    // Also runs after `stop`, for a socket that no one needs anymore.
    const connecting = setTimeout(() => {
      this.#lost(path, socket, 0)
      socket.close()
    }, MAX_CONNECT_WAIT_MS)
    let cancelPing = () => {}
    const pingLater = (): void => {
      cancelPing()
      // Sending something is the only way to detect a connection that died silently.
      cancelPing = this.#later(PING_INTERVAL_MS, () => {
        if (socket.readyState === WebSocket.OPEN) socket.send('ping')
        cancelPing = this.#later(MAX_PONG_WAIT_MS, () => this.#lost(path, socket, 0))
      })
    }
    socket.addEventListener('open', () => {
      clearTimeout(connecting)
      if (this.#sockets.get(path) !== socket) {
        socket.close()
        return
      }
      pingLater()
      this.#listener?.onChange()
      if (this.#isAllOpen()) this.#connected()
    })
    socket.addEventListener('message', ({ data }) => {
      pingLater()
      if (data !== 'pong') this.#listener?.onChange()
    })
    socket.addEventListener('close', ({ code }) => {
      clearTimeout(connecting)
      cancelPing()
      this.#lost(path, socket, code)
    })
  }

  #isAllOpen(): boolean {
    return this.#paths.every((path) => this.#sockets.get(path)?.readyState === WebSocket.OPEN)
  }

  #connected(): void {
    const failures = this.#failures
    this.#later(PROVEN_AFTER_MS, () => {
      if (this.#isAllOpen() && this.#failures === failures) this.#failures = 0
    })
    this.#stopPolling()
    this.#listener?.onState('live')
  }

  #lost(path: string, socket: WebSocket, code: number): void {
    if (this.#listener === null || this.#sockets.get(path) !== socket) return
    this.#sockets.delete(path)
    socket.close()
    if (code === CHECK_AGAIN) {
      this.#later(waitAfter(1, Math.random()), () => this.#open(path))
      return
    }
    this.#failures += 1
    const isPolling = this.#polling !== undefined
    if (!isPolling) this.#listener.onState('late')
    // The response for the page's data shows whether the user is still logged in.
    if (code === OVER || this.#failures === 1) this.#listener?.onChange()
    if (this.#failures >= MAX_FAILURES_BEFORE_POLLING * this.#paths.length && !isPolling) {
      const { onChange, onState } = this.#listener
      onState('polling')
      onChange()
      this.#polling = setInterval(onChange, POLL_INTERVAL_MS)
    }
    const rounds = Math.ceil(this.#failures / this.#paths.length)
    this.#later(waitAfter(rounds, Math.random()), () => this.#open(path))
  }

  #stopPolling(): void {
    clearInterval(this.#polling)
    this.#polling = undefined
  }
}
