import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ledgerOf, waitForJob } from '../../src/jobs/ledgers.ts'
import type { ConfirmProps, JobListProps } from '../../src/scheduler/contract.ts'
import { site, type Visitor } from '../worker/visitor.ts'
import { rows } from '../worker/rows.ts'
import { until } from '../worker/world.ts'
import { audited, flashes, one, operator, put, stateOf, write } from '../worker/job-fixtures.ts'

let boss: Visitor

beforeAll(async () => {
  boss = await operator('olga')
  await Promise.all((['polls', 'refresh', 'alerts'] as const).map((queue) => ledgerOf(env, queue).pause(null)))
})

// Ignores notices of an earlier test.
beforeEach(async () => {
  await flashes(boss)
})

/** Submits a form with repeated fields. */
function send(path: string, fields: [string, string][], headers: Record<string, string> = {}): Promise<Response> {
  return boss.fetch(path, {
    method: 'POST',
    headers: { origin: site, 'sec-fetch-site': 'same-origin', accept: 'text/html', ...headers },
    body: new URLSearchParams([['csrf_token', boss.csrfToken], ...fields]),
  })
}
const chosen = (field: string, jobs: readonly string[]) => jobs.map((job): [string, string] => [field, job])
const failedList = '/scheduler/queues/polls/failed/jobs'
const confirmation = '/scheduler/queues/polls/confirm-action/'
const actions = '/scheduler/queues/polls/actions/'

