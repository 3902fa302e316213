import type {
  JobAction,
  JobListProps,
  JobRow,
  ListSearch,
  RegistryName,
  WorkerRow,
  WorkersProps,
} from '../../../src/scheduler/contract.ts'
import { counted, countText } from '../../components/count-text.ts'
import type { BadgeTone } from '../../components/badge.tsx'
import { searchText } from './addresses.ts'

const stateTones: Record<string, BadgeTone> = {
  scheduled: 'neutral',
  queued: 'waitlisted',
  started: 'info',
  finished: 'done',
  failed: 'danger',
  stopped: 'neutral',
  canceled: 'neutral',
}

/** The color beside a job's state, which is also given as a word. */
export const stateTone = (status: string): BadgeTone => stateTones[status] ?? 'unknown'

/** A worker is not lost: it stopped because there was nothing more to do. */
export const workerStateText = (state: WorkerRow['state']): string => (state === 'gone' ? 'stopped' : state)

export const workerTone = (state: WorkerRow['state']): BadgeTone => (state === 'busy' ? 'info' : 'neutral')

export const registryTitles: Record<RegistryName, string> = {
  queued: 'Queued',
  scheduled: 'Scheduled',
  active: 'Active',
  finished: 'Finished',
  failed: 'Failed',
  canceled: 'Canceled',
}

/** The end of a job's name, which is unique; the part before it is the name of its kind. */
export const shortName = (name: string): string => name.slice(name.lastIndexOf('-') + 1)

export const jobsText = (count: number): string => counted(count, 'job')

/** How long a job ran, or has been running at `now`; null before its start, or if the time is not known yet. */
export function ranFor(row: Pick<JobRow, 'status' | 'started_at' | 'ended_at'>, now: number | null): number | null {
  if (row.started_at === null) return null
  const end = row.ended_at ? Date.parse(row.ended_at) : row.status === 'started' ? now : null
  return end === null ? null : Math.max(0, end - Date.parse(row.started_at))
}

const requeue = { action: 'requeue', label: 'Requeue' } as const
const remove = { action: 'delete', label: 'Delete' } as const
const cancel = { action: 'cancel', label: 'Cancel' } as const

export const selectionActs: Record<RegistryName, { action: Exclude<JobAction, 'enqueue'>; label: string }[]> = {
  scheduled: [cancel, remove],
  queued: [cancel, remove],
  active: [{ action: 'stop', label: 'Stop' }],
  finished: [requeue, remove],
  failed: [requeue, remove],
  canceled: [requeue, remove],
}

/** "3 Tasks Workers", "1 Tasks Worker of polls" */
export const workersTitle = ({ workers, queue }: WorkersProps): string =>
  `${counted(workers.length, 'Tasks Worker')}${queue === null ? '' : ` of ${queue}`}`

/** "12 failed jobs in polls" */
export const listTitle = (count: number, registry: RegistryName, queue: string): string =>
  `${counted(count, `${registry} job`)} in ${queue}`

/** Whether the list shows only some of its jobs. */
export const isNarrowed = (search: ListSearch): boolean => searchText(search) !== ''

/** How many jobs match a search: "7 match of 37", or "7 match among the newest"; '' if there is no search. */
export function matchesText({ queue, registry, matches }: JobListProps): string {
  if (matches === null) return ''
  const found = counted(matches.jobs, 'matches', 'match')
  return matches.is_more ? `${found} among the newest` : `${found} of ${countText(queue.counts[registry])}`
}

export const emptyTexts: Record<RegistryName, string> = {
  scheduled: 'No jobs are scheduled.',
  queued: 'No jobs are waiting.',
  active: 'No jobs are running.',
  finished: 'No finished jobs yet, or they are no longer kept.',
  failed: 'No failures.',
  canceled: 'No canceled jobs.',
}

/** "340 kB", "1.2 GB": in steps of a thousand. */
export function sizeText(bytes: number): string {
  const power = Math.min(3, Math.floor(Math.log10(Math.max(1000, bytes)) / 3))
  const size = bytes / 1000 ** power
  return `${size < 10 ? Number(size.toFixed(1)) : Math.round(size)} ${['', 'kB', 'MB', 'GB'][power]}`
}

const taskTitles: Readonly<Record<string, string>> = {
  'poll-source': 'Check seats',
  'refresh-terms': 'Refresh terms',
  'refresh-subjects': 'Refresh subjects',
  'refresh-sections': 'Refresh sections',
  'send-delivery': 'Send alert',
  'send-alert-emails': 'Send alert emails',
  'send-account-email': 'Send account email',
  'send-notice': 'Send change notice',
  'sweep-alerts': 'Find unsent alerts',
  'release-waiting-texts': 'Send waiting texts',
  'archive-watches': 'Archive watches',
  'delete-old-alerts': 'Delete old alerts',
  'delete-old-account-data': 'Delete old account data',
  'check-invites': 'Check invites',
  'refresh-instructors': 'Refresh instructors',
  'tidy-directory': 'Tidy the directory',
  'bulk-act': 'Change selected jobs',
}

/** What a kind of job does; its internal name if that is not known. */
export const taskTitle = (task: string): string => taskTitles[task] ?? task
