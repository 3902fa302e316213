import { Hono } from 'hono'
import { requireSuperuser } from '../accounts/roles.ts'
import { findJob } from '../jobs/ledgers.ts'
import { showPage } from '../web/page.tsx'
import { notThere } from '../web/refusal.ts'
import type { SiteEnv } from '../web/site.ts'
import { wantsJson } from '../web/wants-json.ts'
import { jobAnswer } from './job-answer.ts'
import { JobPage } from './pages/job.tsx'

export const scheduler = new Hono<SiteEnv>()

scheduler.use('*', requireSuperuser({ area: 'scheduler' }))

scheduler.get('/jobs/:job_name/', async (c) => {
  const record = await findJob(c.env, c.req.param('job_name'))
  if (!record) throw notThere('There is no job of this name.')
  const job = jobAnswer(record)
  if (wantsJson(c)) return c.json(job)
  return showPage(c, { page: 'Job', title: job.id, props: { job }, body: <JobPage job={job} /> })
})
