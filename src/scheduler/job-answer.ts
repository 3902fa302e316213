import type { JobRecord } from '../jobs/job.ts'
import type { Job } from './contract.ts'

/** A job as it is told outside. */
export function jobAnswer(record: JobRecord): Job {
  return {
    id: record.id,
    name: record.name,
    queue: record.queue,
    status: record.state,
    progress: record.progress,
    result: record.result,
    error: record.error,
  }
}
