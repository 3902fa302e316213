import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { MAX_LEDGER_WAIT_MS } from '../../src/scheduler/ask-ledgers.ts'
import type { JobState } from '../../src/lib/contract.ts'
import { taskTitle } from '../../client/islands/scheduler/texts.ts'
import { jobs } from '../../src/background-jobs.ts'
import { ledgerOf } from '../../src/jobs/ledgers.ts'
import type { JobProps } from '../../src/scheduler/contract.ts'
import { hurry } from '../worker/hurry.ts'
import type { Visitor } from '../worker/visitor.ts'
import { failingAt, watchedDatabase } from '../worker/watched-database.ts'
import { askWith, audited, flashes, isoDate, one, operator, silent, stateOf, write } from '../worker/job-fixtures.ts'

let boss: Visitor
const at = (job: string, action = '') => `/scheduler/jobs/${job}/${action === '' ? '' : `${action}/`}`
const see = async (job: string) => boss.see<JobProps>(at(job))

beforeAll(async () => {
  boss = await operator('olga')
  await Promise.all((['polls', 'refresh'] as const).map((queue) => ledgerOf(env, queue).pause(null)))
})

// Ignores notices of an earlier test.
beforeEach(async () => {
  await flashes(boss)
})

describe('the page of a job', () => {
  it('shows everything known about it', async () => {
    const job = await one('polls', {
      state: 'failed',
      task: 'poll-source',
      input: { source: 7, note: '<b>"' },
      error: 'Error: <i>refused</i>\n    at poll (poll.ts:7)',
      key: `poll:${crypto.randomUUID()}`,
      worker: 'worker-j',
    })
    const at2s = Date.now() - 2500
    await write('polls', `UPDATE job SET asked_by = 'maria', priority = 10, attempt = 3, tries = 3 WHERE id = ?`, job)
    for (const [attempt, outcome] of [
      [1, 'retried'],
      [2, 'lost'],
      [3, 'failed'],
    ] as const) {
      await write(
        'polls',
        `INSERT INTO run (job, attempt, worker, started_at, ended_at, outcome, error) SELECT seq, ?, 'worker-j', ?, ?, ?, ? FROM job WHERE id = ?`,
        attempt,
        at2s,
        at2s + 61_234,
        outcome,
        `Error ${attempt}\n  at line`,
        job,
      )
    }
    await write(
      'polls',
      `INSERT INTO line (job, number, at, line) SELECT seq, 1, ?, 'looked at <u>' FROM job WHERE id = ?`,
      at2s,
      job,
    )
    const { html, data } = await see(job)
    expect(data.page).toBe('Job')
    expect(data.props).toMatchObject({
      job: {
        id: job,
        name: job,
        queue: 'polls',
        status: 'failed',
        error: 'Error: <i>refused</i>\n    at poll (poll.ts:7)',
        task: 'poll-source',
        attempt: 3,
        worker: 'worker-j',
        input: { source: 7, note: '<b>"' },
        result: null,
        limit: { attempts: 3, run_seconds: 20, retry_seconds: [5, 30] },
        tries: 3,
        priority: 10,
        key: expect.stringContaining('poll:'),
        exclusive: null,
        asked_by: 'maria',
        stop_asked: false,
        lines: [{ at: new Date(at2s).toISOString(), line: 'looked at <u>' }],
        actions: ['requeue', 'delete'],
      },
    })
    for (const time of ['created_at', 'due_at', 'queued_at', 'started_at', 'ended_at'] as const) {
      expect([time, data.props.job[time]]).toEqual([time, expect.stringMatching(isoDate)])
    }
    expect(data.props.job.runs.map(({ attempt, outcome, error }) => [attempt, outcome, error])).toEqual([
      [3, 'failed', 'Error 3'],
      [2, 'lost', 'Error 2'],
      [1, 'retried', 'Error 1'],
    ])
    expect(html).toContain('61 s')
    for (const unsafe of ['<i>refused', '<b>"', '<u>']) expect(html.split('id="page-data"')[0]).not.toContain(unsafe)
    expect(html).toContain('at poll (poll.ts:7)')
    expect(html).toContain('<h1 class="job-title">Check seats</h1>')
  })

  it('has a readable title for every kind of job', () => {
    // Files of one process share the list, to which some add jobs of their own.
    for (const { name } of jobs.filter((job) => !job.name.startsWith('test-'))) expect(taskTitle(name)).not.toBe(name)
  })

  it('shows each thing once, and no invalid date', async () => {
    const [mark, wrong, found] = ['only-in-the-input', 'It went wrong', 'only-in-the-result']
    const job = await one('polls', {
      state: 'failed',
      input: { mark },
      error: `${wrong}\n    at line 7`,
      result: { found },
    })
    const { html, data } = await see(job)
    expect(Object.keys(data.props)).toEqual(['job'])
    const written = JSON.stringify(data.props)
    for (const text of [mark, wrong, found]) expect([text, written.split(text).length - 1]).toEqual([text, 1])
    // The name is also the id.
    expect(written.split(job).length - 1).toBe(2)
    for (const state of ['scheduled', 'queued'] as const) {
      const waiting = await see(await one('polls', { state }))
      expect(waiting.html + JSON.stringify(waiting.data)).not.toContain('1970')
    }
    expect(html).not.toContain('1970')
  })

  it('shows a result', async () => {
    const job = await one('polls', { state: 'finished', result: { found: 3 } })
    expect((await see(job)).data.props.job.result).toEqual({ found: 3 })
  })

  it.each([
    ['scheduled', ['enqueue', 'cancel', 'delete']],
    ['queued', ['cancel', 'delete']],
    ['started', ['cancel', 'stop']],
    ['finished', ['enqueue', 'delete']],
    ['stopped', ['enqueue', 'delete']],
    ['failed', ['requeue', 'delete']],
    ['canceled', ['enqueue', 'delete']],
  ] as [JobState, string[]][])('of a %s job offers %j, and each of them works', async (state, offered) => {
    for (const action of offered) {
      const job = await one('polls', { state })
      const { html, data } = await see(job)
      expect(data.props.job.actions).toEqual(offered)
      expect(html).toContain(action === 'delete' ? `href="${at(job, action)}"` : `action="${at(job, action)}"`)
      const response = await boss.submit(at(job, action), {})
      const home = action === 'delete' ? '/scheduler/queues/polls/queued/jobs' : at(job)
      expect([action, response.status, response.headers.get('location')]).toEqual([action, 303, home])
      const after = { enqueue: 'queued', requeue: 'queued', cancel: 'canceled', delete: null, stop: 'started' }[action]
      expect([action, await stateOf('polls', job)]).toEqual([action, state === 'started' ? 'started' : after])
      if (state === 'started') expect((await see(job)).data.props.job.stop_asked).toBe(true)
    }
  })

  it('is a 404 for an unknown job, also for actions', async () => {
    const gone = await one('polls')
    await ledgerOf(env, 'polls').act('delete', gone, null)
    for (const name of [gone, 'nothing', '<script>']) {
      const path = at(encodeURIComponent(name))
      for (const answer of [
        await boss.get(path),
        await boss.get(`${path}delete/`),
        await boss.submit(`${path}cancel/`, {}),
      ]) {
        expect([answer.status, answer.headers.get('location')]).toEqual([302, '/scheduler/queues/'])
      }
      const warning = `warning: Job ${name} does not exist, maybe its TTL has passed`
      expect(await flashes(boss)).toEqual([warning, warning, warning])
      expect((await boss.get(path, { accept: 'application/json' })).status).toBe(404)
      expect((await boss.call('POST', `${path}cancel/`, {})).status).toBe(404)
    }
  })

  it('needs one ledger and no database query beside the session', async () => {
    const job = await one('polls')
    let trips = 0
    const DB = watchedDatabase({ before: () => void (trips += 1) })
    expect((await askWith({ DB }, at(job), { visitor: boss })).status).toBe(200)
    expect(trips).toBe(1)
    expect(
      (await askWith({ LEDGER: silent('refresh', 'alerts', 'maintenance') }, at(job), { visitor: boss })).status,
    ).toBe(200)
  })
})

