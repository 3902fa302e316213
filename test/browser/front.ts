import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { axeAnswer, axeRequest } from './axe-script.ts'

/** The app's public address. It stays the same while the app behind it restarts on another port. */
interface Front {
  url: string
  leadTo(port: number): void
  close(): Promise<void>
}

/** Forwards every connection, byte for byte, and itself answers requests for axe. */
export async function startFront(): Promise<Front> {
  let portBehind = 0
  const sockets = new Set<Socket>()
  const server = createServer((visitor) => {
    const behind = connect(portBehind, '127.0.0.1')
    visitor.on('data', (bytes) => {
      // A request begins with its own packet, because no browser sends one before the answer to the one before.
      if (bytes.subarray(0, axeRequest.length).toString('latin1') === axeRequest) visitor.write(axeAnswer)
      else behind.write(bytes)
    })
    visitor.on('end', () => behind.end())
    behind.pipe(visitor)
    for (const [one, other] of [
      [visitor, behind],
      [behind, visitor],
    ] as const) {
      sockets.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
    }
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://localhost:${port}`,
    leadTo(next) {
      portBehind = next
      // Open connections lead to the app before.
      for (const socket of sockets) socket.destroy()
    },
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
