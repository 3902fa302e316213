import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { ledgerOf } from '../../src/jobs/ledgers.ts'
import { MAX_LEDGER_WAIT_MS } from '../../src/scheduler/ask-ledgers.ts'
import type { JobListProps } from '../../src/scheduler/contract.ts'
import { hurry } from '../worker/hurry.ts'
import type { Visitor } from '../worker/visitor.ts'
import { askWith, dayMilliseconds, one, operator, put, silent } from '../worker/job-fixtures.ts'

let boss: Visitor
const list = async (address: string) => (await boss.see<JobListProps>(`/scheduler/queues/${address}`)).data.props
const names = ({ jobs }: JobListProps) => jobs.map(({ name }) => name)

beforeAll(async () => {
  boss = await operator()
  await Promise.all((['polls', 'refresh', 'alerts'] as const).map((queue) => ledgerOf(env, queue).pause(null)))
})

describe('a list of jobs', () => {
  let jobs: string[] = []

  beforeAll(async () => {
    jobs = (await put('polls', 45)).toReversed()
  })

  it('has every column of its rows, twenty per page, newest first', async () => {
    const { html, data } = await boss.see<JobListProps>('/scheduler/queues/polls/scheduled/jobs')
    expect(names(data.props)).toEqual(jobs.slice(0, 20))
    expect(data.props.jobs.map(({ id }) => id)).toEqual(names(data.props))
    expect(data.props).toMatchObject({
      registry: 'scheduled',
      queue: { counts: { scheduled: 45 } },
      pagination: { current_page: 1, total_pages: 3, has_next: true, next_page_number: 2 },
      running: null,
      is_partial: false,
      next_cursor: null,
    })
    expect(html).toContain('<title>45 scheduled jobs in polls')
    const head = [...html.matchAll(/<th scope="col"[^>]*>(?:<[^>]*>)*([^<]*)/g)].map(([, text]) => text)
    for (const column of ['ID', 'Created', 'Scheduled', 'Enqueued', 'Ended', 'Status', 'Callable', 'Worker']) {
      expect(head).toContain(column)
    }
    expect(html).toContain('aria-label="With selected"')
    const boxes = [...html.matchAll(/<input type="checkbox"[^>]*>/g)].map(([box]) => box)
    const ofFirst = boxes.filter((box) => box.includes(`value="${jobs[0]}"`))
    expect(ofFirst).toEqual([expect.stringContaining('name="_selected_action"')])
    expect(html).toContain(`href="/scheduler/jobs/${jobs[0]}/"`)
  })

  it.each([
    ['?page=2', 2],
    ['?page=3', 3],
    ['?page=99', 3],
    ['?page=abc', 1],
    ['?page=-1', 1],
    ['?page=0', 1],
    ['?page=1e9', 1],
    ['?page=99999999999999999999', 1],
    ['?cursor=abc', 1],
  ])('%s is page %i', async (query, page) => {
    const props = await list(`polls/scheduled/jobs${query}`)
    expect(props.pagination?.current_page).toBe(page)
    expect(names(props)).toEqual(jobs.slice((page - 1) * 20, page * 20))
  })

  it.each([
    ['polls/deferred/jobs', 404],
    ['nothing/queued/jobs', 404],
    ['polls/toString/jobs', 404],
    ['__proto__/queued/jobs', 404],
    ['polls/%00/jobs', 404],
  ])('%s is not there', async (address, status) => {
    expect((await boss.get(`/scheduler/queues/${address}`)).status).toBe(status)
  })

  it('answers if its own ledger does, whatever happens to the one with the background actions', async () => {
    hurry(MAX_LEDGER_WAIT_MS, 1000)
    const answer = await askWith({ LEDGER: silent('maintenance') }, '/scheduler/queues/polls/scheduled/jobs', {
      visitor: boss,
    })
    expect(answer.status).toBe(200)
  })
})

