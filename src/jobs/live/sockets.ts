import type { Turn } from '../ledger/sql.ts'
import { readChanges } from './frame.ts'
import { sessionTag, userTag, viewerOf, type LiveView } from './view.ts'

/** Why a socket was closed, for the page that held it. 4000: come back, to be checked again. 4001: no longer allowed. */
export const closeCodes = { age: 4000, ended: 4001, spoke: 1008 } as const

/** Two frames a second at most, ms. */
const frameEvery = 500
/** What happens together is told together, ms. */
const frameDelay = 50
const socketsAtMost = 50
/** With the minute's tick that ends them no socket is older than five minutes, ms; they do not all end at once. */
const oldest = 225_000
const jitter = 45_000
/** Names of changed jobs kept for the next frame: of more only the number matters. */
const changesKept = 1000

interface Attached {
  view: LiveView
  endsAt: number
}

/**
 * The sockets of one ledger. They hibernate: what must outlive that is kept with each socket, and a frame that waits is a
 * timer, which keeps the ledger awake. Without a socket nothing is read and no timer is set.
 */
export class Sockets {
  readonly #context: DurableObjectState
  readonly #reader: () => Pick<Turn, 'sql' | 'queue' | 'now'>
  readonly #changed = new Set<string>()
  #isFrameDue = false
  #toldAt = 0
  /** Whether there may be sockets: false means there are none. */
  #isWatched: boolean

  constructor(context: DurableObjectState, reader: () => Pick<Turn, 'sql' | 'queue' | 'now'>) {
    this.#context = context
    this.#reader = reader
    this.#isWatched = context.getWebSockets().length > 0
    context.setWebSocketAutoResponse(new WebSocketRequestResponsePair('ping', 'pong'))
  }

  /** Answers an upgrade that our Worker has allowed: 101, or 429 when too many look already. */
  accept(request: Request): Response {
    const viewer = viewerOf(request)
    if (viewer === null) return new Response(null, { status: 404 })
    if (this.#context.getWebSockets().length >= socketsAtMost) return new Response(null, { status: 429 })
    const { 0: theirs, 1: ours } = new WebSocketPair()
    this.#context.acceptWebSocket(ours, [userTag(viewer.userId), sessionTag(viewer.sessionHash)])
    const attached: Attached = { view: viewer.view, endsAt: Date.now() + oldest - Math.random() * jitter }
    ours.serializeAttachment(attached)
    this.#isWatched = true
    return new Response(null, { status: 101, webSocket: theirs })
  }

  /** A turn is over in which these jobs changed, or perhaps something else (a pause, a worker). */
  tell(changed: ReadonlySet<string>): void {
    if (!this.#isWatched) return
    for (const name of changed) if (this.#changed.size < changesKept) this.#changed.add(name)
    if (this.#isFrameDue) return
    this.#isFrameDue = true
    setTimeout(() => this.#send(), Math.max(frameDelay, this.#toldAt + frameEvery - Date.now()))
  }

  /** Closes the sockets with one of the tags; answers how many. */
  close(tags: readonly string[]): number {
    const sockets = new Set(tags.flatMap((tag) => this.#context.getWebSockets(tag)))
    for (const socket of sockets) end(socket, closeCodes.ended)
    return sockets.size
  }

  /** The minute's look: sockets past their time end, and come back through the check. */
  closeOld(): void {
    if (!this.#isWatched) return
    const sockets = this.#context.getWebSockets()
    for (const socket of sockets) if (attachedTo(socket).endsAt <= Date.now()) end(socket, closeCodes.age)
    this.#isWatched = sockets.length > 0
  }

  #send(): void {
    this.#isFrameDue = false
    const sockets = this.#context.getWebSockets()
    const changed = new Set(this.#changed)
    this.#changed.clear()
    this.#isWatched = sockets.length > 0
    if (sockets.length === 0) return
    this.#toldAt = Date.now()
    const frameFor = readChanges(this.#reader(), changed)
    const frames = new Map<string, string>()
    for (const socket of sockets) {
      const { view, endsAt } = attachedTo(socket)
      if (endsAt <= this.#toldAt) {
        end(socket, closeCodes.age)
        continue
      }
      const key = JSON.stringify(view)
      const frame = frames.get(key) ?? JSON.stringify(frameFor(view))
      frames.set(key, frame)
      if (frame !== 'null') send(socket, frame)
    }
  }
}

function attachedTo(socket: WebSocket): Attached {
  return socket.deserializeAttachment() as Attached
}

/** A socket may be closing already: then there is nobody to tell. */
function send(socket: WebSocket, frame: string): void {
  try {
    socket.send(frame)
  } catch {
    return
  }
}

export function end(socket: WebSocket, code: number): void {
  try {
    socket.close(code, '')
  } catch {
    return
  }
}
