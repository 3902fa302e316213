import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { queueNames } from '../../src/jobs/job.ts'
import { MAX_LEDGER_WAIT_MS } from '../../src/scheduler/ask-ledgers.ts'
import { ledgerOf } from '../../src/jobs/ledgers.ts'
import { hurry } from '../worker/hurry.ts'
import { makeGroup, makeRecipient, makeSection } from '../worker/catalog.ts'
import { rows } from '../worker/rows.ts'
import { addUser, Visitor } from '../worker/visitor.ts'
import { failingAt } from '../worker/watched-database.ts'
import { askWith, one, operator, put, silent } from '../worker/job-fixtures.ts'

const token = 'a-token-of-the-watchman'
const withToken = { STATS_TOKEN: token }
const bearer = { headers: { authorization: `Bearer ${token}` } }
const figures = ['/scheduler/queues/stats.json', '/scheduler/metrics'] as const

const knownKeys = [
  'name',
  'queued_jobs',
  'oldest_job_timestamp',
  'scheduler_pid',
  'workers',
  'finished_jobs',
  'started_jobs',
  'failed_jobs',
  'scheduled_jobs',
  'canceled_jobs',
]

beforeAll(async () => {
  await Promise.all(queueNames.map((queue) => ledgerOf(env, queue).pause(null)))
  await put('polls', 2, { state: 'queued' })
  await put('polls', 3)
  for (const state of ['started', 'finished', 'stopped', 'failed', 'canceled'] as const) await one('polls', { state })
})

describe.each(figures)('%s', (path) => {
  it('is for superusers and the token, and a 404 for everyone else', async () => {
    const status = async (visitor: Visitor) => (await visitor.get(path)).status
    expect(await status(await operator())).toBe(200)
    expect(await status(new Visitor())).toBe(404)
    expect(await status(await Visitor.loggedInAs(await addUser()))).toBe(404)
    const answers = new Map([
      [`Bearer ${token}`, 200],
      [`bearer ${token}`, 200],
      [`Bearer ${token}x`, 404],
      [`Bearer ${token.slice(1)}`, 404],
      [`Basic ${token}`, 404],
      [token, 404],
      ['Bearer ', 404],
      ['', 404],
    ])
    for (const [authorization, expected] of answers) {
      const answer = await askWith(withToken, path, { headers: { authorization } })
      expect([authorization, answer.status]).toEqual([authorization, expected])
    }
  })

  it('is not available by token while no secret is set', async () => {
    expect((await askWith({}, path, bearer)).status).toBe(404)
    for (const authorization of ['Bearer ', 'Bearer undefined', 'Bearer null']) {
      expect((await askWith({ STATS_TOKEN: '' }, path, { headers: { authorization } })).status).toBe(404)
    }
  })

  it('is never cached, and read-only', async () => {
    const visitor = await operator()
    expect((await visitor.get(path)).headers.get('cache-control')).toBe('private, no-store')
    expect((await visitor.submit(path, {})).status).toBe(405)
  })
})

interface Figures {
  queues: Record<string, unknown>[]
}
const stats = async (parts: Partial<Env> = {}) =>
  (await askWith({ ...withToken, ...parts }, '/scheduler/queues/stats.json', bearer)).json<Figures>()

