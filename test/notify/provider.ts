import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeEach } from 'vitest'

import type { Message } from '../../src/notify/channel.ts'

/** One request as the provider received it. */
export interface Received {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingMessage['headers']
  body: string
}

type Behavior = (response: ServerResponse, request: Received) => void

/** A provider on a free local port that answers as the test asks. */
export interface Provider {
  url: string
  received: Received[]
  /** Sets the answer to every request from now on. */
  behave(behavior: Behavior): void
  close(): Promise<void>
}

export async function startProvider(): Promise<Provider> {
  const received: Received[] = []
  let behavior: Behavior = (response) => response.writeHead(500).end()
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (part: string) => (body += part))
    request.on('end', () => {
      const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'http://provider')
      const one = { method: request.method ?? '', path, query, headers: request.headers, body }
      received.push(one)
      behavior(response, one)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    behave: (next) => (behavior = next),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** A provider for the tests of one file: each begins with nothing received. */
export async function providerOfFile(): Promise<Provider> {
  const provider = await startProvider()
  beforeEach(() => {
    provider.received.length = 0
  })
  afterAll(() => provider.close())
  return provider
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Behavior {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  }
}

export function html(status: number, headers: Record<string, string> = {}): Behavior {
  return (response) => {
    response
      .writeHead(status, { 'content-type': 'text/html', ...headers })
      .end('<html><body>Be right back</body></html>')
  }
}

export const hang: Behavior = () => undefined

export const reset: Behavior = (response) => response.socket?.destroy()

/** Good status, then the connection breaks in the middle of a body that would have been good. */
export function truncated(status: number, body: unknown): Behavior {
  return (response) => {
    const whole = JSON.stringify(body)
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': String(whole.length) })
    response.write(whole.slice(0, whole.length - 2), () => response.socket?.destroy())
  }
}

/** Good status and a slow body that never ends. */
export function neverEnding(status: number): Behavior {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.write('{"sid": "SM1", "id": "1"')
  }
}

export function enormous(status: number, body: Record<string, unknown>): Behavior {
  return json(status, { ...body, padding: 'x'.repeat(3_000_000) })
}

export function message(more: Partial<Message> = {}): Message {
  return {
    idempotency_key: 'delivery/41',
    address: '+15550100143',
    subject: 'Seat open: CSC 1011 - Computing',
    text: 'CSC 1011 - Computing (A. Turing), MWF 10:00, 3 seats',
    html: '<p>CSC 1011</p>',
    unsubscribe_url: 'https://class.example/notify/unsubscribe/7.abc',
    status_callback_url: null,
    valid_until: null,
    ...more,
  }
}
