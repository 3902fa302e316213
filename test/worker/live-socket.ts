import { env } from 'cloudflare:workers'
import { expect } from 'vitest'
import { ledgerOf } from '../../src/jobs/ledgers.ts'
import type { JobRecord, QueueName } from '../../src/jobs/job.ts'
import { site, type Visitor } from './visitor.ts'
import { until } from './world.ts'

/** A browser's end of a socket: its messages and their times (ms since epoch), and how it ended. */
export class LiveSocket {
  readonly messages: { text: string; at: number }[] = []
  readonly socket: WebSocket
  closed: number | null = null

  constructor(socket: WebSocket) {
    this.socket = socket
    socket.addEventListener('message', (event) => {
      if (event.data !== 'pong') this.messages.push({ text: String(event.data), at: Date.now() })
    })
    socket.addEventListener('close', (event) => {
      this.closed = event.code
    })
    socket.accept()
  }

  /** Does something, and waits for the notification that follows. */
  async notified(act: () => Promise<unknown>, what: string): Promise<void> {
    const before = this.messages.length
    await act()
    await until(
      async () => this.messages.length,
      (count) => count > before,
      what,
    )
  }

  /** Disconnects, like a closed page. */
  async close(): Promise<void> {
    this.socket.close(1000)
    await this.ended()
  }

  ended(): Promise<number | null> {
    return until(
      async () => this.closed,
      (code) => code !== null,
      'the end of the socket',
    )
  }
}

export const upgrade = (visitor: Visitor, query: string, headers: Record<string, string> = {}): Promise<Response> =>
  visitor.fetch(`/scheduler/live/?${query}`, { headers: { upgrade: 'websocket', origin: site, ...headers } })

export async function watch(visitor: Visitor, query: string): Promise<LiveSocket> {
  const response = await upgrade(visitor, query)
  expect(response.status).toBe(101)
  return new LiveSocket(response.webSocket ?? expect.fail('no socket'))
}

/** A job that is never due, so that only the test moves it. */
export async function waitingJob(queue: QueueName, input = '{}'): Promise<JobRecord> {
  const limit = { attempts: 1, run_seconds: 20, retry_seconds: [] }
  const at = Date.now() + 3_600_000
  const [job] = await ledgerOf(env, queue).enqueue([{ task: 'of a test', input, limit, at }])
  return job ?? expect.fail('no job')
}

/** The same, but running, claimed by a worker of the test. */
export async function runningJob(queue: QueueName): Promise<{ name: string; attempt: number }> {
  const ledger = ledgerOf(env, queue)
  await ledger.pause(null)
  const limit = { attempts: 1, run_seconds: 20, retry_seconds: [] }
  const [job] = await ledger.enqueue([{ task: 'of a test', input: '{}', limit, priority: 1000 }])
  if (!job) return expect.fail('no job')
  await ledger.resume(null)
  const [claimed] = await ledger.take('a test', { ended: [], messages: [{ job: job.id, attempt: 1 }], count: 1 })
  expect(claimed).toMatchObject({ job: job.id, attempt: 1 })
  return { name: job.id, attempt: 1 }
}
