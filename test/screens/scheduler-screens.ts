import { setFault } from '../browser/sections.ts'
import { knownSubject } from '../browser/seed.ts'
import { addJobs, harmless } from '../browser/seed-jobs.ts'
import type { App } from '../browser/app.ts'
import type { Screen } from './screen.ts'

const queues = '/scheduler/queues/'

/** A job that takes a while: a slow school's refresh of all sections. */
async function beginJob(app: App): Promise<string> {
  const { school, term } = knownSubject(app)
  await setFault(app, school, 'slow')
  const idOf = async (query: string, name: string) => (await app.sql<{ id: number }>(query, name))[0]?.id
  const input = {
    school_id: await idOf('SELECT id FROM school WHERE name = ?', school),
    term_id: await idOf('SELECT id FROM term WHERE full_term_name = ?', term),
    subject_id: 0,
    by: 'admin',
  }
  const [name = ''] = await addJobs(app, 'refresh', { task: 'refresh-sections', input, count: 1 })
  const ledger = await app.ledger('refresh')
  for (let turns = 0; turns < 10; turns += 1) {
    const job = await ledger.wait(name, 2000)
    if (job && job.progress.done > 0) break
  }
  return name
}

async function newest(app: App, registry: 'failed' | 'finished' | 'scheduled'): Promise<string> {
  const { jobs } = await (await app.ledger('maintenance')).list({ registry, page: 1, size: 1 })
  const [job] = jobs
  if (!job) throw new Error(`No job is ${registry}.`)
  return `/scheduler/jobs/${encodeURIComponent(job.id)}/`
}

const at = (name: string, path: Screen['path'], more: Partial<Screen> = {}): Screen => ({
  name: `scheduler/${name}`,
  role: 'staff',
  path,
  ...more,
})
const listOf = (queue: string, registry: string, search = ''): string => `${queues}${queue}/${registry}/jobs${search}`

export const schedulerScreens: readonly Screen[] = [
  at('queues', queues, { prepare: beginJob }),
  at('failed', listOf('maintenance', 'failed')),
  at('chosen', listOf('maintenance', 'failed'), {
    async act({ page }) {
      await page.getByRole('checkbox', { name: 'Select all jobs on this page' }).check()
      await page.getByText(/jobs? selected/).waitFor()
    },
  }),
  at('question before a pause', `${queues}alerts/pause/`),
  at('queued', listOf('polls', 'queued')),
  at('scheduled', listOf('maintenance', 'scheduled')),
  at('finished', listOf('maintenance', 'finished')),
  at('nothing', listOf('maintenance', 'failed', '?q=nothing+at+all')),
  at('empty', listOf('alerts', 'failed')),
  at('job failed', (app) => newest(app, 'failed')),
  at('job finished', (app) => newest(app, 'finished')),
  at('job scheduled', (app) => newest(app, 'scheduled')),
  at('job running', async (app) => `/scheduler/jobs/${encodeURIComponent(await beginJob(app))}/`),
  at('workers', '/scheduler/workers/?gone=1'),
  at('worker', async (app) => {
    const [worker] = await (await app.ledger('maintenance')).workers(true)
    return `/scheduler/workers/${worker?.name ?? ''}/`
  }),
  at('settings', `${queues}maintenance/settings/`),
  at('audit', '/scheduler/audit/'),
  at('not found', '/scheduler/jobs/no-such-job/'),
]

/** Jobs in every state: failed for two reasons, finished, canceled, scheduled, and waiting in a paused queue. */
export async function seedJobs(app: App): Promise<void> {
  const maintenance = await app.ledger('maintenance')
  const ended = async (jobs: readonly string[]): Promise<void> => {
    for (const name of jobs) await maintenance.wait(name, 20_000)
  }
  await ended(await addJobs(app, 'maintenance', { ...harmless, count: 9 }))
  const unknown = {
    task: 'bulk-act',
    input: { year: 2019, note: 'x'.repeat(300) },
  }
  await ended(await addJobs(app, 'maintenance', { ...unknown, count: 4 }))
  const limit = { attempts: 1, run_seconds: 20, retry_seconds: [] }
  const later = [2, 60, 60 * 30].map((minutes) => ({
    task: harmless.task,
    input: '{}',
    limit,
    at: Date.now() + minutes * 60_000,
  }))
  const [, canceled] = await maintenance.enqueue(later)
  await maintenance.act('cancel', canceled?.id ?? '', null)
  const polls = await app.ledger('polls')
  await polls.pause(null)
  await addJobs(app, 'polls', { task: 'poll-source', input: { source_id: 1 }, count: 27 })
}
