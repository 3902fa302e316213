import { LiveSockets } from '../../client/islands/scheduler/live-sockets.ts'
import { Refresher } from '../../client/refresher.ts'
import { queueNames } from '../../src/jobs/job.ts'
import type { JobListProps, QueuesProps } from '../../src/scheduler/contract.ts'
import { startApp } from './app/start-app.ts'
import { logInSuperuser } from './app/people.ts'
import type { Figure, Part } from './report.ts'

const jobsPerSecond = 20
/** `SHORT=1` watches for a tenth of the time. */
const seconds = process.env['SHORT'] ? 30 : 300
const viewersOfEach = 100

/** What the pages show of the measured queue: jobs that finished. */
type Page = { props: QueuesProps | JobListProps }
const finishedOf = ({ props }: Page): number =>
  ('queue' in props ? props.queue : props.queues.find(({ name }) => name === 'alerts'))?.counts.finished ?? 0

/** A socket as a browser opens it that is logged in. */
class LoggedInSocket extends WebSocket {
  static cookie = ''
  static readonly opened: LoggedInSocket[] = []
  /** When the first and the last notification came, ms since epoch. */
  #firstAt = 0
  #lastAt = 0
  #notifications = 0

  constructor(url: URL) {
    // Node's own client accepts headers that a browser sets automatically.
    super(url, { headers: { cookie: LoggedInSocket.cookie, origin: location.origin } } as unknown as string[])
    LoggedInSocket.opened.push(this)
    this.addEventListener('message', ({ data }) => {
      if (data === 'pong') return
      this.#lastAt = Date.now()
      if (this.#notifications === 0) this.#firstAt = this.#lastAt
      this.#notifications += 1
    })
  }

  /** Notifications a second. */
  get rate(): number {
    return this.#notifications < 10 ? 0 : ((this.#notifications - 1) * 1000) / (this.#lastAt - this.#firstAt)
  }
}

/** An open page of the scheduler, with the client's own code that keeps sockets open and requests the data again. */
class Viewer {
  readonly #url: string
  readonly #refresher: Refresher
  readonly #sockets: LiveSockets
  bytes = 0
  failures = 0
  /** ms of each answer. */
  readonly answers: number[] = []
  finished = 0
  shownAt = 0

  /** @param views the queries of its sockets */
  constructor(path: string, views: readonly string[]) {
    this.#url = location.origin + path
    this.#sockets = new LiveSockets(views.map((view) => `/scheduler/live/?${view}`))
    this.#refresher = new Refresher({
      load: (signal) => this.#load(signal),
      onSuccess: () => undefined,
      onFailure: () => {
        this.failures += 1
        return true
      },
    })
  }

  /** Resolves when all its sockets are open. */
  watch(): Promise<void> {
    return new Promise((resolve) => {
      this.#sockets.start({
        onChange: this.#refresher.notice,
        onState: (state) => {
          if (state === 'live') resolve()
        },
      })
    })
  }

  async #load(signal: AbortSignal): Promise<void> {
    const began = performance.now()
    const headers = { cookie: LoggedInSocket.cookie, accept: 'application/json' }
    const text = await (await fetch(this.#url, { headers, signal })).text()
    this.finished = finishedOf(JSON.parse(text))
    this.shownAt = Date.now()
    this.bytes += text.length
    this.answers.push(performance.now() - began)
  }

  close(): void {
    this.#refresher.stop()
    this.#sockets.stop()
  }
}

function percentile(values: readonly number[], share: number): number {
  const rising = values.toSorted((one, other) => one - other)
  return rising[Math.min(rising.length - 1, Math.floor(share * rising.length))] ?? Number.NaN
}

const most = (viewers: readonly Viewer[], of: (viewer: Viewer) => number): number => Math.max(...viewers.map(of))
const sum = (viewers: readonly Viewer[], of: (viewer: Viewer) => number): number =>
  viewers.reduce((total, viewer) => total + of(viewer), 0)

