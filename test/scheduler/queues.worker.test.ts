import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { schedules } from '../../src/background-jobs.ts'
import { queueNames } from '../../src/jobs/job.ts'
import { ledgerOf } from '../../src/jobs/ledgers.ts'
import type { Health, QueuesProps, SettingsProps } from '../../src/scheduler/contract.ts'
import { databaseOf, readHealth } from '../../src/scheduler/queues/health.ts'
import { MAX_LEDGER_WAIT_MS } from '../../src/scheduler/ask-ledgers.ts'
import { MAX_MESSAGES } from '../../src/class-tracker/alerts/sent-times.ts'
import { hurry } from '../worker/hurry.ts'
import { makeGroup, makeRecipient, makeSection, makeWatch } from '../worker/catalog.ts'
import { countedReads } from '../worker/counted-reads.ts'
import { rows } from '../worker/rows.ts'
import { until } from '../worker/world.ts'
import type { Visitor } from '../worker/visitor.ts'
import { failingAt, lateAt, watchedDatabase } from '../worker/watched-database.ts'
import { askWith, audited, flashes, isoDate, one, operator, put, silent, write } from '../worker/job-fixtures.ts'

let boss: Visitor
const seeQueues = async () => (await boss.see<QueuesProps>('/scheduler/queues/')).data.props
const queueOf = ({ queues }: QueuesProps, name: string) => queues.find((queue) => queue.name === name)

beforeAll(async () => {
  boss = await operator('olga')
  await Promise.all(queueNames.map((queue) => ledgerOf(env, queue).pause(null)))
  await put('polls', 2, { state: 'queued' })
  await put('polls', 3)
  for (const state of ['started', 'finished', 'stopped', 'failed', 'canceled'] as const) {
    await one('polls', {
      state,
      error: state === 'failed' ? 'It broke <b>here</b>\n    at line 7' : '',
      worker: 'worker-q',
    })
  }
})