describe('stats.json', () => {
  it('has exactly the known keys of each queue first', async () => {
    const { queues } = await stats()
    for (const queue of queues) expect(Object.keys(queue).slice(0, knownKeys.length)).toEqual(knownKeys)
    expect(queues.map(({ name }) => name)).toEqual([...queueNames])
    expect(await stats()).toHaveProperty('messages', expect.any(Array))
    expect(queues[0]).toMatchObject({
      queued_jobs: 2,
      scheduler_pid: null,
      workers: 0,
      finished_jobs: 2,
      started_jobs: 1,
      failed_jobs: 1,
      scheduled_jobs: 3,
      canceled_jobs: 1,
      paused: true,
      is_reachable: true,
    })
    expect(queues[0]?.['oldest_job_timestamp']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(queues[1]?.['oldest_job_timestamp']).toBeNull()
  })

  it('keeps a queue that does not answer, without misleading figures', async () => {
    hurry(MAX_LEDGER_WAIT_MS, 1000)
    const { queues } = await stats({ LEDGER: silent('polls') })
    expect(queues.map(({ name, is_reachable }) => [name, is_reachable])).toEqual([
      ['polls', false],
      ['refresh', true],
      ['alerts', true],
      ['maintenance', true],
    ])
    expect(queues[0]).toMatchObject({ queued_jobs: null, failed_jobs: null, workers: null })
    expect(Object.keys(queues[0] ?? {}).slice(0, knownKeys.length)).toEqual(knownKeys)
  })
})

describe('metrics', () => {
  const metrics = async (parts: Partial<Env> = {}) => {
    const answer = await askWith({ ...withToken, ...parts }, '/scheduler/metrics', bearer)
    return { type: answer.headers.get('content-type'), lines: (await answer.text()).split('\n') }
  }

  it('are Prometheus text', async () => {
    const { type, lines } = await metrics()
    expect(type).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(lines.at(-1)).toBe('')
    const sample =
      /^[a-z_0-9]+(?:\{[a-z]+="(?:[^"\\\n]|\\[\\"n])*"(?:,[a-z]+="(?:[^"\\\n]|\\[\\"n])*")*\})? -?\d+(?:\.\d+)?(?:e[+-]\d+)?$/
    for (const line of lines.slice(0, -1))
      expect(line).toMatch(line.startsWith('#') ? /^# (?:HELP|TYPE) [a-z_0-9]+ \S/ : sample)
    const types = lines.filter((line) => line.startsWith('# TYPE'))
    expect(new Set(types).size).toBe(types.length)
  })

  it('include jobs by state, the pause, the oldest job, and what happened recently', async () => {
    const { lines } = await metrics()
    expect(lines).toEqual(
      expect.arrayContaining([
        'class_cords_queue_up{queue="polls"} 1',
        'class_cords_jobs{queue="polls",state="queued"} 2',
        'class_cords_jobs{queue="polls",state="stopped"} 1',
        'class_cords_jobs{queue="refresh",state="failed"} 0',
        'class_cords_queue_paused{queue="polls"} 1',
        'class_cords_workers{queue="polls"} 0',
        'class_cords_oldest_queued_seconds{queue="refresh"} 0',
        expect.stringMatching(/^class_cords_oldest_queued_seconds\{queue="polls"\} \d/),
        expect.stringMatching(/^class_cords_jobs_in_5_minutes\{queue="polls",event="enqueued"\} \d+$/),
      ]),
    )
    expect(lines.some((line) => line.startsWith('class_cords_last_tick'))).toBe(false)
    await ledgerOf(env, 'alerts').tick()
    expect((await metrics()).lines).toContainEqual(
      expect.stringMatching(/^class_cords_last_tick_timestamp_seconds\{queue="alerts"\} \d{10}/),
    )
  })

  it('say which queue does not answer, and nothing else about it', async () => {
    hurry(MAX_LEDGER_WAIT_MS, 1000)
    const { lines } = await metrics({ LEDGER: silent('alerts') })
    expect(lines.filter((line) => line.includes('"alerts"'))).toEqual(['class_cords_queue_up{queue="alerts"} 0'])
  })

  it('include the queues if the database does not answer', async () => {
    const { lines } = await metrics({ DB: failingAt(1, 'before') })
    expect(lines).toEqual(
      expect.arrayContaining(['class_cords_database_up 0', 'class_cords_queue_up{queue="polls"} 1']),
    )
    expect(lines.some((line) => line.startsWith('class_cords_deliveries'))).toBe(false)
    expect((await metrics()).lines).toContain('class_cords_database_up 1')
  })

  it("escape names, and include failures of sources and the day's messages", async () => {
    const { source_id: id } = await makeGroup()
    await rows(
      'UPDATE source SET name = ?, failures = 7, last_good_at = 1500 WHERE id = ?',
      'A "quoted" \\ and\nbroken',
      id,
    )
    await rows(`INSERT INTO recipient (id, name, created_at) VALUES (9001, 'R', 0)`)
    for (const state of ['sent', 'sent', 'failed']) {
      await rows(
        `INSERT INTO delivery (poll_id, recipient_id, channel, address, state, due_at, created_at) VALUES ('p', 9001, 'sms', 'x', ?, 0, ?)`,
        state,
        Date.now(),
      )
    }
    const { lines } = await metrics()
    expect(lines).toEqual(
      expect.arrayContaining([
        String.raw`class_cords_source_failures{source="A \"quoted\" \\ and\nbroken"} 7`,
        String.raw`class_cords_source_last_good_timestamp_seconds{source="A \"quoted\" \\ and\nbroken"} 1.5`,
        'class_cords_deliveries{state="sent"} 2',
        'class_cords_deliveries{state="failed"} 1',
        'class_cords_database_limit_bytes 10000000000',
        expect.stringMatching(/^class_cords_database_bytes \d+$/),
      ]),
    )
  })

  it('include how long messages took, by channel and step', async () => {
    const section = await makeSection(await makeGroup(), '10001', 'open', 1)
    const recipient = await makeRecipient([])
    const now = Date.now()
    await rows(
      "INSERT INTO opening (section_id, version, poll_id, seen_open_at) VALUES (?, 1, 'seen', ?)",
      section,
      now,
    )
    for (const [channel, state, accepted, delivered] of [
      ['phone', 'delivered', now + 1000, now + 4000],
      ['phone', 'unconfirmed', null, null],
      ['email', 'sent', now + 2500, null],
    ])
      await rows(
        `INSERT INTO delivery (poll_id, recipient_id, channel, address, state, due_at, created_at, accepted_at, delivered_at)
         VALUES ('seen', ?, ?, 'x', ?, 0, ?, ?, ?)`,
        recipient,
        channel,
        state,
        now,
        accepted,
        delivered,
      )
    const { lines } = await metrics()
    expect(lines).toEqual(
      expect.arrayContaining([
        'class_cords_message_seconds{channel="phone",step="accepted",quantile="0.95"} 1',
        'class_cords_message_seconds{channel="phone",step="delivered",quantile="0.50"} 4',
        'class_cords_message_seconds{channel="email",step="accepted",quantile="0.50"} 2.5',
        'class_cords_largest_group_last_seconds{channel="phone",step="accepted"} 1',
      ]),
    )
    expect(lines.filter((line) => line.includes('channel="email",step="delivered"'))).toEqual([])
  })
})
