import { app } from './app.tsx'
import { jobs, runCron } from './background-jobs.ts'
import { readSetting } from './db/read-setting.ts'
import { consume } from './jobs/consume.ts'
import { JobRunner } from './jobs/runners.ts'
import { AccountPacer } from './notify/pacer/pacer.ts'
import { whenSetUp } from './web/set-up.ts'

export { Checker } from './classcords/join/invite-checker.ts'
export { Ledger } from './jobs/ledger/index.ts'
export { Limiter } from './web/limits/limiter.ts'

export class Runner extends JobRunner {
  constructor(context: DurableObjectState, env: Env) {
    super(context, env, jobs)
  }
}

export class Pacer extends AccountPacer {
  constructor(context: DurableObjectState, env: Env) {
    super(context, env, (name) => readSetting(env.DB, name))
  }
}

export default {
  fetch: app.fetch,
  scheduled: (controller, env) => whenSetUp(env, () => runCron(env, controller.scheduledTime)),
  queue: (batch, env) => whenSetUp(env, () => consume(batch, env, jobs)),
} satisfies ExportedHandler<Env>
