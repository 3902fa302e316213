import * as z from 'zod'
import { Job, registryNames } from '../contract.ts'

/** ISO 8601 in UTC. */
const Moment = z.iso.datetime()

/** A row of a list, as a frame brings it. */
const LiveJob = z.object({
  name: z.string(),
  queue: z.string(),
  task: z.string(),
  status: z.string(),
  created_at: Moment,
  due_at: Moment,
  queued_at: Moment.nullable(),
  started_at: Moment.nullable(),
  ended_at: Moment.nullable(),
  attempt: z.number(),
  worker: z.string().nullable(),
  progress: Job.shape.progress,
  error: z.string().nullable(),
  arguments: z.string(),
})

/** What a socket says, at most twice a second: only what changed. */
export const LiveFrame = z.object({
  at: Moment,
  queue: z.object({
    name: z.string(),
    counts: z.record(z.enum(registryNames), z.number()),
    oldest_queued_at: Moment.nullable(),
    workers: z.number(),
    paused: z.boolean(),
    paused_at: Moment.nullable(),
    paused_by: z.string().nullable(),
    last_tick_at: Moment.nullable(),
  }),
  /** Changed jobs that are in the list now (for a queue: the newest that failed; for a job: itself), newest first. */
  jobs: z.array(LiveJob),
  /** Changed jobs that are not in the list now; without a status they are gone. */
  left: z.array(z.object({ name: z.string(), status: z.string().nullable() })),
  /** Changed jobs beyond those: the page is to be loaded anew. */
  more: z.number(),
  /** The newest lines of the watched job, oldest first. */
  lines: z.array(z.object({ at: Moment, line: z.string() })),
})
export type LiveFrame = z.infer<typeof LiveFrame>