describe('selected jobs', () => {
  it('are listed by name for confirmation, with a way back to the list', async () => {
    const jobs = await put('polls', 3, { state: 'failed' })
    const answer = await send(confirmation, [['action', 'requeue'], ...chosen('_selected_action', jobs)], {
      referer: `${site}${failedList}?q=a`,
    })
    const { html, data } = await boss.read<ConfirmProps>(answer)
    expect(data).toMatchObject({
      page: 'ConfirmAction',
      props: { action: 'requeue', job_names: jobs, next_url: `${failedList}?q=a` },
    })
    expect(html).toContain('Are you sure you want to requeue the 3 selected jobs of polls?')
    for (const job of jobs) expect(html).toContain(`<input type="hidden" name="job_names" value="${job}"/>`)
    expect(html).toContain(`<input type="hidden" name="action" value="requeue"/>`)
    expect(html).toContain(`<input type="hidden" name="next_url" value="${failedList}?q=a"/>`)
    expect(html).toContain(`action="${actions}"`)
    expect(await stateOf('polls', jobs[0] ?? '')).toBe('failed')
    const single = await boss.read(
      await send(confirmation, [['action', 'delete'], ...chosen('_selected_action', jobs.slice(0, 1))]),
    )
    expect(single.html).toContain('delete the 1 selected job of polls?')
  })

  it.each([
    ['delete', 'failed', null, ['success: You have successfully deleted 2 jobs.']],
    ['requeue', 'failed', 'queued', ['success: You have successfully re-queued 2/2 jobs.']],
    ['cancel', 'scheduled', 'canceled', ['success: You have successfully canceled 2 jobs.']],
    [
      'stop',
      'started',
      'started',
      ['success: You have successfully stopped 2 jobs. Each ends at its next checkpoint.'],
    ],
  ] as const)('are acted on: %s', async (action, state, after, messages) => {
    const jobs = await put('polls', 2, { state })
    const fields: [string, string][] = [['action', action], ...chosen('job_names', jobs), ['next_url', failedList]]
    const response = await send(actions, fields)
    expect([response.status, response.headers.get('location')]).toEqual([303, failedList])
    expect(await flashes(boss)).toEqual([...messages])
    expect(await stateOf('polls', jobs[1] ?? '')).toBe(after)
    const past = { delete: 'deleted', requeue: 're-queued', cancel: 'canceled', stop: 'stopped' }[action]
    expect((await audited()).at(-1)).toEqual({ who: 'olga', act: past, table_name: 'job', row_key: '' })
    expect((await ledgerOf(env, 'polls').audit(null, 1))[0]).toMatchObject({ who: 'olga', act: action, jobs: 2 })
  })

  it('that are running are asked to stop instead of canceled, and counted separately', async () => {
    const waiting = await put('polls', 2)
    const running = await put('polls', 2, { state: 'started' })
    const ended = await one('polls', { state: 'finished' })
    await send(actions, [['action', 'cancel'], ...chosen('job_names', [...waiting, ...running, ended])])
    expect(await flashes(boss)).toEqual([
      'success: You have successfully canceled 2 jobs.',
      'success: 2 running jobs stop at their next checkpoints.',
      'warning: 1 job was not canceled (deleted, changed since, or in a state that does not allow it).',
    ])
    expect([await stateOf('polls', waiting[0] ?? ''), await stateOf('polls', running[0] ?? '')]).toEqual([
      'canceled',
      'started',
    ])
    await send(actions, [['action', 'cancel'], ...chosen('job_names', running.slice(0, 1))])
    expect(await flashes(boss)).toEqual(['success: 1 running job stops at its next checkpoint.'])
  })

  it('are left alone if a colleague has changed them since the question', async () => {
    const [kept = '', requeued = ''] = await put('polls', 2, { state: 'failed' })
    const selected: [string, string][] = [['action', 'delete'], ...chosen('_selected_action', [kept, requeued])]
    const { html } = await boss.read(await send(confirmation, selected))
    const [, at = ''] = /name="at" value="(\d+)"/.exec(html) ?? []
    await scheduler.wait(2)
    await ledgerOf(env, 'polls').act('requeue', requeued, 'ada')
    await send(actions, [['action', 'delete'], ['at', at], ...chosen('job_names', [kept, requeued])])
    expect(await flashes(boss)).toEqual([
      'success: You have successfully deleted 1 job.',
      'warning: 1 job was not deleted (deleted, changed since, or in a state that does not allow it).',
    ])
    expect([await stateOf('polls', kept), await stateOf('polls', requeued)]).toEqual([null, 'queued'])
  })

  it('are counted with singular and refusals', async () => {
    await send(actions, [['action', 'delete'], ...chosen('job_names', [await one('polls', { state: 'failed' })])])
    expect(await flashes(boss)).toEqual(['success: You have successfully deleted 1 job.'])
    const running = await one('polls', { state: 'started' })
    const failed = await one('polls', { state: 'failed' })
    await send(actions, [['action', 'requeue'], ...chosen('job_names', [running, failed, failed, 'nothing'])])
    expect(await flashes(boss)).toEqual([
      'success: You have successfully re-queued 1/3 jobs.',
      'warning: 2 jobs were not re-queued (deleted, changed since, in a state that does not allow it, or done by another job now).',
    ])
    const entries = (await audited()).length
    await send(actions, [['action', 'delete'], ...chosen('job_names', [running])])
    expect(await flashes(boss)).toEqual([
      'warning: 1 job was not deleted (deleted, changed since, or in a state that does not allow it).',
    ])
    expect(await audited()).toHaveLength(entries)
  })

  it('are not re-queued while another job does their work', async () => {
    const jobs = await put('polls', 2, { state: 'failed' })
    const running = await one('polls', { state: 'started' })
    const held = "UPDATE job SET exclusive_name = 'poll:of-all', when_held = 'skip' WHERE id IN (?, ?, ?)"
    await write('polls', held, running, ...jobs)
    await send(actions, [['action', 'requeue'], ...chosen('job_names', jobs)])
    expect(await flashes(boss)).toEqual([
      'warning: 2 jobs were not re-queued (deleted, changed since, in a state that does not allow it, or done by another job now).',
    ])
    expect(await stateOf('polls', jobs[0] ?? '')).toBe('failed')
    await write('polls', 'DELETE FROM job WHERE id = ?', running)
  })

  it('are all named in the audit, however many they are', async () => {
    const jobs = await put('polls', 500, { state: 'failed', task: 'a-task-with-quite-a-long-name' })
    await send(actions, [['action', 'delete'], ...chosen('job_names', jobs)])
    const entries = await rows<{ after: string }>(
      "SELECT after FROM audit WHERE area = 'scheduler' AND title = '500 jobs of polls'",
    )
    const named = entries.flatMap(({ after }) => (JSON.parse(after) as { jobs: string[] }).jobs)
    expect(named.toSorted()).toEqual(jobs.toSorted())
  })

  it('of another queue are ignored', async () => {
    const elsewhere = await one('refresh', { state: 'failed' })
    await send(actions, [['action', 'delete'], ...chosen('job_names', [elsewhere])])
    expect(await stateOf('refresh', elsewhere)).toBe('failed')
  })

  it('must be neither none nor too many', async () => {
    const none = await send(confirmation, [['action', 'delete']])
    expect([none.status, none.headers.get('location')]).toEqual([303, '/scheduler/queues/polls/queued/jobs'])
    expect(await flashes(boss)).toEqual(['warning: Select at least one job first.'])
    await send(actions, [['action', 'delete']])
    expect(await flashes(boss)).toEqual(['warning: Select at least one job first.'])
    const many = Array.from({ length: 501 }, (_, index) => `sample-${index}`)
    expect((await send(actions, [['action', 'delete'], ...chosen('job_names', many)])).status).toBe(422)
    expect((await send(confirmation, [['action', 'delete'], ...chosen('_selected_action', many)])).status).toBe(422)
    expect((await send(actions, chosen('job_names', ['x'.repeat(70_000)]))).status).toBe(413)
  })

  it.each(['', 'enqueue', 'Delete', 'constructor'])('reject the action "%s"', async (action) => {
    const fields: [string, string][] = [
      ['action', action],
      ['job_names', 'x'],
      ['_selected_action', 'x'],
    ]
    expect((await send(actions, fields)).status).toBe(400)
    expect((await send(confirmation, fields)).status).toBe(400)
  })

  it.each([
    'https://evil.example/scheduler/queues/',
    '//evil.example/scheduler/queues/',
    '/\\evil.example',
    '/scheduler/queues/../../\\evil.example',
    'scheduler/queues/',
    'javascript:alert(1)',
    '/scheduler/nowhere/',
    '/scheduler/queues/nothing/failed/jobs',
    '/scheduler/queues/polls/failed/empty/',
    '/nowhere',
    '/class_tracker/nowhere/',
    '/classcords/ajax/select-school',
    '/%73cheduler/queues/polls/failed/empty/',
    ' /scheduler/queues/',
    '/scheduler/queues/%0d%0aset-cookie:x/failed/jobs',
  ])('never lead to %s', async (next) => {
    const job = await one('polls', { state: 'failed' })
    const fields: [string, string][] = [
      ['action', 'delete'],
      ['next_url', next],
      ['job_names', job],
      ['_selected_action', job],
    ]
    const answer = await send(actions, fields, { accept: 'application/json' })
    expect([answer.status, await answer.json()]).toEqual([400, ['Bad followup URL']])
    expect((await send(confirmation, fields)).status).toBe(400)
    expect(await stateOf('polls', job)).toBe('failed')
  })

  it.each(['/', '/admin/', '/class_tracker/class_alerts?page=2', '/classcords/', '/scheduler/', '/scheduler/workers'])(
    'lead to %s, a page of this site',
    async (next) => {
      const job = await one('polls', { state: 'failed' })
      const fields: [string, string][] = [
        ['action', 'delete'],
        ['next_url', next],
        ['job_names', job],
      ]
      const answer = await send(actions, fields)
      expect([answer.status, answer.headers.get('location')]).toEqual([303, next])
    },
  )

  it('never redirect to another site', async () => {
    const job = await one('polls', { state: 'failed' })
    const answer = await send(
      actions,
      [
        ['action', 'delete'],
        ['job_names', job],
      ],
      { referer: 'https://evil.example/scheduler/queues/' },
    )
    expect(answer.headers.get('location')).toBe('/scheduler/queues/polls/queued/jobs')
  })

  it('show odd names as text', async () => {
    const odd = '"><script>alert(1)</script>'
    const { html } = await boss.read(
      await send(confirmation, [
        ['action', 'delete'],
        ['_selected_action', odd],
      ]),
    )
    expect(html).not.toContain('<script>alert')
    expect(html).toContain('value="&quot;&gt;&lt;script&gt;')
  })
})

