import { renderToString } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { barsOf, lineOf, roundTop } from '../../client/components/time-chart-shape.ts'
import { measureText } from '../../client/components/time-text.ts'
import { searchText } from '../../client/islands/scheduler/addresses.ts'
import { figuresOf } from '../../client/islands/scheduler/health-figures.tsx'
import { registryOf } from '../../client/islands/scheduler/job.tsx'
import { heldRows } from '../../client/islands/scheduler/use-job-list.ts'
import { selectionAfter } from '../../client/islands/scheduler/use-selection.ts'
import { countText } from '../../client/components/count-text.ts'
import { ranFor, shortName, sizeText } from '../../client/islands/scheduler/texts.ts'
import { islandComponents } from '../../client/islands/server.ts'
import type { Health, JobListProps, JobRow, QueuesProps } from '../../src/scheduler/contract.ts'
import { pageContext } from './samples.ts'
import { jobProps, jobRow, queueRow } from './scheduler-samples.ts'

const health: Health = {
  sources_watched: 0,
  sources_on_time: 0,
  unhealthy: [],
  sent_times: [],
  month: [{ channel: 'phone', messages: 1204, segments: 1204, usd: 13.61 }],
  deliveries_24h: 0,
  deliveries_failed_24h: 0,
  database: { bytes: 2_340_000, limit_bytes: 10_000_000_000, is_nearly_full: false },
}
const queues: QueuesProps = {
  queues: [queueRow()],
  problems: [],
  health,
  chart: [],
  chart_span: 'hour',
  failures: [],
  schedules: [],
}
const list: JobListProps = {
  queue: queueRow(),
  registry: 'failed',
  search: { q: '', task: '', status: '', age: '' },
  tasks: [],
  jobs: [jobRow()],
  matches: null,
  pagination: null,
  cursor: null,
  next_cursor: null,
  is_partial: false,
  chart: [],
  chart_span: 'hour',
  running: null,
}
const context = pageContext({ path: '/scheduler/queues/' })
/** This many minutes after a full hour. */
const moment = (minutes: number) => new Date(Date.UTC(2026, 10, 3, 19, minutes)).toISOString()

describe('texts', () => {
  test.each([
    [0, '0 ms'],
    [340, '340 ms'],
    [999.6, '1.0 s'],
    [1240, '1.2 s'],
    [9949, '9.9 s'],
    [45_000, '45 s'],
    [180_000, '3 min'],
  ])('%d ms is %s', (milliseconds, text) => {
    expect(measureText(milliseconds)).toBe(text)
  })

  test('large counts are grouped, and job names shortened to their unique part', () => {
    expect([0, 999, 1000, 1234567].map((count) => countText(count))).toEqual(['0', '999', '1,000', '1,234,567'])
    expect(shortName('poll-source-1k7vra67c00001p')).toBe('1k7vra67c00001p')
  })

  test.each([
    [0, '0 kB'],
    [94_208, '94 kB'],
    [1_240_000, '1.2 MB'],
    [10_000_000_000, '10 GB'],
    [1_200_000_000_000, '1200 GB'],
  ])('%d bytes are %s', (bytes, text) => {
    expect(sizeText(bytes)).toBe(text)
  })

  test("a job's duration includes all its time, and a running one's until now", () => {
    expect(ranFor(jobRow(), null)).toBe(1200)
    const running = jobRow({ status: 'started', ended_at: null })
    expect(ranFor(running, null)).toBeNull()
    expect(ranFor(running, Date.parse(running.started_at ?? '') + 3000)).toBe(3000)
    expect(ranFor(jobRow({ started_at: null, ended_at: null }), 1)).toBeNull()
  })

  test('running jobs are in the active list, stopped ones in the finished', () => {
    expect(['started', 'stopped', 'failed'].map((status) => registryOf(status))).toEqual([
      'active',
      'finished',
      'failed',
    ])
  })

  test('an address contains only the search', () => {
    expect(searchText({ q: ' ', task: '', status: '', age: '' })).toBe('')
    expect(searchText({ q: 'a&b', task: 't', status: '', age: '1h' }, { page: 3 })).toBe(
      '?q=a%26b&task=t&age=1h&page=3',
    )
  })
})

