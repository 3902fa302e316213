import type { Connection, ConnectionListener } from '../../use-live-page.ts'

/** How often a page without sockets requests its data. */
export const POLL_INTERVAL_MS = 5000

/**
 * Sockets for these paths. Their code loads after the page, which is usable before. If it does not load (offline, or a
 * newer version was deployed), the page's data is requested every 5 s instead.
 */
export function liveConnection(paths: readonly string[]): Connection {
  let sockets: Connection | null = null
  let current: ConnectionListener | null = null
  let polling: ReturnType<typeof setInterval> | undefined
  return {
    start(listener) {
      current = listener
      import('#in-browser/islands/scheduler/live-sockets.ts').then(
        ({ LiveSockets }) => {
          sockets ??= new LiveSockets(paths)
          if (current !== null) sockets.start(current)
        },
        () => {
          if (current !== listener) return
          listener.onState('polling')
          polling = setInterval(listener.onChange, POLL_INTERVAL_MS)
        },
      )
    },
    stop() {
      current = null
      clearInterval(polling)
      sockets?.stop()
    },
  }
}
