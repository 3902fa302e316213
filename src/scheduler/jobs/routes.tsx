import { jobActionAddress, jobAddress, queuesAddress } from '../../../client/islands/scheduler/addresses.ts'
import { Hono } from 'hono'
import type { JobDetail } from '../../jobs/ledger/views.ts'
import { flash } from '../../web/session/flash.ts'
import { showIsland } from '../../web/page/island.tsx'
import { optionalField } from '../../web/parse.ts'
import { badRequest, notFound } from '../../web/refusal.ts'
import type { SiteContext, SiteEnv } from '../../web/site.ts'
import { wantsJson } from '../../web/wants-json.ts'
import { pathJob, followupOf } from '../path-parts.ts'
import { answerAct } from '../answer-act.ts'
import { askLedger } from '../ask-ledgers.ts'
import { showConfirm } from '../confirm.tsx'
import { joinedNotes, returnNote } from '../notes.ts'
import { sharedRead } from '../shared-read.ts'
import { jobPage, jobProgress } from '../shown-jobs.ts'
import { jobActions, type JobAction } from '../contract.ts'
import { actOnJob } from './job-acts.ts'

export const jobRoutes = new Hono<SiteEnv>()

jobRoutes.get('/jobs/:job_name/', async (c) => {
  const detail = await sharedRead(c, () => findDetail(c))
  if (!detail) return jobIsGone(c)
  // Pages of other areas need only this to follow a job; the job's own page asks for everything.
  if (wantsJson(c) && c.req.query('page') === undefined) return c.json(jobProgress(detail))
  return showIsland(c, 'scheduler/job', { page: 'Job', title: detail.id, props: { job: jobPage(detail) } })
})

jobRoutes.get('/jobs/:job_name/:action/', async (c) => {
  const action = pathAction(c)
  const detail = await findDetail(c)
  if (!detail) return jobIsGone(c)
  return showConfirm(c, {
    title: `${action} ${detail.id}`,
    question: `Are you sure you want to ${action} this job?`,
    // A schedule plans its next job regardless.
    note: joinedNotes(
      action === 'delete' ? 'This cannot be undone. A scheduled job is enqueued again at its next scheduled time.' : '',
      returnNote(detail.queue, action, detail.state),
    ),
    post: jobActionAddress(detail.id, action),
    sendsNames: false,
    props: { action, job_names: [detail.id], next_url: jobAddress(detail.id) },
  })
})

jobRoutes.post('/jobs/:job_name/:action/', async (c) => {
  const action = pathAction(c)
  const { name, queue } = pathJob(c)
  const next = followupOf(c, await optionalField(c, 'next_url'), jobAddress(name))
  const outcome = queue && (await actOnJob(c, queue, { name, action, next }))
  return outcome ? answerAct(c, outcome) : jobIsGone(c)
})

function pathAction(c: SiteContext): JobAction {
  const asked = c.req.param('action')
  const action = jobActions.find((name) => name === asked)
  if (!action) throw badRequest('There is no such action on a job.')
  return action
}

async function findDetail(c: SiteContext): Promise<JobDetail | null> {
  const { name, queue } = pathJob(c)
  return queue && askLedger(c.env, queue, (ledger) => ledger.get(name))
}

function jobIsGone(c: SiteContext): Response {
  if (wantsJson(c)) throw notFound('There is no job with this name.')
  flash(c, 'warning', `Job ${pathJob(c).name} does not exist, maybe its TTL has passed`)
  return c.redirect(queuesAddress, 302)
}