/** The field of a question that says when it was asked; jobs of the next millisecond are later. */
async function askedAt(path: string): Promise<[string, string]> {
  const { html } = await boss.see(path)
  const [, at = ''] = /<input type="hidden" name="at" value="(\d+)"\/>/.exec(html) ?? []
  await until(
    async () => Date.now(),
    (now) => now > Number(at),
    'time goes on',
  )
  return ['at', at]
}

describe('a whole list', () => {
  const at = (registry: string, action: string, query = '') =>
    `/scheduler/queues/refresh/${registry}/${action}/${query}`
  const total = async (registry: 'failed' | 'finished' | 'canceled' | 'scheduled') =>
    (await ledgerOf(env, 'refresh').list({ registry })).total

  beforeEach(async () => {
    const ledger = ledgerOf(env, 'refresh')
    await ledger.bulk({ act: 'stop', filter: { registry: 'active' }, by: null })
    for (const registry of ['failed', 'finished', 'canceled', 'scheduled', 'queued'] as const)
      await ledger.bulk({ act: 'delete', filter: { registry }, by: null })
  })

  it('is shown for confirmation with its count and its first twenty jobs', async () => {
    await put('refresh', 60, { state: 'finished' })
    const { html, data } = await boss.see<ConfirmProps>(at('finished', 'empty'))
    expect(data).toMatchObject({
      page: 'ConfirmAction',
      props: { action: 'empty', next_url: '/scheduler/queues/refresh/finished/jobs' },
    })
    expect(data.props.job_names).toHaveLength(20)
    expect(html).toContain('Are you sure you want to delete 60 jobs: all finished jobs of refresh?')
    expect(html).toContain(`action="${at('finished', 'empty')}"`)
    expect(await total('finished')).toBe(60)
  })

  it('can be emptied', async () => {
    await put('refresh', 60, { state: 'finished' })
    const kept = await one('refresh', { state: 'failed' })
    const response = await send(at('finished', 'empty'), [])
    expect([response.status, response.headers.get('location')]).toEqual([
      303,
      '/scheduler/queues/refresh/finished/jobs',
    ])
    expect(await flashes(boss)).toEqual([
      'success: You have successfully cleared the queue refresh: 60 jobs deleted from finished.',
    ])
    expect([await total('finished'), await stateOf('refresh', kept)]).toEqual([0, 'failed'])
    expect((await audited()).at(-1)).toEqual({ who: 'olga', act: 'deleted', table_name: 'queue', row_key: 'refresh' })
    await send(at('failed', 'empty'), [])
    expect(await flashes(boss)).toEqual([
      'success: You have successfully cleared the queue refresh: 1 job deleted from failed.',
    ])
  })

  it('of failed jobs can be re-queued', async () => {
    const jobs = await put('refresh', 3, { state: 'failed' })
    await send(at('failed', 'requeue'), [])
    expect(await flashes(boss)).toEqual(['success: You have successfully re-queued 3 jobs.'])
    expect(await stateOf('refresh', jobs[0] ?? '')).toBe('queued')
  })

  it('is changed only where the search matches', async () => {
    await put('refresh', 2, { state: 'failed', error: 'left alone' })
    await put('refresh', 3, { state: 'failed', error: 'the network broke' })
    const asked = await boss.see<ConfirmProps>(at('failed', 'delete', '?q=network&age=1h'))
    expect(asked.html).toContain('delete 3 jobs: all that match the search among the failed jobs of refresh?')
    expect(asked.data.props.next_url).toBe('/scheduler/queues/refresh/failed/jobs?q=network&age=1h')
    expect(asked.html).toContain(`action="${at('failed', 'delete', '?q=network&amp;age=1h')}"`)
    const response = await send(at('failed', 'empty', '?q=network&age=1h'), [])
    expect(response.headers.get('location')).toBe('/scheduler/queues/refresh/failed/jobs?q=network&age=1h')
    expect(await flashes(boss)).toEqual(['success: You have successfully deleted 3 jobs.'])
    expect(await total('failed')).toBe(2)
  })

  it('is counted as its list is, also where only the newest jobs were searched', async () => {
    await put('refresh', 30, { state: 'failed', error: 'the network broke' })
    const question = async (q: string) => (await boss.see(at('failed', 'delete', `?q=${q}`))).html
    expect(await question('network')).toContain('delete 30 jobs: all that match the search among the failed jobs')
    expect(await question('nothing')).toContain('delete 0 jobs: all that match')
    await put('refresh', 5000, { state: 'failed' })
    await put('refresh', 2, { state: 'failed', error: 'the disk broke' })
    expect(await question('disk')).toContain('delete at least 2 jobs: all that match')
    expect(await question('network')).toContain(
      'None of the newest failed jobs of refresh match the search. Are you sure you want to delete all older ones that do?',
    )
    await write('refresh', 'DELETE FROM job')
  })

  it('can be canceled by a search, and stopped', async () => {
    const jobs = await put('refresh', 2, { input: { school: 'harbor' } })
    await one('refresh')
    await send(at('scheduled', 'cancel', '?q=harbor'), [])
    expect(await flashes(boss)).toEqual(['success: You have successfully canceled 2 jobs.'])
    expect(await stateOf('refresh', jobs[0] ?? '')).toBe('canceled')
    expect(await total('scheduled')).toBe(1)
    const running = await one('refresh', { state: 'started' })
    await send(at('active', 'stop'), [])
    expect(await flashes(boss)).toEqual([
      'success: You have successfully stopped 1 job. Each ends at its next checkpoint.',
    ])
    expect((await ledgerOf(env, 'refresh').get(running))?.stop_asked).toBe(true)
    await send(at('active', 'cancel'), [])
    expect(await flashes(boss)).toEqual(['success: 1 running job stops at its next checkpoint.'])
  })

  it.each([
    ['failed', 'explode'],
    ['finished', 'requeue'],
    ['active', 'empty'],
    ['queued', 'constructor'],
  ])('%s/%s is not an action, and leads back', async (registry, action) => {
    const back = `/scheduler/queues/refresh/${registry}/jobs?q=a`
    for (const answer of [await boss.get(at(registry, action, '?q=a')), await send(at(registry, action, '?q=a'), [])]) {
      expect([answer.status, answer.headers.get('location')]).toEqual([302, back])
    }
    expect(await flashes(boss)).toContain(`warning: This cannot be done with all ${registry} jobs.`)
  })

  it('by age keeps the period that the question was about', async () => {
    const [counted] = await put('refresh', 1, { state: 'failed' })
    const asked = await askedAt(at('failed', 'delete', '?age=15m'))
    const [later] = await put('refresh', 1, { state: 'failed' })
    await send(at('failed', 'delete', '?age=15m'), [asked])
    expect([await stateOf('refresh', counted ?? ''), await stateOf('refresh', later ?? '')]).toEqual([null, 'failed'])
  })

  it.each(['delete', 'requeue'])('is changed as it was when the question was asked: %s', async (action) => {
    const [shown] = await put('refresh', 1, { state: 'failed' })
    const [waiting] = await put('refresh', 1)
    const asked = await askedAt(at('failed', action))
    await put('refresh', 2, { state: 'failed' })
    await write('refresh', "UPDATE job SET state = 'failed', ended_at = ? WHERE id = ?", Date.now(), waiting ?? '')
    await send(at('failed', action), [asked])
    expect((await flashes(boss))[0]).toMatch(action === 'delete' ? /deleted 1 job\.$/ : /re-queued 1 job\.$/)
    expect(await stateOf('refresh', shown ?? '')).toBe(action === 'delete' ? null : 'queued')
    expect([await total('failed'), await stateOf('refresh', waiting ?? '')]).toEqual([3, 'failed'])
  })

  it('is a 404 in an unknown queue or registry', async () => {
    expect((await boss.get('/scheduler/queues/nothing/failed/empty/')).status).toBe(404)
    expect((await send('/scheduler/queues/refresh/deferred/empty/', [])).status).toBe(404)
  })
})

