import type { LiveFrame } from '../../../src/scheduler/live/contract.ts'

/** `signed-out`: nobody is. `gone`: there is nothing of this address for this person any more. */
export type Answer = 'well' | 'signed-out' | 'gone'

/** `polling`: no socket holds, so the page asks every few seconds. `late`: the connection is being made anew. */
export type LinkState = 'live' | 'polling' | 'late' | Exclude<Answer, 'well'>

export interface LinkOptions {
  /** Addresses of sockets: paths of this site. */
  paths: readonly string[]
  onFrame: (frame: LiveFrame) => void
  onState: (state: LinkState) => void
  /** Loads the page's data anew. Rejects when nothing answers. */
  reload: () => Promise<Answer>
}

const pollEvery = 5000
const pingEvery = 25_000
const answerWithin = 10_000
const firstWait = 1000
const longestWait = 30_000
const failuresUntilPolling = 3
/** Connections that break sooner than this are still failing: each would cost the server a page. */
const provenAfter = 10_000
/** The server's codes: come back to be checked again; looking is over. */
const checkAgain = 4000
const over = 4001

/** How long to wait before the next try, ms: doubled with each failure, and never the same for two browsers. */
export function waitAfter(failures: number, random: number): number {
  const wait = Math.min(longestWait, firstWait * 2 ** Math.max(0, failures - 1))
  return Math.round(wait * (0.5 + random / 2))
}

/**
 * Keeps a page in touch with its queues while it is looked at. It holds one socket for each path; one that breaks is opened
 * again after a while and the page's data loaded anew, because frames may have been missed. When sockets keep failing, the
 * page asks every 5 s instead.
 */
export class LiveLink {
  readonly #options: LinkOptions
  readonly #sockets = new Map<string, WebSocket>()
  readonly #timers = new Set<ReturnType<typeof setTimeout>>()
  #failures = 0
  #isStopped = true
  #isAsking = false
  #isPolling = false
  /** Takes back the next question of a page that polls: there is one at a time. */
  #unask = () => {}

  constructor(options: LinkOptions) {
    this.#options = options
  }

  start(): void {
    if (!this.#isStopped) return
    this.#isStopped = false
    this.#failures = 0
    for (const path of this.#options.paths) this.#open(path)
  }

  stop(): void {
    this.#isStopped = true
    this.#isPolling = false
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers.clear()
    const sockets = [...this.#sockets.values()]
    this.#sockets.clear()
    for (const socket of sockets) socket.close()
  }

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
    let forget = () => {}
    const watch = (): void => {
      forget()
      // A connection that died without a word is only found by asking.
      forget = this.#later(pingEvery, () => {
        if (socket.readyState === WebSocket.OPEN) socket.send('ping')
        forget = this.#later(answerWithin, () => this.#lost(path, socket, 0))
      })
    }
    socket.addEventListener('open', () => {
      watch()
      void this.#reload()
      if (this.#isAllOpen()) this.#isWell()
    })
    socket.addEventListener('message', ({ data }) => {
      watch()
      if (data !== 'pong' && !this.#isStopped) this.#options.onFrame(JSON.parse(data))
    })
    socket.addEventListener('close', ({ code }) => {
      forget()
      this.#lost(path, socket, code)
    })
  }

  #isAllOpen(): boolean {
    return this.#options.paths.every((path) => this.#sockets.get(path)?.readyState === WebSocket.OPEN)
  }

  #isWell(): void {
    const failures = this.#failures
    this.#later(provenAfter, () => {
      if (this.#isAllOpen() && this.#failures === failures) this.#failures = 0
    })
    this.#isPolling = false
    this.#options.onState('live')
  }

  #lost(path: string, socket: WebSocket, code: number): void {
    if (this.#isStopped || this.#sockets.get(path) !== socket) return
    this.#sockets.delete(path)
    socket.close()
    if (code === checkAgain) {
      this.#later(waitAfter(1, Math.random()), () => this.#open(path))
      return
    }
    this.#failures += 1
    if (!this.#isPolling) this.#options.onState('late')
    if (code === over || this.#failures === 1) void this.#reload()
    if (this.#failures >= failuresUntilPolling * this.#options.paths.length && !this.#isPolling) {
      this.#isPolling = true
      this.#poll()
    }
    const rounds = Math.ceil(this.#failures / this.#options.paths.length)
    this.#later(waitAfter(rounds, Math.random()), () => this.#open(path))
  }

  #poll(): void {
    if (!this.#isPolling) return
    void this.#reload()
    this.#unask()
    this.#unask = this.#later(pollEvery, () => this.#poll())
  }

  /** One at a time: four sockets that open together ask once. */
  async #reload(): Promise<void> {
    if (this.#isAsking) return
    this.#isAsking = true
    try {
      const answer = await this.#options.reload()
      if (this.#isStopped) return
      if (answer !== 'well') {
        this.stop()
        this.#options.onState(answer)
      } else if (this.#isPolling) this.#options.onState('polling')
    } catch {
      if (!this.#isStopped && !this.#isAllOpen()) this.#options.onState('late')
    } finally {
      this.#isAsking = false
    }
  }
}