describe('a search', () => {
  let needle = ''
  let crossing = ''

  beforeAll(async () => {
    await put('refresh', 30, { state: 'failed', error: 'Error: common trouble' })
    needle = await one('refresh', {
      state: 'failed',
      error: 'Error: <img src=x onerror=alert(1)>\n at 3',
      input: { school: 'Büro & Söhne "x"' },
    })
    crossing = await one('refresh', {
      state: 'failed',
      error: 'Error: common trouble',
      task: 'other-task',
      age: 2 * 3_600_000,
    })
    await put('refresh', 2, { state: 'stopped' })
    await put('refresh', 3, { state: 'finished' })
  })

  it('finds by error, argument and name, and is kept in the address', async () => {
    for (const q of ['onerror', 'Söhne', needle, needle.toUpperCase()]) {
      const props = await list(`refresh/failed/jobs?${new URLSearchParams({ q })}`)
      expect([q, names(props)]).toEqual([q, [needle]])
      expect(props).toMatchObject({ search: { q, task: '', status: '', age: '' }, pagination: null })
    }
    expect(names(await list('refresh/failed/jobs?q=nowhere'))).toEqual([])
  })

  it('narrows by kind, state and time, and ignores invalid values', async () => {
    expect(names(await list('refresh/failed/jobs?task=other-task'))).toEqual([crossing])
    expect(names(await list('refresh/failed/jobs?task=other-task&age=1h'))).toEqual([])
    expect(names(await list('refresh/failed/jobs?task=other-task&age=24h'))).toEqual([crossing])
    expect((await list('refresh/finished/jobs?status=stopped')).jobs.map(({ status }) => status)).toEqual([
      'stopped',
      'stopped',
    ])
    expect((await list('refresh/finished/jobs')).queue.counts.finished).toBe(5)
    expect((await list('refresh/failed/jobs?age=never&status=finished')).search).toEqual({
      q: '',
      task: '',
      status: '',
      age: '',
    })
    expect((await list('refresh/failed/jobs')).tasks).toEqual(expect.arrayContaining(['other-task', 'sample']))
    expect(
      (await list('refresh/failed/jobs?task=unknown')).tasks,
      'so that the filter shows what it filters',
    ).toContain('unknown')
  })

  it('continues where it stopped', async () => {
    const first = await list('refresh/failed/jobs?q=common')
    expect(first.jobs).toHaveLength(20)
    expect(first.matches).toEqual({ jobs: 31, is_more: false })
    const second = await list(`refresh/failed/jobs?q=common&cursor=${first.next_cursor}`)
    expect(second.jobs).toHaveLength(11)
    expect([first.cursor, second.cursor]).toEqual([null, first.next_cursor])
    expect(second.next_cursor).toBeNull()
    expect(new Set([...names(first), ...names(second)]).size).toBe(31)
  })

  it('shows that it stopped before the end', async () => {
    await put('alerts', 5200, { state: 'failed' })
    const props = await list('alerts/failed/jobs?q=nowhere')
    expect(props).toMatchObject({ jobs: [], is_partial: true, next_cursor: expect.any(Number) })
    expect(props.matches).toEqual({ jobs: 0, is_more: true })
    expect(await list(`alerts/failed/jobs?q=nowhere&cursor=${props.next_cursor}`)).toMatchObject({
      is_partial: false,
      next_cursor: null,
    })
    expect(await list('alerts/failed/jobs')).toMatchObject({ queue: { counts: { failed: 5200 } }, matches: null })
  })

  it('shows texts as text', async () => {
    const { html } = await boss.see(
      `/scheduler/queues/refresh/failed/jobs?${new URLSearchParams({ q: '"><img src=x' })}`,
    )
    expect(html).not.toContain('"><img')
    const found = await boss.see('/scheduler/queues/refresh/failed/jobs?q=onerror')
    expect(found.html).toContain('&lt;img src=x onerror=alert(1)&gt;')
    expect(found.html).not.toContain('<img src=x')
    expect(found.html).toContain('Söhne \\&quot;x')
  })

  it('can begin in the last hour or the last week', async () => {
    const old = await one('refresh', { state: 'canceled', age: 3 * dayMilliseconds })
    expect(names(await list('refresh/canceled/jobs?age=24h'))).toEqual([])
    expect(names(await list('refresh/canceled/jobs?age=7d'))).toEqual([old])
  })
})
