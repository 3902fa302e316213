import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { buffer } from 'node:stream/consumers'
import { faultOfVapid } from '../push/authorization.ts'
import { makeCertificate } from './certificate.ts'
import { checkInAnswer, dataMessage, type Registration, welcome } from './cloud-messages.ts'

/** Stands in for Google's servers, with which a Chromium subscribes and through which it receives notifications. */
export interface GooglePush {
  /** `{url}/{host}/fcm/send/…` receives what was sent to `https://{host}/fcm/send/…`. */
  url: string
  /** The command line of a Chromium that uses these servers as Google's. */
  switches: string[]
  close(): Promise<void>
}

interface Answer {
  status: number
  body: Buffer | string
}

/** Why the service would not accept a message; null if it would. */
function fault({ headers, method }: IncomingMessage, host: string, { sender }: Registration): string | null {
  if (method !== 'POST' || !/^\d+$/.test(String(headers['ttl']))) return 'not a POST with a TTL'
  if (headers['content-encoding'] !== 'aes128gcm') return 'not aes128gcm'
  return faultOfVapid(headers.authorization ?? '', `https://${host}`, sender, Date.now())
}

async function listen(server: Server | ReturnType<typeof createTlsServer>): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  return (server.address() as AddressInfo).port
}

export async function startGooglePush(): Promise<GooglePush> {
  const registrations = new Map<string, Registration>()
  const connections = new Set<Socket>()
  /** Accepted while no browser was connected. */
  const waiting: Buffer[] = []

  function register(form: URLSearchParams): Answer {
    const token = randomUUID()
    const [app, subscription, sender] = ['app', 'X-subtype', 'sender'].map((name) => form.get(name) ?? '')
    if (app && subscription && sender) registrations.set(token, { app, subscription, sender })
    return { status: 200, body: `token=${token}` }
  }

  function send(request: IncomingMessage, body: Buffer): Answer {
    const [, host = '', token = ''] = /^\/([\w.]+)\/fcm\/send\/([\w-]+)$/.exec(request.url ?? '') ?? []
    const registration = registrations.get(token)
    if (!registration) return { status: 404, body: 'No such subscription' }
    const refused = fault(request, host, registration)
    if (refused !== null) return { status: 403, body: refused }
    const message = dataMessage(registration, randomUUID(), body)
    const connection = [...connections].at(-1)
    if (connection) connection.write(message)
    else waiting.push(message)
    return { status: 201, body: '' }
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request)
    const { status, body: said } =
      request.url === '/checkin'
        ? { status: 200, body: checkInAnswer(1n, 2n) }
        : request.url === '/register'
          ? register(new URLSearchParams(body.toString()))
          : send(request, body)
    response.writeHead(status).end(said)
  }

  const certificate = makeCertificate('localhost')
  const http = createServer((request, response) => void answer(request, response))
  const connected = createTlsServer(certificate, (socket) => {
    socket.on('error', () => socket.destroy())
    socket.on('close', () => connections.delete(socket))
    // The browser speaks first, and asks to log in.
    socket.once('data', () => {
      socket.write(Buffer.concat([welcome(), ...waiting.splice(0)]))
      connections.add(socket)
    })
  })
  const url = `http://localhost:${await listen(http)}`
  const port = await listen(connected)
  return {
    url,
    switches: [
      `--gcm-checkin-url=${url}/checkin`,
      `--gcm-registration-url=${url}/register`,
      `--gcm-mcs-endpoint=https://localhost:${port}`,
      `--ignore-certificate-errors-spki-list=${certificate.keyHash}`,
    ],
    async close() {
      for (const socket of connections) socket.destroy()
      http.closeAllConnections()
      await Promise.all([http, connected].map((server) => new Promise((resolve) => server.close(resolve))))
    },
  }
}
