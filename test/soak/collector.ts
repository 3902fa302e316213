import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod'

const targetsShape = z.array(z.object({ webSocketDebuggerUrl: z.string() }))
/** An isolate in the middle of something answers when it is done; one that was ended, never. */
const answerMs = 2000

/**
 * Has garbage collected in all isolates of a runtime, over the inspector's protocol. Left to itself V8 does it rarely in heaps as
 * small as these: what hangs on garbage outside the heap (bodies of answers, above all) would pile up to 64 MB first.
 */
export class Collector {
  readonly #port: number
  #sockets: WebSocket[] = []
  #asked = 0

  /** @param port the runtime's `inspectorPort` */
  constructor(port: number) {
    this.#port = port
  }

  /** To be called for each runtime anew, once it answers. @throws when no inspector answers */
  async connect(): Promise<void> {
    this.#sockets = []
    const answer = await fetch(`http://127.0.0.1:${this.#port}/json`)
    const targets = targetsShape.parse(await answer.json())
    this.#sockets = await Promise.all(targets.map(({ webSocketDebuggerUrl: url }) => opened(url)))
  }

  /** Resolves when every isolate has collected, or would not answer. */
  async collect(): Promise<void> {
    const id = (this.#asked += 1)
    const isOpen = (socket: WebSocket) => socket.readyState === WebSocket.OPEN
    const asked = this.#sockets.filter(isOpen).map((socket) => collectIn(socket, id))
    await Promise.race([Promise.all(asked), pause(answerMs)])
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

const answerShape = z.object({ id: z.number().optional() })

async function collectIn(socket: WebSocket, id: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const hear = ({ data }: MessageEvent) => {
    if (answerShape.parse(JSON.parse(String(data))).id === id) resolve()
  }
  const leave = () => resolve()
  socket.addEventListener('message', hear)
  socket.addEventListener('close', leave)
  socket.send(JSON.stringify({ id, method: 'HeapProfiler.collectGarbage' }))
  await promise
  socket.removeEventListener('message', hear)
  socket.removeEventListener('close', leave)
}
