import { recordSmsReports, type SmsReport } from './record-sms-report.ts'

/** Reports that come within this time of one another are written together, ms. */
const GATHER_MS = 20
const MAX_REPORTS = 100
/** Nobody joins a group that is older than this, ms: what would have written it is gone. */
const MAX_OPEN_MS = 500
/** A report that the others' request did not write by then is written by its own, ms: that request may have been cut off. */
const MAX_WAIT_MS = 3000

/** Reports that one request writes. */
interface Group {
  reports: SmsReport[]
  opened_at: number
  /** False where they could not be written together. Never rejects. */
  areWritten: Promise<boolean>
}

/** The group of this isolate that still takes reports. */
let open: Group | null = null

/**
 * Records a report, with the others that come at about the same time: a provider reports twice on each of thousands of messages.
 * Resolves when it is written; rejects when it could not be.
 * @param waitUntil keeps the request alive that writes for others, though its own caller is gone
 */
export async function recordWithOthers(
  db: D1Database,
  report: SmsReport,
  waitUntil: (promise: Promise<unknown>) => void,
): Promise<void> {
  const group = joinGroup(db, report, waitUntil)
  const isWritten = await Promise.race([group.areWritten, scheduler.wait(MAX_WAIT_MS).then(() => false)])
  if (!isWritten) await recordSmsReports(db, [report], Date.now())
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
  try {
    await recordSmsReports(db, reports, Date.now())
    return true
  } catch (error) {
    console.warn({ event: 'reports_not_written_together', reports: reports.length, error: String(error) })
    return false
  }
}
