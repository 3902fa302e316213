import type { Connection, ConnectionListener } from '../../use-live-page.ts'

/** Sockets for these paths. Their code loads after the page, which is usable before. */
export function liveConnection(paths: readonly string[]): Connection {
  let sockets: Connection | null = null
  let current: ConnectionListener | null = null
  return {
    start(listener) {
      current = listener
      import('#in-browser/islands/scheduler/live-sockets.ts').then(
        ({ LiveSockets }) => {
          sockets ??= new LiveSockets(paths)
          if (current !== null) sockets.start(current)
        },
        () => listener.onState('late'),
      )
    },
    stop() {
      current = null
      sockets?.stop()
    },
  }
}
