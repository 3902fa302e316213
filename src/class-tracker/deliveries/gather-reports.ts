import { orWarn } from '../../lib/fallbacks.ts'
import { recordSmsReports, type SmsReport } from './record-sms-report.ts'

/** Reports that arrive within this time, in ms, are written together. */
const GATHER_MS = 50
const MAX_REPORTS = 100
/** No report joins an older group, in ms: the request that should have written it must have been cut off. */
const MAX_OPEN_MS = 500
/** A report that the group's request has not written after this time, in ms, is written by its own request. */
const MAX_WAIT_MS = 3000

interface Group {
  reports: SmsReport[]
  opened_at: number
  /** Resolves to false if they could not be written together. Never rejects. */
  areWritten: Promise<boolean>
}

/** This isolate's group that still accepts reports. */
let open: Group | null = null

/**
 * Joins reports that arrive at about the same time: a provider sends two for each of thousands of messages. Rejects
 * when it could not be written.
 * @param waitUntil keeps a request that writes the reports of others running
 */
export async function recordWithOthers(
  db: D1Database,
  report: SmsReport,
  waitUntil: (promise: Promise<unknown>) => void,
): Promise<void> {
  const group = joinGroup(db, report, waitUntil)
  const isWritten = await Promise.race([group.areWritten, scheduler.wait(MAX_WAIT_MS).then(() => false)])
  if (!isWritten) await writeReports(db, [report])
}

function joinGroup(db: D1Database, report: SmsReport, waitUntil: (promise: Promise<unknown>) => void): Group {
  const now = Date.now()
  if (open !== null && open.reports.length < MAX_REPORTS && now - open.opened_at < MAX_OPEN_MS) {
    open.reports.push(report)
    return open
  }
  const reports = [report]
  const areWritten = writeSoon(db, reports)
  waitUntil(areWritten)
  open = { reports, opened_at: now, areWritten }
  return open
}

async function writeSoon(db: D1Database, reports: SmsReport[]): Promise<boolean> {
  await scheduler.wait(GATHER_MS)
  if (open?.reports === reports) open = null
  const areWritten = writeReports(db, reports).then(() => true)
  return orWarn(areWritten, { event: 'reports_not_written_together', reports: reports.length }, false)
}

/** Logs one line for all of them. */
async function writeReports(db: D1Database, reports: SmsReport[]): Promise<void> {
  const startedAt = Date.now()
  await recordSmsReports(db, reports, startedAt)
  console.log({ event: 'sms_reports', reports: reports.length, ms: Date.now() - startedAt })
}