describe('the queues', () => {
  it('have one row each, with the counts of every list, the oldest queued job, workers and last tick', async () => {
    await ledgerOf(env, 'polls').tick()
    const { html, data } = await boss.see<QueuesProps>('/scheduler/queues/')
    expect(data.props.queues.map(({ name }) => name)).toEqual([...queueNames])
    expect(queueOf(data.props, 'polls')).toEqual({
      name: 'polls',
      is_reachable: true,
      counts: { queued: 2, scheduled: 3, active: 1, finished: 2, failed: 1, canceled: 1 },
      oldest_queued_at: expect.stringMatching(isoDate),
      workers: 0,
      paused: true,
      paused_at: expect.stringMatching(isoDate),
      paused_by: null,
      stops: 'Seats are not checked',
      last_tick_at: expect.stringMatching(isoDate),
    })
    for (const registry of ['queued', 'scheduled', 'active', 'finished', 'failed', 'canceled']) {
      expect(html).toContain(`href="/scheduler/queues/polls/${registry}/jobs"`)
    }
    for (const path of ['/scheduler/queues/polls/workers/', '/scheduler/queues/stats.json']) {
      expect(html).toContain(`href="${path}"`)
    }
  })

  it('come with the last hour and the newest failures, whose texts stay text', async () => {
    const { html, data } = await boss.see<QueuesProps>('/scheduler/queues/')
    expect(data.props.chart.length).toBeGreaterThanOrEqual(60)
    expect(data.props.chart.reduce((sum, step) => sum + step.enqueued, 0)).toBeGreaterThanOrEqual(10)
    expect(data.props.failures.map(({ queue, error }) => [queue, error])).toEqual([['polls', 'It broke <b>here</b>']])
    expect(html).toContain('It broke &lt;b&gt;here&lt;/b&gt;')
    expect(html).not.toContain('<b>here')
  })

  it('come with the last day in quarters of an hour on request', async () => {
    const { html, data } = await boss.see<QueuesProps>('/scheduler/queues/?chart=day')
    const { chart, chart_span } = data.props
    expect(chart_span).toBe('day')
    expect(new Set(chart.slice(1).map(({ at }, index) => Date.parse(at) - Date.parse(chart[index]?.at ?? '')))).toEqual(
      new Set([15 * 60_000]),
    )
    expect(chart.length).toBeGreaterThanOrEqual(96)
    expect(chart.reduce((sum, step) => sum + step.enqueued, 0)).toBeGreaterThanOrEqual(10)
    expect(html).toMatch(/href="\?chart=day" aria-current="true"/)
  })

  it('that do not answer are shown as such and hide no other', async () => {
    hurry(MAX_LEDGER_WAIT_MS, 1000)
    const answer = await askWith({ LEDGER: silent('polls', 'maintenance') }, '/scheduler/queues/', {
      visitor: boss,
      headers: { accept: 'application/json' },
    })
    const { props } = await answer.json<{ props: QueuesProps }>()
    expect(props.queues.map(({ name, is_reachable }) => [name, is_reachable])).toEqual([
      ['polls', false],
      ['refresh', true],
      ['alerts', true],
      ['maintenance', false],
    ])
    expect(props.schedules).toHaveLength(schedules.length)
    expect(props.schedules.filter(({ is_known }) => is_known)).toEqual([])
    expect((await seeQueues()).schedules.filter(({ is_known }) => !is_known)).toEqual([])
    expect(props.problems).toEqual(
      expect.arrayContaining(['The polls queue does not answer.', 'The maintenance queue does not answer.']),
    )
  })

  it('are shown without the figures from the database if it does not answer', async () => {
    hurry(MAX_LEDGER_WAIT_MS, 1000)
    for (const DB of [failingAt(2, 'before'), lateAt(2, 'before').db]) {
      const headers = { accept: 'application/json' }
      const answer = await askWith({ DB }, '/scheduler/queues/', { visitor: boss, headers })
      const { props } = await answer.json<{ props: QueuesProps }>()
      expect(props.queues.map(({ is_reachable }) => is_reachable)).toEqual([true, true, true, true])
      expect([props.health, props.problems[0]]).toEqual([null, 'The database does not answer.'])
    }
  })

  it('that do not answer have no lists for now', async () => {
    hurry(MAX_LEDGER_WAIT_MS)
    const list = await askWith({ LEDGER: silent('polls') }, '/scheduler/queues/polls/failed/jobs', { visitor: boss })
    expect(list.status).toBe(504)
  })

  it('cost one round trip to the database beside the session', async () => {
    let trips = 0
    const DB = watchedDatabase({ before: () => void (trips += 1) })
    expect((await askWith({ DB }, '/scheduler/queues/')).status).toBe(302)
    const session = trips
    trips = 0
    expect((await askWith({ DB }, '/scheduler/audit/', { visitor: boss })).status).toBe(200)
    const loggedIn = trips
    trips = 0
    expect((await askWith({ DB }, '/scheduler/queues/', { visitor: boss })).status).toBe(200)
    expect([session, loggedIn, trips]).toEqual([0, 1, 2])
  })

  it('are paused and resumed by a form, which leads back', async () => {
    expect((await boss.submit('/scheduler/queues/alerts/resume/', {})).status).toBe(303)
    expect(queueOf(await seeQueues(), 'alerts')?.paused).toBe(false)
    const response = await boss.submit('/scheduler/queues/alerts/pause/', {
      next_url: '/scheduler/queues/alerts/queued/jobs?q=a',
    })
    expect(response.headers.get('location')).toBe('/scheduler/queues/alerts/queued/jobs?q=a')
    expect(await flashes(boss)).toEqual(['success: The queue alerts is paused: jobs are kept, but none start.'])
    expect(queueOf(await seeQueues(), 'alerts')?.paused).toBe(true)
    const from = await boss.submit(
      '/scheduler/queues/alerts/pause/',
      {},
      { referer: `${boss.origin}/scheduler/queues/alerts/failed/jobs` },
    )
    expect(from.headers.get('location')).toBe('/scheduler/queues/alerts/failed/jobs')
    expect((await ledgerOf(env, 'alerts').audit(null, 1))[0]).toMatchObject({ who: 'olga', act: 'pause' })
    expect((await audited()).at(-1)).toEqual({ who: 'olga', act: 'paused', table_name: 'queue', row_key: 'alerts' })
    expect((await boss.submit('/scheduler/queues/nothing/pause/', {})).status).toBe(404)
  })

  it('that are paused or resumed twice are audited once', async () => {
    const entries = async () => [(await audited()).length, (await ledgerOf(env, 'refresh').audit(null, 500)).length]
    for (const act of ['resume', 'pause']) {
      await boss.submit(`/scheduler/queues/refresh/${act}/`, {})
      const before = await entries()
      expect((await boss.submit(`/scheduler/queues/refresh/${act}/`, {})).status).toBe(303)
      expect(await entries()).toEqual(before)
    }
  })

  it('are paused only after a confirmation that says what stops, only by form', async () => {
    await ledgerOf(env, 'polls').resume(null)
    const list = '/scheduler/queues/polls/failed/jobs'
    expect((await boss.see(list)).html).toContain('href="/scheduler/queues/polls/pause/"')
    expect((await boss.see(list)).html).not.toContain('action="/scheduler/queues/polls/pause/"')
    const asked = await boss.read(
      await boss.get('/scheduler/queues/polls/pause/', { referer: `${boss.origin}${list}` }),
    )
    expect(asked.data).toMatchObject({ page: 'ConfirmAction', props: { action: 'pause', next_url: list } })
    expect(asked.html).toContain('No one is notified of open seats until it is resumed.')
    expect(asked.html).toContain('action="/scheduler/queues/polls/pause/"')
    expect(queueOf(await seeQueues(), 'polls')?.paused).toBe(false)
    await boss.submit('/scheduler/queues/polls/pause/', { action: 'pause', next_url: list })
    const paused = await boss.see(list)
    expect(paused.html.replaceAll(/<!-- -->|<[^>]+>/g, '')).toMatch(
      /by olga\. Seats are not checked(?:, and [\d,]+ jobs? (?:is|are) waiting|\. Jobs are kept, but none start)\./,
    )
    expect(paused.html).toContain('action="/scheduler/queues/polls/resume/"')
    for (const queue of queueNames)
      expect((await boss.see(`/scheduler/queues/${queue}/pause/`)).html).toContain('until it is resumed.')
    expect((await boss.get('/scheduler/queues/nothing/pause/')).status).toBe(404)
    expect((await boss.get('/scheduler/queues/polls/pause/?next_url=https://evil.example/')).status).toBe(400)
  })

  it('limit their settings; rejected values are shown as typed', async () => {
    const path = '/scheduler/queues/refresh/settings/'
    expect((await boss.see(path)).data.props).toMatchObject({ settings: { ahead: '20', keep_days: '14' } })
    const saved = await boss.submit(path, { ahead: '40', keep_days: '30', keep_rows: '200000' })
    expect(saved.status).toBe(303)
    expect(await ledgerOf(env, 'refresh').settings()).toEqual({ ahead: 40, keep_days: 30, keep_rows: 200_000 })
    const refused = await boss.read(await boss.submit(path, { ahead: '40', keep_days: '-"1', keep_rows: '5' }))
    expect(refused.response.status).toBe(422)
    expect(refused.data.props).toMatchObject({
      settings: { ahead: '40', keep_days: '-"1', keep_rows: '5' },
      errors: [
        { field: 'keep_days', message: 'Days to keep ended jobs must be a whole number from 1 to 365.' },
        { field: 'keep_rows', message: 'Maximum jobs kept must be a whole number from 1000 to 1000000.' },
      ],
    })
    expect(refused.html).toContain('value="-&quot;1"')
    expect(refused.html).toContain('href="#keep_rows"')
    expect(refused.html).toContain('id="keep_rows-error"')
    expect([...refused.html.matchAll(/id="(\w+)"[^>]* autofocus=""/g)].map(([, id]) => id)).toEqual(['keep_days'])
    expect(await ledgerOf(env, 'refresh').settings()).toEqual({ ahead: 40, keep_days: 30, keep_rows: 200_000 })
  })

  it('refuse a settings form that is no longer up to date, with the current values beside the typed ones', async () => {
    const path = '/scheduler/queues/polls/settings/'
    const shown = { ahead: '20', keep_days: '14', keep_rows: '200000' }
    const was = async () => /name="was" value="([^"]*)"/.exec((await boss.see(path)).html)?.[1] ?? ''
    const opened = await was()
    expect((await boss.submit(path, { ...shown, keep_days: '90', was: opened })).status).toBe(303)
    const entries = (await audited()).length
    const refused = await boss.read<SettingsProps>(await boss.submit(path, { ...shown, ahead: '30', was: opened }))
    expect(refused.response.status).toBe(409)
    expect(refused.data.props.settings).toEqual({ ...shown, ahead: '30' })
    expect(refused.data.props.errors).toEqual([
      {
        message:
          'Someone else changed these settings after you opened them. Your values are below, each with the current one. Save again to keep yours.',
      },
      { field: 'ahead', message: 'Current value: “20”.' },
      { field: 'keep_days', message: 'Current value: “90”.' },
    ])
    expect(await ledgerOf(env, 'polls').settings()).toEqual({ ahead: 20, keep_days: 90, keep_rows: 200_000 })
    expect(await audited()).toHaveLength(entries)
    // The refused form shows the current values, so it may be saved again.
    const again = /name="was" value="([^"]*)"/.exec(refused.html)?.[1] ?? ''
    const last = { ...shown, keep_days: '90', ahead: '30', was: again }
    expect((await boss.submit(path, last)).status).toBe(303)
    expect(await ledgerOf(env, 'polls').settings()).toMatchObject({ ahead: 30, keep_days: 90 })
    // The same form once more changes nothing.
    expect((await boss.submit(path, last)).status).toBe(303)
    expect(await audited()).toHaveLength(entries + 1)
  })

  it('ask before a setting is saved that deletes jobs', async () => {
    const path = '/scheduler/queues/maintenance/settings/'
    const typed = { ahead: '21', keep_days: '14', keep_rows: '1000' }
    const { html } = await boss.see(path)
    const was = /name="was" value="([^"]*)"/.exec(html)?.[1] ?? ''
    const asked = await boss.read(await boss.submit(path, { ...typed, was }))
    expect(asked.response.status).toBe(200)
    const question = 'Are you sure you want to keep at most 1,000 jobs instead of 200,000?'
    expect(asked.html).toContain(question)
    const call = await boss.call('POST', path, { ...typed, was })
    expect([call.status, await call.json()]).toEqual([409, [question]])
    expect(await ledgerOf(env, 'maintenance').settings()).toEqual({ ahead: 20, keep_days: 14, keep_rows: 200_000 })
    const back = /href="([^"]*)"[^>]*>Go back/.exec(asked.html)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const returned = await boss.see<SettingsProps>(back)
    expect(returned.data.props).toMatchObject({ settings: typed, was, errors: [] })
    const fields = Array.from(
      asked.html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g),
      ([, name, value]) => [name, value],
    )
    const sent = Object.fromEntries(fields) as Record<string, string>
    expect((await boss.submit(path, sent)).status).toBe(303)
    expect(await ledgerOf(env, 'maintenance').settings()).toEqual({ ahead: 21, keep_days: 14, keep_rows: 1000 })
  })

  it('save none of their settings if one is refused', async () => {
    const stored = async () => [await ledgerOf(env, 'alerts').settings(), (await audited()).length]
    const before = await stored()
    const refused = await boss.submit('/scheduler/queues/alerts/settings/', {
      ahead: '41',
      keep_days: '1',
      keep_rows: '5',
    })
    expect(refused.status).toBe(422)
    expect(await stored()).toEqual(before)
  })
})