describe('a selection', () => {
  const names = ['a', 'b', 'c', 'd']
  test('grows and shrinks by ranges in either direction', () => {
    expect(selectionAfter(new Set(), names, { from: 'b', to: 'd', isOn: true })).toEqual(new Set(['b', 'c', 'd']))
    expect(selectionAfter(new Set(names), names, { from: 'c', to: 'a', isOn: false })).toEqual(new Set(['d']))
  })
  test('forgets a start that is no longer visible', () => {
    expect(selectionAfter(new Set(), names, { from: 'gone', to: 'b', isOn: true })).toEqual(new Set(['b']))
  })
})

describe('an updated list', () => {
  const pagination = { current_page: 1, total_pages: 2, has_previous: false, has_next: true } as never
  const only = { current_page: 1, total_pages: 1, has_previous: false, has_next: false } as never
  const first: JobListProps = { ...list, pagination }
  const row = (minutes: number, change = {}) =>
    jobRow({ name: `job-${minutes}`, created_at: moment(minutes), ended_at: moment(minutes), ...change })
  const page = (...jobs: JobRow[]): JobListProps => ({ ...first, jobs })
  const read = (newest: JobListProps) => ({ newest, rows: newest.jobs })

  test('takes the new rows if no job was added at the top', () => {
    const fresh = page(row(3, { attempt: 2 }), row(1), row(0))
    expect(heldRows(read(page(row(3), row(2), row(1))), fresh)).toBe(fresh.jobs)
  })

  test('holds back new jobs; other rows change, leave, or stay after being pushed off the page', () => {
    const before = read(page(row(4), row(3), row(2), row(1)))
    const fresh = page(row(6), row(5), row(4, { attempt: 2 }), row(2))
    const rows = heldRows(before, fresh)
    expect(rows).toEqual([row(4, { attempt: 2 }), row(2), row(1)])
    const later = page(row(7), row(6), row(5), row(4))
    expect(heldRows({ newest: fresh, rows }, later)).toEqual([row(4), row(2), row(1)])
  })

  test.each([
    ['all of whose jobs are shown', { pagination: only }],
    ['of running jobs', { registry: 'active' }],
    ['of queued jobs', { registry: 'queued' }],
  ] as const)('%s keeps no row that left it', (_, change) => {
    const shown = (...jobs: JobRow[]): JobListProps => ({ ...page(...jobs), ...change })
    const started = (minutes: number) => row(minutes, { status: 'started', ended_at: null })
    const before = read(shown(started(3), started(2), started(1)))
    expect(heldRows(before, shown(started(5), started(4), started(3)))).toEqual([started(3)])
    const allNew = shown(started(6), started(5))
    expect(heldRows(before, allNew)).toBe(allNew.jobs)
  })

  test('holds back what ended last, however old', () => {
    const before = read(page(row(3), row(2)))
    const old = row(4, { created_at: moment(0) })
    expect(heldRows(before, page(old, row(3), row(2)))).toEqual([row(3), row(2)])
  })

  test('is replaced if no row remains, on other pages, and after another search', () => {
    const allNew = page(row(3), row(2))
    expect(heldRows(read(page()), allNew)).toBe(allNew.jobs)
    expect(heldRows(read(page(row(2, { name: 'left' }))), allNew)).toBe(allNew.jobs)
    expect(heldRows(read({ ...page(row(1)), pagination: null }), allNew)).toBe(allNew.jobs)
    const sought = { ...allNew, search: { ...list.search, q: 'x' } }
    expect(heldRows(read(page(row(1))), sought)).toBe(sought.jobs)
    expect(heldRows(read({ ...sought, jobs: [row(1)] }), allNew)).toBe(allNew.jobs)
  })
})

