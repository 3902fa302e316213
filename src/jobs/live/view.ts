import type { Registry } from '../ledger-views.ts'

/** What a socket is told about: the figures of its queue, one of its lists, or one job. */
export type LiveView = { of: 'queue' } | { of: 'list'; registry: Registry } | { of: 'job'; job: string }

/** Who looks, and at what. */
export interface Viewer {
  userId: number
  sessionHash: string
  view: LiveView
}

const header = 'x-live-viewer'

export const userTag = (userId: number): string => `user:${userId}`
export const sessionTag = (sessionHash: string): string => `session:${sessionHash}`

/** The request a ledger is given: nothing of the browser's own but the wish to upgrade. */
export function upgradeRequest(viewer: Viewer): Request {
  return new Request('https://ledger/live', {
    headers: { upgrade: 'websocket', [header]: JSON.stringify(viewer) },
  })
}

/** The viewer of an {@link upgradeRequest}. Only our own Worker can send one: nothing else reaches a ledger. */
export function viewerOf(request: Request): Viewer | null {
  const written = request.headers.get(header)
  return written === null ? null : (JSON.parse(written) as Viewer)
}