describe('jobs of messages', () => {
  const again =
    'Alerts and account emails that are not sent yet are queued again within a few minutes. To stop them, pause the queue.'
  const ofAlerts = (registry: string, action: string) => `/scheduler/queues/alerts/${registry}/${action}/`

  it('are said to come back before they are canceled or deleted', async () => {
    const jobs = await put('alerts', 3)
    for (const action of ['cancel', 'empty'])
      expect((await boss.see(ofAlerts('scheduled', action))).html).toContain(again)
    const fields = [['action', 'cancel'] as [string, string], ...chosen('_selected_action', jobs)]
    expect((await boss.read(await send('/scheduler/queues/alerts/confirm-action/', fields))).html).toContain(again)
    expect((await boss.see(`/scheduler/jobs/${jobs[0]}/delete/`)).html).toContain(again)
    await ledgerOf(env, 'alerts').bulk({ act: 'delete', filter: { registry: 'scheduled' }, by: null })
  })

  it('are not if they have ended, are requeued, or belong to another queue', async () => {
    await put('alerts', 1, { state: 'finished' })
    await put('alerts', 1, { state: 'failed' })
    const [poll] = await put('polls', 1)
    for (const path of [
      ofAlerts('finished', 'empty'),
      ofAlerts('failed', 'requeue'),
      `/scheduler/jobs/${poll}/cancel/`,
    ])
      expect((await boss.see(path)).html).not.toContain(again)
    for (const registry of ['finished', 'failed'] as const)
      await ledgerOf(env, 'alerts').bulk({ act: 'delete', filter: { registry }, by: null })
  })
})