describe('health', () => {
  const seeHealth = async (): Promise<Health> => (await seeQueues()).health ?? expect.fail('no figures')

  it('says whether polls are on time and which sources are unhealthy', async () => {
    const before = await seeHealth()
    const watch = async (askedAgo: number, failures = 0) => {
      const group = await makeGroup({ poll_seconds: 60, read_at: Date.now() })
      await makeWatch(await makeRecipient([]), await makeSection(group, '10001', 'closed', 0))
      await rows(
        'UPDATE section_group SET asked_at = ?, failures = ? WHERE id = ?',
        Date.now() - askedAgo,
        failures,
        group.group_id,
      )
      return group
    }
    await watch(90_000)
    await watch(150_000)
    const failing = await watch(10_000)
    await rows(
      "UPDATE source SET failures = 6, last_error = 'No answer', last_good_at = 12345 WHERE id = ?",
      failing.source_id,
    )
    await makeGroup()
    const health = await seeHealth()
    expect(health.sources_watched - before.sources_watched).toBe(3)
    expect(health.sources_on_time - before.sources_on_time).toBe(2)
    expect(health.unhealthy).toEqual([
      { id: failing.source_id, name: expect.any(String), error: 'No answer', since: '1970-01-01T00:00:12.345Z' },
    ])
  })

  interface TestMessages {
    channel?: string
    state?: string
    /** ms from seen-open. */
    accepted?: number | null
    delivered?: number | null
    seen?: number | null
    count?: number
  }

  /** Adds messages of one poll that saw a seat at `seen`; if it is null, none was seen. */
  async function addMessages(
    section: number,
    recipient: number,
    seen: number | null,
    messages: readonly TestMessages[],
  ) {
    const poll = crypto.randomUUID()
    const at = seen ?? Date.now()
    if (seen !== null)
      await rows(
        `INSERT INTO opening (section_id, version, poll_id, seen_open_at)
         VALUES (?, (SELECT coalesce(max(version), 0) + 1 FROM opening), ?, ?)`,
        section,
        poll,
        seen,
      )
    for (const {
      channel = 'phone',
      state = 'sent',
      accepted = null,
      delivered = null,
      seen: saw = null,
      count = 1,
    } of messages)
      await rows(
        `INSERT INTO delivery (poll_id, recipient_id, channel, address, state, due_at, created_at, accepted_at, delivered_at, seen_at)
         SELECT ?, ?, ?, 'x', ?, 0, ?, ?, ?, ? FROM json_each(?)`,
        poll,
        recipient,
        channel,
        state,
        at,
        accepted === null ? null : at + accepted,
        delivered === null ? null : at + delivered,
        saw === null ? null : at + saw,
        JSON.stringify(Array.from({ length: count }, () => 0)),
      )
  }

  it('says how long messages took, by channel and step, except reminders, held alerts and unconfirmed ones', async () => {
    const section = await makeSection(await makeGroup(), '10002', 'open', 3)
    const recipient = await makeRecipient([])
    const now = Date.now()
    const seen = now - 60_000
    await addMessages(section, recipient, now - 30 * 3_600_000, [{ accepted: 9_999_999 }])
    await addMessages(section, recipient, null, [{ accepted: 600_000 }])
    await addMessages(section, recipient, seen, [
      { accepted: 1000, delivered: 6000, seen: 8000, state: 'delivered' },
      // Not needed: its notification was seen.
      { state: 'not_needed' },
      { accepted: 2000 },
      { accepted: 3000 },
      { state: 'unconfirmed' },
      // Accepted, and given up later.
      { accepted: 500, state: 'failed' },
      { channel: 'email', accepted: 40_000 },
    ])
    await addMessages(section, recipient, seen, [
      { channel: 'email', accepted: 7000, count: 3 },
      { channel: 'discord', state: 'expired' },
      // A clock that went back.
      { channel: 'discord', accepted: -20 },
    ])
    const health = await seeHealth()
    expect(health).toMatchObject({ deliveries_24h: 13, deliveries_failed_24h: 2 })
    expect(health.sent_times).toEqual([
      {
        channel: 'phone',
        step: 'accepted',
        messages: 5,
        measured: 3,
        p50: 2000,
        p95: 3000,
        largest_group: { messages: 5, measured: 3, last: 3000 },
      },
      {
        channel: 'phone',
        step: 'delivered',
        messages: 5,
        measured: 1,
        p50: 6000,
        p95: 6000,
        largest_group: { messages: 5, measured: 1, last: 6000 },
      },
      {
        channel: 'phone',
        step: 'seen',
        messages: 5,
        measured: 1,
        p50: 8000,
        p95: 8000,
        largest_group: { messages: 5, measured: 1, last: 8000 },
      },
      {
        channel: 'email',
        step: 'accepted',
        messages: 4,
        measured: 4,
        p50: 7000,
        p95: 40_000,
        largest_group: { messages: 3, measured: 3, last: 7000 },
      },
      {
        channel: 'discord',
        step: 'accepted',
        messages: 2,
        measured: 1,
        p50: 0,
        p95: 0,
        largest_group: { messages: 2, measured: 1, last: 0 },
      },
    ])
  })

  it("says what the month's messages cost, by channel: each counted once when its provider accepted it, a repeat twice", async () => {
    await rows('DELETE FROM message_count')
    const section = await makeSection(await makeGroup(), '10009', 'open', 3)
    const recipient = await makeRecipient([])
    await addMessages(section, recipient, Date.now(), [{ count: 100 }, { channel: 'push', count: 7 }])
    const accept = `UPDATE delivery SET state = 'sent', accepted_at = ?, body = json_object('text', ?) WHERE recipient_id = ?`
    await rows(accept, Date.now(), 'x'.repeat(160), recipient)
    await rows('UPDATE delivery SET accepted_at = accepted_at + 1 WHERE recipient_id = ?', recipient)
    await addMessages(section, recipient, Date.now(), [{ count: 2 }])
    await rows(`${accept} AND accepted_at IS NULL`, Date.now(), 'x'.repeat(161), recipient)
    expect((await seeHealth()).month).toEqual([
      { channel: 'phone', messages: 102, segments: 104, usd: 1.18 },
      { channel: 'push', messages: 7, segments: null, usd: 0 },
    ])
  })

  it('says how large the database is, and warns at 70 % of the configured limit', async () => {
    const { database } = await seeHealth()
    expect(database).toEqual({ bytes: expect.any(Number), limit_bytes: 10_000_000_000, is_nearly_full: false })
    expect(database.bytes).toBeGreaterThan(10_000)
    await rows("INSERT INTO setting (name, value, changed_at) VALUES ('database_limit_gb', '2', 0)")
    expect((await seeHealth()).database.limit_bytes).toBe(2_000_000_000)
    await rows("UPDATE setting SET value = '0'")
    expect((await seeHealth()).database.limit_bytes).toBe(10_000_000_000)
    expect(databaseOf(6_999_999_999, []).is_nearly_full).toBe(false)
    expect(databaseOf(7_000_000_000, []).is_nearly_full).toBe(true)
    expect(databaseOf(700_000_000, [{ gb: 1 }]).is_nearly_full).toBe(true)
    expect(databaseOf(undefined, [])).toMatchObject({ bytes: null, is_nearly_full: false })
  })
})

