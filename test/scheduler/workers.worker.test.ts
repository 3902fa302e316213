import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { QueueName } from '../../src/jobs/job.ts'
import { ledgerOf } from '../../src/jobs/ledgers.ts'
import { MAX_LEDGER_WAIT_MS } from '../../src/scheduler/ask-ledgers.ts'
import type { AuditProps, WorkerProps, WorkersProps } from '../../src/scheduler/contract.ts'
import { hurry } from '../worker/hurry.ts'
import type { Visitor } from '../worker/visitor.ts'
import { askWith, isoDate, one, operator, put, silent, write } from '../worker/job-fixtures.ts'

let boss: Visitor
const hourAgo = Date.now() - 3_600_000

beforeAll(async () => {
  boss = await operator('olga')
})

async function addWorker(
  queue: QueueName,
  name: string,
  worker: { born?: number; seen?: number; successful?: number; failed?: number; busy?: number } = {},
) {
  await write(
    queue,
    'INSERT INTO worker (name, born_at, seen_at, successful, failed, busy_ms) VALUES (?, ?, ?, ?, ?, ?)',
    name,
    worker.born ?? hourAgo,
    worker.seen ?? Date.now() + 3_600_000,
    worker.successful ?? 0,
    worker.failed ?? 0,
    worker.busy ?? 0,
  )
}

async function addRun(queue: QueueName, worker: string, job: string, startedAt: number, ms: number) {
  await write(
    queue,
    `INSERT INTO run (job, attempt, worker, started_at, ended_at, outcome) SELECT seq, 1, ?, ?, ?, 'finished' FROM job WHERE id = ?`,
    worker,
    startedAt,
    startedAt + ms,
    job,
  )
}

const headings = (html: string) =>
  [...html.matchAll(/<th scope="col"[^>]*>(?:<[^>]*>)*([^<]*)/g)].map(([, text]) => text)