describe('an action on a job', () => {
  it('always asks for confirmation first', async () => {
    const job = await one('polls', { state: 'failed' })
    for (const action of ['delete', 'enqueue', 'requeue', 'cancel', 'stop']) {
      const { html, data } = await boss.see(at(job, action))
      expect(data).toMatchObject({ page: 'ConfirmAction', props: { action, job_names: [job], next_url: at(job) } })
      expect(html.match(/Are you sure/g)).toHaveLength(1)
      expect(html).toContain(`<h1>Are you sure you want to ${action} this job?</h1>`)
      expect(html).toMatch(new RegExp(`<button[^>]*>${action} job</button>`, 'i'))
      expect(html).toContain(`action="${at(job, action)}"`)
      expect(html.includes('This cannot be undone.')).toBe(action === 'delete')
    }
    expect(await stateOf('polls', job)).toBe('failed')
  })

  it('is one of five; anything else is a bad request', async () => {
    const job = await one('polls', { state: 'failed' })
    for (const action of ['jobs', 'explode', 'Delete', 'constructor', 'empty']) {
      expect((await boss.get(at(job, action))).status, action).toBe(400)
      expect((await boss.submit(at(job, action), {})).status, action).toBe(400)
    }
  })

  it('says what was done, and is audited', async () => {
    const job = await one('polls', { state: 'failed' })
    await boss.submit(at(job, 'requeue'), {})
    expect(await flashes(boss)).toEqual([`success: Job ${job} was re-queued.`])
    expect((await ledgerOf(env, 'polls').audit(null, 1))[0]).toMatchObject({ who: 'olga', act: 'requeue', job })
    expect((await audited()).at(-1)).toEqual({ who: 'olga', act: 're-queued', table_name: 'job', row_key: job })
    const running = await one('polls', { state: 'started' })
    await boss.submit(at(running, 'cancel'), {})
    expect(await flashes(boss)).toEqual([`success: Job ${running} stops at its next checkpoint.`])
  })

  it('says what was done even if the database then fails: the ledger has its own audit', async () => {
    const job = await one('polls')
    const answer = await askWith({ DB: failingAt(2, 'before') }, at(job, 'cancel'), {
      visitor: boss,
      method: 'POST',
      headers: { 'sec-fetch-site': 'same-origin', 'x-csrftoken': boss.csrfToken, accept: 'application/json' },
    })
    expect([answer.status, await answer.json()]).toEqual([
      200,
      { messages: [{ level_tag: 'success', message: `Job ${job} was canceled.` }], url: at(job) },
    ])
    expect(await ledgerOf(env, 'polls').audit(null, 1)).toMatchObject([{ who: 'olga', act: 'cancel', job }])
  })

  it('on many jobs is not repeated once it has ended', async () => {
    const job = await one('maintenance', { state: 'finished', task: 'bulk-act' })
    expect((await see(job)).data.props.job.actions).toEqual(['delete'])
    await boss.submit(at(job, 'enqueue'), {})
    expect(await flashes(boss)).toEqual([
      'error: Could not perform action: An action on many jobs is not repeated. Start it again on the list of jobs.',
    ])
    expect(await stateOf('maintenance', job)).toBe('finished')
    const requeued = await ledgerOf(env, 'maintenance').bulk({ act: 'requeue', jobs: [job], by: null })
    expect(requeued).toMatchObject({ done: 0, refused: 1 })
    const failed = await one('maintenance', { state: 'failed', task: 'bulk-act' })
    expect((await see(failed)).data.props.job.actions).toEqual(['requeue', 'delete'])
  })

  it('says why it was refused, and changes nothing', async () => {
    const entries = (await audited()).length
    const refusals = [
      ['started', 'delete', 'The job is running: stop it first.'],
      ['queued', 'requeue', 'The job is already queued.'],
      ['finished', 'cancel', 'The job is already finished.'],
      ['failed', 'stop', 'The job is not running.'],
    ] as const
    for (const [state, action, why] of refusals) {
      const job = await one('polls', { state })
      const response = await boss.submit(at(job, action), {})
      expect(response.headers.get('location')).toBe(at(job))
      expect(await flashes(boss)).toEqual([`error: Could not perform action: ${why}`])
      const call = await boss.call('POST', at(job, action), {})
      expect([call.status, await call.json()]).toEqual([409, [`Could not perform action: ${why}`]])
      expect(await stateOf('polls', job)).toBe(state)
    }
    expect(await audited()).toHaveLength(entries)
  })

  it('leaves a job as it is while another one does its work', async () => {
    const job = await one('polls', { state: 'failed' })
    const running = await one('polls', { state: 'started' })
    const held = "UPDATE job SET exclusive_name = 'poll:of-both', when_held = 'skip' WHERE id IN (?, ?)"
    await write('polls', held, job, running)
    const entries = (await audited()).length
    await boss.submit(at(job, 'requeue'), {})
    expect(await stateOf('polls', job)).toBe('failed')
    expect(await flashes(boss)).toEqual([
      `error: Could not perform action: The job ${running} is already doing the same work.`,
    ])
    expect(await audited()).toHaveLength(entries)
    await write('polls', 'DELETE FROM job WHERE id = ?', running)
  })

  it('answers a call with its result', async () => {
    const job = await one('polls', { state: 'failed' })
    const call = await boss.call('POST', at(job, 'requeue'), {})
    expect([call.status, await call.json()]).toEqual([
      200,
      { messages: [{ level_tag: 'success', message: `Job ${job} was re-queued.` }], url: at(job) },
    ])
    expect(await flashes(boss)).toEqual([])
  })

  it('is shown as failed if its ledger does not answer', async () => {
    hurry(MAX_LEDGER_WAIT_MS)
    const job = await one('refresh', { state: 'failed' })
    const answer = await askWith({ LEDGER: silent('refresh') }, at(job, 'requeue'), {
      visitor: boss,
      method: 'POST',
      headers: { origin: boss.origin, 'sec-fetch-site': 'same-origin', 'x-csrftoken': boss.csrfToken },
    })
    expect(answer.status).toBe(504)
    expect(await stateOf('refresh', job)).toBe('failed')
  })
})