describe('an action of more than one turn', () => {
  const seeList = async () => (await boss.see<JobListProps>('/scheduler/queues/alerts/failed/jobs')).data.props

  it('continues in the background and shows its progress until it is done', async () => {
    await ledgerOf(env, 'maintenance').pause(null)
    const jobs = await put('alerts', 1200, { state: 'failed' })
    const asked = await boss.see('/scheduler/queues/alerts/failed/requeue/')
    expect(asked.html).toContain('requeue 1,200 jobs: all failed jobs of alerts?')
    expect(asked.html).toContain(
      'A large change is finished only after the queue maintenance is resumed, which is paused now.',
    )
    await send('/scheduler/queues/alerts/failed/requeue/', [])
    expect(await flashes(boss)).toEqual([
      'warning: This is a large change, so it is finished only after the queue maintenance is resumed, which is paused now. Progress is shown here.',
    ])
    const under = await seeList()
    const [later] = await put('alerts', 1, { state: 'failed' })
    expect(under.running).toEqual({
      job: expect.stringMatching(/^bulk-act-/),
      done: 0,
      total: 0,
      label: '',
      is_paused: true,
    })
    expect((await boss.see('/scheduler/queues/alerts/failed/jobs')).html).toContain('It is finished only after')
    for (const other of ['alerts/finished', 'polls/failed']) {
      const { data } = await boss.see<JobListProps>(`/scheduler/queues/${other}/jobs`)
      expect(data.props.running, other).toBeNull()
    }
    await ledgerOf(env, 'maintenance').resume(null)
    const done = await until(seeList, ({ running, jobs }) => running === null && jobs.length === 1, 'all are re-queued')
    expect(done.queue.counts.queued).toBe(1200)
    // It failed after the action was asked for.
    expect(await stateOf('alerts', later ?? '')).toBe('failed')
    expect(await stateOf('alerts', jobs[0] ?? '')).toBe('queued')
    const act = await ledgerOf(env, 'maintenance').get(under.running?.job ?? '')
    expect(act).toMatchObject({ state: 'finished', result: { done: 1200, refused: 0 }, asked_by: 'olga' })
  })

  it('resumes where the first turn ended, so that no job is changed twice', async () => {
    const name = 'alerts'
    await ledgerOf(env, name).bulk({ act: 'delete', filter: { registry: 'failed' }, by: null })
    await put(name, 505, { state: 'failed', error: 'the TÜRSTEHER said no' })
    await send(`/scheduler/queues/${name}/failed/delete/?q=${encodeURIComponent('TÜRSTEHER')}`, [])
    expect((await flashes(boss))[0]).toContain('it continues in the background')
    const { jobs } = await ledgerOf(env, 'maintenance').list({ task: 'bulk-act', size: 1 })
    const act = await waitForJob(env, jobs[0]?.id ?? '', 60_000)
    expect(act).toMatchObject({ state: 'finished', result: { done: 505, refused: 0 } })
    expect((await ledgerOf(env, name).audit(null, 1))[0]).toMatchObject({ who: 'olga', act: 'delete', jobs: 505 })
  })
})