describe('a chart', () => {
  const none = { wait_p50: null, wait_p95: null, run_p50: null, run_p95: null }
  test('stacks failed jobs on finished ones, under a round maximum', () => {
    expect([0, 1, 3, 14, 99, 100].map((figure) => roundTop(figure))).toEqual([1, 1, 3, 15, 100, 100])
    const { bars, top } = barsOf([{ at: moment(0), enqueued: 9, finished: 6, failed: 4, ...none }], {
      width: 10,
      height: 100,
    })
    expect(top).toBe(10)
    expect(bars[0]).toMatchObject({ finished: 60, failed: 40 })
  })
  test('shows a few jobs as a low bar', () => {
    const { top } = barsOf([{ at: moment(0), enqueued: 2, finished: 2, failed: 0, ...none }], {
      width: 10,
      height: 100,
    })
    expect(top).toBe(10)
  })
  test('has a gap if nothing ran', () => {
    const step = (minute: number, wait: number | null) => ({
      at: moment(minute),
      enqueued: 0,
      finished: 0,
      failed: 0,
      ...none,
      wait_p50: wait,
    })
    const line = lineOf([step(0, 5), step(1, null), step(2, 10)], 'wait_p50', 10, { width: 30, height: 10 })
    expect(line.match(/M/g)).toHaveLength(2)
  })
})