function figuresOf(what: string, viewers: readonly Viewer[], isOfList: boolean): Figure[] {
  const sockets = LoggedInSocket.opened.filter(({ url }) => url.includes('of=list') === isOfList)
  const answers = viewers.flatMap((viewer) => viewer.answers)
  const kilobytes = sum(viewers, ({ bytes }) => bytes) / 1000 / viewers.length
  return [
    {
      what: `${what}: notifications a second on the busiest socket`,
      value: Math.max(...sockets.map(({ rate }) => rate)),
      unit: '',
      atMost: 1.01,
    },
    {
      what: `${what}: times a second the busiest page asked for its data`,
      value: most(viewers, (viewer) => viewer.answers.length) / seconds,
      unit: '',
      // One more may belong to the time before, and one to the time after.
      atMost: 1 + 2 / seconds,
      note: `${Math.round((answers.length / viewers.length / seconds) * 100) / 100} for the average page, ${Math.round(kilobytes / seconds)} kB a second`,
    },
    { what: `${what}: an answer, p50`, value: percentile(answers, 0.5), unit: 'ms' },
    { what: `${what}: an answer, p95`, value: percentile(answers, 0.95), unit: 'ms', atMost: 2000 },
    { what: `${what}: answers that failed`, value: sum(viewers, ({ failures }) => failures), unit: '', exactly: 0 },
  ]
}

/** Waits until every page shows this many finished jobs, 30 s at most; ms since `from`, of the last page. */
async function allShow(viewers: readonly Viewer[], finished: number, from: number): Promise<number> {
  while (viewers.some((viewer) => viewer.finished < finished)) {
    if (Date.now() - from > 30_000) return Number.NaN
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return most(viewers, ({ shownAt }) => shownAt) - from
}

/** Two hundred pages of the scheduler, watched while a queue finishes twenty jobs a second. */
export async function measureLive(): Promise<Part> {
  const app = await startApp({}, 'ledger-worker')
  try {
    LoggedInSocket.cookie = await logInSuperuser(app)
    Object.assign(globalThis, { WebSocket: LoggedInSocket, location: new URL(app.world.world.options.appUrl) })
    const open = async (path: string, views: readonly string[]): Promise<Viewer[]> => {
      const viewers = Array.from({ length: viewersOfEach }, () => new Viewer(path, views))
      for (const viewer of viewers) await viewer.watch()
      return viewers
    }
    const dashboards = await open(
      '/scheduler/queues/',
      queueNames.map((queue) => `queue=${queue}`),
    )
    const lists = await open('/scheduler/queues/alerts/finished/jobs', ['queue=alerts&of=list'])
    const all = [...dashboards, ...lists]
    await app.counts()
    const asked = { queue: 'alerts', count: seconds * jobsPerSecond, every: 1000 / jobsPerSecond }
    const tookMs = await app.ask<number>('/_ledger/stream', asked)
    await app.rest()
    const lastShown = Math.max(0, await allShow(all, asked.count, Date.now()))
    const read = (await app.counts()).filter(({ sql }) => sql.includes('json_group_array("d"."accepted_at")'))
    const figures = [...figuresOf('all queues', dashboards, false), ...figuresOf('a list', lists, true)]
    for (const viewer of all) viewer.close()
    return {
      name: `(h) The scheduler watched by ${all.length} pages while ${jobsPerSecond} jobs a second are enqueued, started and finished`,
      figures: [
        ...figures,
        {
          what: 'times a second the database was asked for what the pages of all queues show',
          value: read.reduce((total, { runs }) => total + runs, 0) / seconds,
          unit: '',
          atMost: 4 + 1 / seconds,
          note: 'pages that ask at the same time share one reading',
        },
        {
          what: 'from the end of the last job until the last page shows it',
          value: lastShown,
          unit: 'ms',
          atMost: 5000,
        },
        { what: 'jobs a second that were enqueued', value: (asked.count * 1000) / tookMs, unit: '', atLeast: 19 },
      ],
      notes: [
        `${viewersOfEach} pages of all queues, with a socket a queue, and ${viewersOfEach} of one list; they ask with the client's own code.`,
      ],
    }
  } finally {
    await app.close()
  }
}
