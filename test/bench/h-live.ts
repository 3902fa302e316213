import { queueNames } from '../../src/jobs/job.ts'
import { startApp, type BenchApp } from './app/start-app.ts'
import { signInSuperuser } from './app/superuser.ts'
import type { Figure, Part } from './report.ts'

const watchedSeconds = 300
const jobsASecond = 20
/** `SHORT=1` watches a tenth of the time and tells ten times what it saw. */
const seconds = process.env['SHORT'] ? watchedSeconds / 10 : watchedSeconds
const framesASecond = 2

interface Watched {
  frames: number
  bytes: number
  close(): void
}

/** Opens what a page of the scheduler opens, and counts what it is sent. */
async function watch(app: BenchApp, cookie: string, view: string): Promise<Watched> {
  const { appUrl } = app.world.world.options
  // Node's own client takes headers, which a browser sends by itself.
  const options = { headers: { cookie, origin: appUrl } } as unknown as string[]
  const socket = new WebSocket(`${appUrl.replace('http', 'ws')}/scheduler/live/?${view}`, options)
  const watched: Watched = { frames: 0, bytes: 0, close: () => socket.close() }
  socket.addEventListener('message', ({ data }) => {
    watched.frames += 1
    watched.bytes += Buffer.byteLength(String(data))
  })
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true })
    socket.addEventListener('error', () => reject(new Error(`The socket of ${view} did not open.`)), { once: true })
  })
  return watched
}

function figuresOf(what: string, watched: readonly Watched[]): Figure[] {
  const sum = (of: 'frames' | 'bytes') => watched.reduce((total, one) => total + one[of], 0)
  return [
    {
      what: `${what}: kB in five minutes`,
      value: (sum('bytes') * watchedSeconds) / seconds / 1000,
      unit: 'kB',
      note: `${sum('frames')} frames of ${Math.round(sum('bytes') / Math.max(1, sum('frames')))} bytes in ${seconds} s`,
    },
    {
      what: `${what}: frames a second on the busiest socket`,
      value: Math.max(...watched.map(({ frames }) => frames)) / seconds,
      unit: '',
      // The last frame may belong to the moment after.
      atMost: framesASecond + 1 / seconds,
    },
  ]
}

/** What is sent to the scheduler's pages while a queue finishes twenty jobs a second. */
export async function measureLive(): Promise<Part> {
  const app = await startApp({}, 'ledger-worker')
  try {
    const cookie = await signInSuperuser(app)
    const dashboard = await Promise.all(queueNames.map((queue) => watch(app, cookie, `queue=${queue}`)))
    const list = [await watch(app, cookie, 'queue=alerts&registry=finished')]
    const asked = { queue: 'alerts', count: seconds * jobsASecond, every: 1000 / jobsASecond }
    const tookMs = await app.ask<number>('/_ledger/stream', asked)
    const figures = [...figuresOf('all queues', dashboard), ...figuresOf('a list of 20 jobs a second', list)]
    for (const socket of [...dashboard, ...list]) socket.close()
    return {
      name: `(h) The scheduler watched while ${jobsASecond} jobs a second are enqueued, started and finished`,
      figures: [
        ...figures,
        { what: 'jobs a second that were enqueued', value: (asked.count * 1000) / tookMs, unit: '' },
      ],
      notes: ['Bytes of the messages, uncompressed. The page of all queues holds one socket a queue.'],
    }
  } finally {
    await app.close()
  }
}
