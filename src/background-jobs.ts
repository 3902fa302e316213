import { deleteOldAccountData, scheduleDeleteOldAccountData } from './accounts/delete-old-account-data.ts'
import { scheduleMail, sendAccountEmail } from './accounts/mails/send-account-email.ts'
import { sendDelivery } from './class-tracker/deliveries/send-delivery.ts'
import { sendAlertEmails } from './class-tracker/deliveries/send-alert-emails.ts'
import { pollSource } from './class-tracker/polling/poll-source.ts'
import { schedulePolls } from './class-tracker/polling/schedule-polls.ts'
import { refreshSections } from './class-tracker/refresh/refresh-sections.ts'
import { refreshSubjects } from './class-tracker/refresh/refresh-subjects.ts'
import { refreshTerms } from './class-tracker/refresh/refresh-terms.ts'
import { scheduleRefresh } from './class-tracker/refresh/schedule-refresh.ts'
import { deleteOldAlerts, scheduleDeleteOldAlerts } from './class-tracker/retention/delete-old-alerts.ts'
import { archiveWatches, scheduleArchive } from './class-tracker/watches/archive-watches.ts'
import { sendNotice } from './class-tracker/deliveries/report-change.ts'
import { scheduleSweep, sweepAlerts } from './class-tracker/deliveries/sweep-alerts.ts'
import { checkInvites, scheduleChecks } from './classcords/health/check-invites.ts'
import { scheduleTidying, tidyDirectory } from './classcords/health/tidy-directory.ts'
import { refreshInstructors, scheduleInstructors } from './classcords/schools/refresh-instructors.ts'
import { bulkAct } from './jobs/bulk.ts'
import type { AnyJob, Schedule } from './jobs/job.ts'
import { tickLedgers } from './jobs/ledgers.ts'
import { planSchedules } from './jobs/schedules.ts'

export const jobs: AnyJob[] = [
  pollSource,
  refreshTerms,
  refreshSubjects,
  refreshSections,
  sendDelivery,
  sendAlertEmails,
  sendAccountEmail,
  deleteOldAccountData,
  sweepAlerts,
  // What released texts before it did: such jobs may still be due after a deployment.
  { ...sweepAlerts, name: 'release-waiting-texts' },
  sendNotice,
  archiveWatches,
  deleteOldAlerts,
  checkInvites,
  refreshInstructors,
  tidyDirectory,
  bulkAct,
]

/** The schedules that the cron checks every minute. */
export const schedules: Schedule[] = [
  schedulePolls,
  scheduleSweep,
  scheduleRefresh,
  scheduleArchive,
  scheduleDeleteOldAlerts,
  scheduleMail,
  scheduleDeleteOldAccountData,
  scheduleChecks,
  scheduleInstructors,
  scheduleTidying,
]

/** Runs one minute of the cron: each schedule plans what is due, then the ledgers maintain their jobs. */
export async function runCron(env: Env, scheduledTime: number): Promise<void> {
  await planSchedules(env, schedules, scheduledTime - (scheduledTime % 60_000))
  await tickLedgers(env)
}
