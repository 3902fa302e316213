import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod'

const targetsShape = z.array(z.object({ webSocketDebuggerUrl: z.string() }))
/** An isolate that is busy answers when it is done; one that was ended, never. */
const answerMs = 2000

/**
 * Forces garbage collection in all isolates of a runtime, over the inspector's protocol. V8 does it rarely in such
 * small heaps: memory outside the heap that garbage holds (mainly response bodies) would grow to 64 MB first.
 */
export class Collector {
  readonly #port: number
  #isolates: Isolate[] = []

  /** @param port the runtime's `inspectorPort` */
  constructor(port: number) {
    this.#port = port
  }

  /** Call it for each new runtime, once it answers. @throws if no inspector answers */
  async connect(): Promise<void> {
    this.#isolates = []
    const answer = await fetch(`http://127.0.0.1:${this.#port}/json`)
    const targets = targetsShape.parse(await answer.json())
    this.#isolates = await Promise.all(
      targets.map(async ({ webSocketDebuggerUrl: url }) => new Isolate(await opened(url))),
    )
  }

  /**
   * Resolves when every isolate has collected, or has not answered for too long: those are not asked again until they
   * do.
   */
  async collect(): Promise<void> {
    await Promise.race([Promise.all(this.#isolates.map((isolate) => isolate.collect())), pause(answerMs)])
  }
}

/** One isolate behind its inspector. */
class Isolate {
  readonly #socket: WebSocket
  /** The last request; resolves with its answer, or when the isolate is gone. */
  #asked: PromiseWithResolvers<void> | null = null

  constructor(socket: WebSocket) {
    this.#socket = socket
    const settle = () => {
      this.#asked?.resolve()
      this.#asked = null
    }
    // Nothing else was requested, and there are no events: each message is the answer.
    socket.addEventListener('message', settle)
    socket.addEventListener('close', settle)
  }

  collect(): Promise<void> {
    if (this.#socket.readyState !== WebSocket.OPEN) return Promise.resolve()
    if (this.#asked === null) {
      this.#asked = Promise.withResolvers<void>()
      this.#socket.send(JSON.stringify({ id: 1, method: 'HeapProfiler.collectGarbage' }))
    }
    return this.#asked.promise
  }
}

async function opened(url: string): Promise<WebSocket> {
  const socket = new WebSocket(url)
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true })
    socket.addEventListener('error', reject, { once: true })
  })
  return socket
}