describe('the database', () => {
  it('reads two rows per message, and no more on the busiest day', async () => {
    await rows("INSERT INTO recipient (id, name, created_at) VALUES (9001, 'R', 0)")
    const section = await makeSection(await makeGroup(), '10003', 'open', 3)
    await rows(
      "INSERT INTO opening (section_id, version, poll_id, seen_open_at) SELECT ?, 5000 + value, 'p' || value, ? FROM json_each(?)",
      section,
      Date.now(),
      JSON.stringify([0, 1, 2]),
    )
    await rows(
      `INSERT INTO delivery (poll_id, recipient_id, channel, address, state, due_at, created_at, accepted_at)
       SELECT 'p' || (value % 3), 9001, 'phone', 'x', 'sent', 0, ?1, ?1 + value FROM json_each(?2)`,
      Date.now(),
      JSON.stringify(Array.from({ length: 20_000 }, (_, index) => index)),
    )
    const { db, reads } = countedReads()
    const { sent_times } = await readHealth(db, Date.now())
    expect(sent_times.find(({ channel }) => channel === 'phone')).toMatchObject({ messages: MAX_MESSAGES })
    expect(reads.trips).toBe(1)
    expect(reads.rows).toBeGreaterThan(MAX_MESSAGES)
    expect(reads.rows).toBeLessThan(2.5 * MAX_MESSAGES)
  })
})

