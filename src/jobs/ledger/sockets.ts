/** Why a socket was closed, for its page. 4000: come back, to be checked again. 4001: no longer allowed. 1008: it sent a message. */
export const closeCodes = { age: 4000, ended: 4001, sentMessage: 1008 } as const

/** The only message that a socket sends: the page then fetches its own data again. */
const CHANGED = 'changed'

/** The least time between two notifications of a socket, in ms. */
const MIN_INTERVAL_MS = 1000
/** Changes this close together become one notification, in ms. */
const GATHERING_MS = 50
const MAX_SOCKETS = 250
/**
 * The minute's tick closes a socket of this age, in ms, so that none is older than five minutes; spread by a jitter.
 */
const MAX_AGE_MS = 225_000
const AGE_JITTER_MS = 45_000
/** The most changed jobs that are remembered until the next notification; with more, every job page is notified. */
const MAX_CHANGED_JOBS = 1000

export interface Viewer {
  sessionHash: string
  job: string | null
}

/** The data kept with a socket while its ledger hibernates. */
interface Attached {
  job: string | null
  /** ms since epoch */
  endsAt: number
}

const viewerHeader = 'x-live-viewer'

export const sessionTag = (sessionHash: string): string => `session:${sessionHash}`

/** The request passed to the ledger, which takes only the upgrade from the browser's request. */
export function upgradeRequest(viewer: Viewer): Request {
  return new Request('https://ledger/live', {
    headers: { upgrade: 'websocket', [viewerHeader]: JSON.stringify(viewer) },
  })
}

/**
 * The sockets of one ledger, which notify pages that something changed. They hibernate: data that must survive this is
 * attached to each socket, and a pending notification is a timer, which keeps the ledger awake. Without sockets no
 * timer is set.
 */
export class Sockets {
  readonly #context: DurableObjectState
  readonly #changedJobs = new Set<string>()
  #isNotificationDue = false
  #notifiedAt = 0
  #mayHaveSockets: boolean

  constructor(context: DurableObjectState) {
    this.#context = context
    this.#mayHaveSockets = context.getWebSockets().length > 0
    context.setWebSocketAutoResponse(new WebSocketRequestResponsePair('ping', 'pong'))
  }

  /** Answers an upgrade that our Worker has allowed: 101, or 429 when too many watch already. */
  accept(request: Request): Response {
    const written = request.headers.get(viewerHeader)
    if (written === null) return new Response(null, { status: 404 })
    if (this.#context.getWebSockets().length >= MAX_SOCKETS) return new Response(null, { status: 429 })
    const { sessionHash, job }: Viewer = JSON.parse(written)
    const { 0: theirs, 1: ours } = new WebSocketPair()
    this.#context.acceptWebSocket(ours, [sessionTag(sessionHash)])
    const attached: Attached = { job, endsAt: Date.now() + MAX_AGE_MS - Math.random() * AGE_JITTER_MS }
    ours.serializeAttachment(attached)
    this.#mayHaveSockets = true
    return new Response(null, { status: 101, webSocket: theirs })
  }

  /** Notifies the pages that these jobs changed, or without jobs, that something else about the queue did. */
  notify(changedJobs: ReadonlySet<string>): void {
    if (!this.#mayHaveSockets) return
    for (const name of changedJobs) if (this.#changedJobs.size < MAX_CHANGED_JOBS) this.#changedJobs.add(name)
    if (this.#isNotificationDue) return
    this.#isNotificationDue = true
    setTimeout(() => this.#send(), Math.max(GATHERING_MS, this.#notifiedAt + MIN_INTERVAL_MS - Date.now()))
  }

  close(tags: readonly string[]): void {
    for (const tag of tags) for (const socket of this.#context.getWebSockets(tag)) end(socket, closeCodes.ended)
  }

  /** Closes old sockets; they reconnect through the access check. */
  closeOld(): void {
    if (!this.#mayHaveSockets) return
    const sockets = this.#context.getWebSockets()
    for (const socket of sockets) if (attachedTo(socket).endsAt <= Date.now()) end(socket, closeCodes.age)
    this.#mayHaveSockets = sockets.length > 0
  }

  #send(): void {
    this.#isNotificationDue = false
    const sockets = this.#context.getWebSockets()
    const hasForgotten = this.#changedJobs.size >= MAX_CHANGED_JOBS
    for (const socket of sockets) {
      const { job, endsAt } = attachedTo(socket)
      if (endsAt <= Date.now()) end(socket, closeCodes.age)
      else if (job === null || hasForgotten || this.#changedJobs.has(job)) send(socket)
    }
    this.#changedJobs.clear()
    this.#notifiedAt = Date.now()
    this.#mayHaveSockets = sockets.length > 0
  }
}

function attachedTo(socket: WebSocket): Attached {
  return socket.deserializeAttachment() as Attached
}

/** If a socket is already closing, there is no one to notify. */
function send(socket: WebSocket): void {
  try {
    socket.send(CHANGED)
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