describe('workers', () => {
  beforeAll(async () => {
    await addWorker('polls', 'worker-both', {
      born: hourAgo - 5,
      successful: 3,
      failed: 1,
      busy: 61_500,
    })
    await addWorker('alerts', 'worker-both', { successful: 2, busy: 3000 })
    await addWorker('maintenance', 'worker-both', { born: hourAgo, seen: hourAgo, successful: 33, busy: 500 })
    await addWorker('polls', 'worker-gone', { seen: hourAgo, successful: 9 })
    await addWorker('refresh', 'worker-refresh')
  })

  const seeWorkers = async (path: string) => boss.see<WorkersProps>(`/scheduler/${path}`)
  const names = ({ workers }: WorkersProps) => workers.map(({ name }) => name)

  it('of all queues are listed once each, with totals over all queues they ever worked on', async () => {
    const { html, data } = await seeWorkers('workers/')
    expect(names(data.props)).toEqual(['worker-refresh', 'worker-both'])
    expect(data.props.workers[1]).toEqual({
      name: 'worker-both',
      queues: ['polls', 'alerts', 'maintenance'],
      state: 'idle',
      location: null,
      born_at: new Date(hourAgo - 5).toISOString(),
      seen_at: expect.stringMatching(isoDate),
      current_jobs: [],
      successful: 38,
      failed: 1,
      busy_ms: 65_000,
    })
    expect(data.props).toMatchObject({ queue: null, with_gone: false, unreachable: [] })
    expect(html).toContain('<title>2 Tasks Workers')
    const columns = ['Name', 'Queues', 'State', 'Birth', 'Working time', 'Successful', 'Failed', 'Scheduler']
    expect(headings(html)).toEqual(expect.arrayContaining(columns))
    expect(html).toContain('href="/scheduler/workers/worker-both/"')
  })

  it('of one queue are listed separately', async () => {
    expect(names((await seeWorkers('queues/refresh/workers/')).data.props)).toEqual(['worker-refresh'])
    const { data } = await seeWorkers('queues/polls/workers/')
    expect(data).toMatchObject({ page: 'QueueWorkers', props: { queue: 'polls' } })
    expect(data.props.workers.map(({ name, successful }) => [name, successful])).toEqual([['worker-both', 3]])
    expect((await boss.get('/scheduler/queues/nothing/workers/')).status).toBe(404)
  })

  it('keep their counts when they are gone', async () => {
    const { data, html } = await seeWorkers('queues/polls/workers/?gone=1')
    expect(html).toMatch(/Hide stopped workers[^]*worker-gone[^]*>stopped</)
    expect(html).not.toContain('>gone<')
    expect(data.props.workers.map(({ name, state, successful }) => [name, state, successful])).toEqual(
      expect.arrayContaining([['worker-gone', 'gone', 9]]),
    )
    expect((await boss.see<WorkerProps>('/scheduler/workers/worker-gone/')).data.props.worker).toMatchObject({
      state: 'gone',
      successful: 9,
    })
  })

  it('say so where they are too many to be listed', async () => {
    const text = 'Only the 500 workers of a queue that were seen last are listed.'
    expect((await seeWorkers('queues/refresh/workers/?gone=1')).html).not.toContain(text)
    await write(
      'refresh',
      "INSERT INTO worker (name, born_at, seen_at) SELECT 'worker-many-' || value, ?1, ?1 FROM json_each(?2)",
      hourAgo,
      JSON.stringify(Array.from({ length: 500 }, (_, index) => index)),
    )
    const { data, html } = await seeWorkers('queues/refresh/workers/?gone=1')
    expect(names(data.props)).toHaveLength(500)
    expect(names(data.props)).toContain('worker-refresh')
    expect(html).toContain(text)
    await write('refresh', "DELETE FROM worker WHERE name LIKE 'worker-many-%'")
  })

  it('of a queue that does not answer are reported as missing', async () => {
    hurry(MAX_LEDGER_WAIT_MS, 1000)
    const warnings = vi.spyOn(console, 'warn').mockReturnValue()
    onTestFinished(() => warnings.mockRestore())
    const ask = (path: string) =>
      askWith({ LEDGER: silent('refresh') }, path, { visitor: boss, headers: { accept: 'application/json' } })
    const [answer, unknown] = await Promise.all([ask('/scheduler/workers/'), ask('/scheduler/workers/worker-refresh/')])
    const { props } = await answer.json<{ props: WorkersProps }>()
    expect([names(props), props.unreachable]).toEqual([['worker-both'], ['refresh']])
    expect(unknown.status).toBe(504)
    // Each page waits for it once.
    expect(warnings.mock.calls.filter(([{ event }]) => event === 'ledger_silent')).toHaveLength(2)
  })
})

describe('a worker', () => {
  let ran: string[] = []

  beforeAll(async () => {
    await addWorker('polls', 'worker-pages')
    await addWorker('refresh', 'worker-pages')
    const polls = await put('polls', 15, { state: 'finished', result: { seen: '<b>' } })
    const refresh = await put('refresh', 10, { state: 'finished' })
    for (const [index, job] of polls.entries())
      await addRun('polls', 'worker-pages', job, hourAgo + index * 2000, 75_250)
    for (const [index, job] of refresh.entries())
      await addRun('refresh', 'worker-pages', job, hourAgo + index * 2000 + 1000, 75_250)
    const all = polls.flatMap((job, index) => [job, ...refresh.slice(index, index + 1)])
    ran = all.toReversed()
  })

  const seeWorker = async (query = '') =>
    (await boss.see<WorkerProps>(`/scheduler/workers/worker-pages/${query}`)).data.props

  it('shows what it ran in all its queues, newest first, with durations and results', async () => {
    const props = await seeWorker()
    expect(props.jobs.map(({ job }) => job)).toEqual(ran.slice(0, 20))
    expect(props).toMatchObject({
      total: 25,
      pagination: { current_page: 1, total_pages: 2 },
      worker: { queues: ['polls', 'refresh'] },
    })
    const { html } = await boss.see('/scheduler/workers/worker-pages/')
    const [first] = props.jobs
    expect(first).toMatchObject({
      id: ran[0],
      name: ran[0],
      status: 'finished',
      task: 'sample',
      attempt: 1,
      outcome: 'finished',
      ran_ms: 75_250,
      result: '{"seen":"<b>"}',
      error: null,
    })
    expect([first?.created_at, first?.queued_at, first?.started_at]).toEqual([
      expect.stringMatching(isoDate),
      expect.stringMatching(isoDate),
      expect.stringMatching(isoDate),
    ])
    expect(html).toContain('{&quot;seen&quot;:&quot;&lt;b&gt;&quot;}')
    expect(html).toContain(`href="/scheduler/jobs/${ran[0]}/"`)
    const columns = ['ID', 'Scheduled task', 'Status', 'Created', 'Enqueued', 'Started', 'Ran for', 'Worker', 'Result']
    expect(headings(html)).toEqual(expect.arrayContaining([...columns, 'Return value']))
  })

  it.each([
    ['?p=2', 2],
    ['?p=9', 2],
    ['?p=99999999', 2],
    ['?p=abc', 1],
    ['?p=0', 1],
    ['?p=-2', 1],
  ])('%s is page %i', async (query, page) => {
    const props = await seeWorker(query)
    expect(props.pagination.current_page).toBe(page)
    expect(props.jobs.map(({ job }) => job)).toEqual(ran.slice((page - 1) * 20, page * 20))
  })

  it('is a 404 if unknown', async () => {
    for (const name of ['nobody', '%3Cscript%3E', '..%2f..', "'--"]) {
      const answer = await boss.get(`/scheduler/workers/${name}/`)
      expect([name, answer.status]).toEqual([name, 404])
      expect(await answer.text()).not.toContain('<script>nobody')
    }
  })
})