describe('schedules', () => {
  const name = schedules[0]?.name ?? ''
  const state = async () => (await seeQueues()).schedules.find((schedule) => schedule.name === name)

  it('are listed with their times, run now, and switched off and on', async () => {
    expect((await seeQueues()).schedules.map((schedule) => schedule.name)).toEqual(
      schedules.map((schedule) => schedule.name),
    )
    expect(await state()).toMatchObject({ is_enabled: true, every: expect.stringMatching(/\w/) })
    expect((await boss.submit(`/scheduler/schedules/${name}/run/`, {})).headers.get('location')).toBe(
      '/scheduler/queues/',
    )
    expect((await flashes(boss)).at(-1)).toBe(`success: ${name} ran. If anything was due, its jobs are in the queues.`)
    expect(await state()).toMatchObject({ last_error: '', last_run_at: expect.stringMatching(isoDate) })
    await boss.submit(`/scheduler/schedules/${name}/disable/`, {})
    expect(await state()).toMatchObject({ is_enabled: false, next_run_at: null })
    await boss.submit(`/scheduler/schedules/${name}/disable/`, {})
    expect((await flashes(boss)).at(-1)).toBe('error: Could not perform action: The schedule is already off.')
    const call = await boss.call('POST', `/scheduler/schedules/${name}/disable/`, {})
    expect([call.status, await call.json()]).toEqual([409, ['Could not perform action: The schedule is already off.']])
    await boss.submit(`/scheduler/schedules/${name}/enable/`, {})
    expect(await state()).toMatchObject({ is_enabled: true })
    expect((await audited()).map(({ act }) => act)).toEqual(expect.arrayContaining(['turned off', 'turned on']))
    expect((await ledgerOf(env, 'maintenance').audit(null, 5)).map(({ who, act }) => [who, act])).toContainEqual([
      'olga',
      'run schedule',
    ])
    expect((await boss.submit('/scheduler/schedules/nothing/run/', {})).status).toBe(404)
    expect((await boss.submit(`/scheduler/schedules/${name}/explode/`, {})).status).toBe(404)
  })
})

describe('current workers', () => {
  it('are counted in their queue', async () => {
    await write(
      'alerts',
      `INSERT INTO worker (name, born_at, seen_at) VALUES ('worker-now', ?, ?)`,
      Date.now(),
      Date.now(),
    )
    const props = await until(seeQueues, (seen) => queueOf(seen, 'alerts')?.workers === 1, 'a worker is counted')
    expect(queueOf(props, 'refresh')?.workers).toBe(0)
  })
})