describe('the server-rendered pages', () => {
  const Queues = islandComponents['scheduler/queues']
  const JobList = islandComponents['scheduler/job-list']
  const Job = islandComponents['scheduler/job']

  const drawn = (props: QueuesProps): string =>
    renderToString(<Queues props={props} context={context} />)
      .replaceAll('<!-- -->', '')
      .replaceAll(/<[^>]+>/g, ' ')
      .replaceAll(/\s+/g, ' ')

  test('show the queues and no figures while the database does not answer', () => {
    const text = drawn({ ...queues, health: null, problems: ['The database does not answer.'] })
    expect(text).toContain('The database does not answer.')
    expect(text).toContain('Oldest Queued Job')
    expect(text).not.toMatch(/All is well|Polls on time|From seat to message|Database:/)
  })

  test('say in one sentence that all is well', () => {
    const watched = { ...health, sources_watched: 3, sources_on_time: 3, deliveries_24h: 1204 }
    expect(drawn({ ...queues, health: watched })).toContain(
      'All is well. 3 of 3 sources were checked on schedule, and none of 1,204 messages failed in the last 24 hours.',
    )
    expect(drawn({ ...queues, health: { ...watched, sources_watched: 1, sources_on_time: 1 } })).toContain(
      '1 of 1 source was checked on schedule',
    )
    expect(drawn({ ...queues, health: { ...watched, deliveries_24h: 1 } })).toContain(
      'and the only message in the last 24 hours did not fail.',
    )
    expect(drawn(queues)).toContain('All is well. No sections are being watched, and no messages were sent')
    for (const bad of [{ sources_on_time: 2 }, { deliveries_failed_24h: 1 }])
      expect(drawn({ ...queues, health: { ...watched, ...bad } })).not.toContain('All is well')
  })

  test('say what is not well instead', () => {
    const text = drawn({
      ...queues,
      problems: ['The alerts queue does not answer.', 'Jobs in the polls queue failed.'],
    })
    expect(text).not.toContain('All is well')
    expect(text).toContain('The alerts queue does not answer. Jobs in the polls queue failed.')
  })

  test('show problems first, each with its action', () => {
    const unhealthy = [{ id: 1, name: 'Harbor State', error: 'Status 502.\nmore', since: moment(0) }]
    const paused = queueRow({ name: 'alerts', paused: true, stops: 'No messages are sent', counts: queueRow().counts })
    const text = drawn({
      ...queues,
      queues: [paused],
      health: { ...health, sources_watched: 3, sources_on_time: 3, unhealthy },
    })
    expect(text).not.toContain('All is well')
    expect(text).toMatch(/The alerts queue was paused .* No messages are sent\. Jobs are kept, but none start\. Resume/)
    expect(text).toMatch(/Recent failures Harbor State source Status 502\. Last read .* View source/)
    expect(text.match(/\bResume\b/g)).toHaveLength(2)
    expect(text).toContain('queried on schedule; 1 did not respond completely')
  })

  test('do not say what is not known about schedules', () => {
    const row = { name: 'sweep', every: 'every minute', last_run_at: null, next_run_at: moment(0), last_error: null }
    const rowOf = (is_known: boolean) =>
      /Recurring .*/.exec(drawn({ ...queues, schedules: [{ ...row, is_enabled: true, is_known }] }))?.[0]
    expect(rowOf(true)).toMatch(/Never run .*Run now Turn off/)
    expect(rowOf(false)).toMatch(/sweep Unknown every minute/)
    expect(rowOf(false)).not.toMatch(/Never run|Turn off|Run now/)
  })

  test('mark bad figures', () => {
    expect(figuresOf(health, false).map(({ isBad }) => isBad)).toEqual([false, false, false, false])
    const bad = figuresOf({ ...health, sources_watched: 3, sources_on_time: 2, deliveries_failed_24h: 1 }, false)
    expect(bad.map(({ value, isBad }) => [value, isBad])).toEqual([
      ['2', true],
      ['0', false],
      ['–', false],
      ['1', true],
    ])
    expect(bad[0]).toMatchObject({ of: 'of 3 sources', note: '1 source is late' })
    expect(bad[3]).toMatchObject({ href: '/class_tracker/class_alerts/?result=failed' })
  })

  test('use the channel with the most messages for the speed figure', () => {
    const group = { messages: 9, measured: 9, last: 9700 }
    const step = { step: 'accepted', messages: 9, largest_group: group } as const
    const sent_times: Health['sent_times'] = [
      { ...step, channel: 'push', measured: 2, p50: 300, p95: 400 },
      { ...step, channel: 'phone', measured: 9, p50: 1240, p95: 4800 },
    ]
    expect(figuresOf({ ...health, sent_times }, false)[2]).toMatchObject({ value: '1.2 s', note: 'SMS · p95 4.8 s' })
  })

  test('count a single source as one', () => {
    expect(figuresOf({ ...health, sources_watched: 1, sources_on_time: 1 }, false)[0]).toMatchObject({
      of: 'of 1 source',
    })
  })

  test('count no poll as on time while polls are paused', () => {
    const watched = { ...health, sources_watched: 3, sources_on_time: 3 }
    expect(figuresOf(watched, false)[0]).toMatchObject({ value: '3', of: 'of 3 sources', isBad: false })
    expect(figuresOf(watched, true)[0]).toMatchObject({ value: 'paused', isBad: true })
    expect(drawn({ ...queues, health: watched, queues: [queueRow({ paused: true })] })).toContain(
      'No seats are checked.',
    )
  })

  test('warn of a database that is nearly full, and show its size at the end', () => {
    const database = { bytes: 7_040_000_000, limit_bytes: 10_000_000_000, is_nearly_full: true }
    expect(drawn({ ...queues, health: { ...health, database } })).toContain(
      'The database is nearly full: 7 GB of 10 GB.',
    )
    expect(drawn(queues)).toContain('Database: 2.3 MB of 10 GB.')
    expect(drawn({ ...queues, health: { ...health, database: { ...database, bytes: null } } })).not.toContain(
      'Database:',
    )
  })

  test('show how long messages took, by channel and step', () => {
    const sms = { channel: 'phone' as const, messages: 3001, measured: 3000, p50: 1240, p95: 4800 }
    const sent_times: Health['sent_times'] = [
      { ...sms, step: 'accepted', largest_group: { messages: 3000, measured: 2999, last: 9700 } },
      { ...sms, step: 'delivered', largest_group: { messages: 20, measured: 20, last: 61_000 } },
    ]
    const html = renderToString(<Queues props={{ ...queues, health: { ...health, sent_times } }} context={context} />)
    const text = html.replaceAll(/<!-- -->/g, '').replaceAll(/<[^>]+>/g, ' ')
    expect(text).toContain('9.7 s (2,999 of 3,000 so far)')
    expect(text).toContain('61 s (20)')
    expect(text).toContain('SMS 1,204 (1,204 segments), $13.61')
    expect(text).toMatch(/SMS {2,}accepted by the provider/)
    expect(text).toMatch(/SMS {2,}delivered/)
  })

  test('keep the row of a queue that does not answer, without figures; a paused one can be resumed', () => {
    const props = { ...queues, queues: [queueRow({ is_reachable: false }), queueRow({ name: 'alerts', paused: true })] }
    const html = renderToString(<Queues props={props} context={context} />)
    expect(html).toContain('Unreachable')
    expect(html).not.toContain('/scheduler/queues/polls/failed/jobs')
    expect(html).toContain('action="/scheduler/queues/alerts/resume/"')
    expect(html).not.toMatch(/\sstyle=|<script/i)
  })

  test('say what a kind of job does instead of its internal name', () => {
    const lists = renderToString(<JobList props={{ ...list, tasks: ['poll-source'] }} context={context} />)
    expect(lists).toMatch(/<a class="strong"[^>]*>Check seats</)
    expect(lists).toMatch(/<option value="poll-source"[^>]*>Check seats</)
  })

  test('work as plain forms and links that keep the search', () => {
    const props = { ...list, search: { ...list.search, q: 'disk' } }
    const html = renderToString(<JobList props={props} context={context} />)
    expect(html).toContain('action="/scheduler/queues/polls/confirm-action/"')
    expect(html).toContain('name="_selected_action"')
    expect(html).toContain('href="/scheduler/queues/polls/failed/requeue/?q=disk"')
    expect(html).toContain('href="/scheduler/queues/polls/failed/empty/?q=disk"')
    expect(html).not.toMatch(/\sstyle=|<script/i)
  })

  test('lead back to the page of the list that an action was sent from', () => {
    const nextOf = (change: Partial<JobListProps>) =>
      /name="next_url" value="([^"]*)"/.exec(
        renderToString(<JobList props={{ ...list, ...change }} context={context} />),
      )?.[1]
    const failed = '/scheduler/queues/polls/failed/jobs'
    const pages = { total_pages: 9, has_previous: false, has_next: true }
    expect(nextOf({ pagination: { ...pages, current_page: 1 } as never })).toBe(failed)
    expect(nextOf({ pagination: { ...pages, current_page: 3 } as never })).toBe(`${failed}?page=3`)
    expect(nextOf({ search: { ...list.search, q: 'disk' }, cursor: 812 })).toBe(`${failed}?q=disk&amp;cursor=812`)
    expect(nextOf({ chart_span: 'day' })).toBe(`${failed}?chart=day`)
  })

  test('keep the span of their chart from page to page', () => {
    const day = { ...list, chart_span: 'day' as const }
    const pagination = { current_page: 1, total_pages: 2, has_next: true, next_page_number: 2 } as never
    expect(renderToString(<JobList props={{ ...day, pagination }} context={context} />)).toContain(
      'href="?page=2&amp;chart=day"',
    )
    expect(renderToString(<JobList props={{ ...day, next_cursor: 812 }} context={context} />)).toContain(
      'href="?cursor=812&amp;chart=day"',
    )
  })

  test('show how many jobs match a search, among how many', () => {
    const props = { ...list, search: { ...list.search, q: 'disk' } }
    const textOf = (matches: JobListProps['matches']) =>
      renderToString(<JobList props={{ ...props, matches }} context={context} />).replaceAll('<!-- -->', '')
    const failed = list.queue.counts.failed
    expect(textOf({ jobs: 1, is_more: false })).toContain(`1 matches of ${failed}`)
    expect(textOf({ jobs: 1200, is_more: true })).toContain('1,200 match among the newest')
  })

  test('show the other times on hover over the time that a list is ordered by', () => {
    const html = renderToString(<JobList props={list} context={context} />)
    const title = /<td data-label="Ended"[^>]*><time[^>]* title="([^"]*)"/.exec(html)?.[1]
    expect(title).toMatch(/^Created .*\nScheduled .*\n(Enqueued .*\n)?Started .*\nEnded /)
  })

  test('distinguish an empty list from a search without matches', () => {
    const empty = renderToString(<JobList props={{ ...list, jobs: [] }} context={context} />)
    expect(empty).toContain('No failed jobs in polls')
    const search = { ...list.search, q: 'zzz' }
    const none = renderToString(<JobList props={{ ...list, jobs: [], search }} context={context} />)
    expect(none).toContain('No jobs match the search')
  })

  test('offer to retry a failed job by form and ask before deleting it', () => {
    const html = renderToString(<Job props={jobProps()} context={context} />)
    const { name } = jobRow()
    expect(html).toContain(`<form action="/scheduler/jobs/${name}/requeue/" method="post">`)
    expect(html).toContain(`href="/scheduler/jobs/${name}/delete/"`)
    expect(html).toContain('The page was not read.')
  })
})
