import type { Schedule } from '../../jobs/job.ts'
import { orWarn } from '../../lib/fallbacks.ts'
import { withTimeout, isoOrNull } from '../../lib/time.ts'
import { reportSchedules, runSchedule } from '../../jobs/schedules.ts'
import { actorOf } from '../../web/audit.ts'
import type { Message } from '../../lib/contract.ts'
import type { SiteContext } from '../../web/site.ts'
import { noteAct } from '../answer-act.ts'
import { askLedger, MAX_LEDGER_WAIT_MS } from '../ask-ledgers.ts'
import type { ScheduleRow } from '../contract.ts'

export const scheduleActs = ['run', 'enable', 'disable'] as const
type ScheduleAct = (typeof scheduleActs)[number]

const pastOf: Readonly<Record<ScheduleAct, string>> = { run: 'ran', enable: 'turned on', disable: 'turned off' }

/** The table of schedules. They are listed even when their ledger does not answer. */
export async function readSchedules(env: Env, schedules: readonly Schedule[]): Promise<ScheduleRow[]> {
  const asked = withTimeout(reportSchedules(env, schedules), MAX_LEDGER_WAIT_MS)
  const reports = await orWarn(asked, { event: 'schedules_unknown' }, null)
  if (reports === null)
    return schedules.map(({ name, every }) => {
      return { name, every, is_known: false, is_enabled: true, last_run_at: null, next_run_at: null, last_error: null }
    })
  return reports.map((report) => ({
    ...report,
    is_known: true,
    last_run_at: isoOrNull(report.last_run_at),
    next_run_at: isoOrNull(report.next_run_at),
  }))
}

/** Runs a schedule now, or turns it on or off. @throws upstreamError when its ledger does not answer */
export async function actOnSchedule(c: SiteContext, schedule: Schedule, act: ScheduleAct): Promise<Message> {
  const by = actorOf(c).who
  const { name } = schedule
  const why =
    act === 'run'
      ? await runSchedule(c.env, schedule, by)
      : await askLedger(c.env, 'maintenance', (ledger) => ledger.setSchedule(name, act === 'enable', by))
  if (why !== '') return { level_tag: 'error', message: `Could not perform action: ${why}` }
  await noteAct(c, { act: pastOf[act], table: 'schedule', key: name, title: name })
  return { level_tag: 'success', message: messageOf[act](name) }
}

const messageOf: Readonly<Record<ScheduleAct, (name: string) => string>> = {
  run: (name) => `${name} ran. If anything was due, its jobs are in the queues.`,
  enable: (name) => `${name} is turned on.`,
  disable: (name) => `${name} is off until you turn it on.`,
}