describe('the audit', () => {
  const seeAudit = async (query = '') => (await boss.see<AuditProps>(`/scheduler/audit/${query}`)).data.props

  it('lists all queues, newest first, in pages without gaps and repetitions', async () => {
    const queues = ['polls', 'alerts', 'refresh'] as const
    const expected: string[] = []
    for (let index = 0; index < 150; index += 1) {
      const queue = queues[index % 7 === 0 ? 2 : index % 2] ?? 'polls'
      expected.unshift(`${queue} job-${index}`)
      await write(
        queue,
        `INSERT INTO audit (at, who, act, job, jobs, detail) VALUES (?, 'olga', 'requeue', ?, 1, '')`,
        hourAgo + index,
        `job-${index}`,
      )
    }
    const seen: string[] = []
    const sizes: number[] = []
    let next: string | null = ''
    while (next !== null) {
      const props: AuditProps = await seeAudit(next === '' ? '' : `?before=${next}`)
      sizes.push(props.entries.length)
      seen.push(...props.entries.map(({ queue, job }) => `${queue} ${job}`))
      next = props.next_before
    }
    expect(seen).toEqual(expected)
    // The last page is full, and there is none after it.
    expect(sizes).toEqual([50, 50, 50])
  })

  it('treats an invalid position as the beginning', async () => {
    const first = await seeAudit()
    for (const before of ['abc', '1', '1.2.3', '1.2.3.4.5', '-1.1.1.1', '99999999999999999.1.1.1', '1.1.1.1%20OR']) {
      expect(await seeAudit(`?before=${before}`), before).toEqual(first)
    }
  })

  it('shows past actions, names as text, and which queue is missing', async () => {
    const job = await one('maintenance', { state: 'failed' })
    await boss.submit(`/scheduler/jobs/${job}/delete/`, {})
    await ledgerOf(env, 'maintenance').pause('<i>mallory')
    const { html, data } = await boss.see<AuditProps>('/scheduler/audit/')
    expect(data.props.entries.slice(0, 2)).toEqual([
      {
        queue: 'maintenance',
        at: expect.stringMatching(isoDate),
        who: '<i>mallory',
        act: 'pause',
        job: null,
        jobs: 0,
        detail: '',
      },
      {
        queue: 'maintenance',
        at: expect.stringMatching(isoDate),
        who: 'olga',
        act: 'delete',
        job,
        jobs: 1,
        detail: '',
      },
    ])
    expect(html).toContain('&lt;i&gt;mallory')
    hurry(MAX_LEDGER_WAIT_MS, 1000)
    const answer = await askWith({ LEDGER: silent('polls') }, '/scheduler/audit/', {
      visitor: boss,
      headers: { accept: 'application/json' },
    })
    expect((await answer.json<{ props: AuditProps }>()).props).toMatchObject({ unreachable: ['polls'] })
  })
})
