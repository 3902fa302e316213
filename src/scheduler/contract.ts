import * as z from 'zod'

/** What a page that follows a job needs to know of it; its name is its id. */
export const Job = z.object({
  id: z.string(),
  name: z.string(),
  queue: z.string(),
  status: z.string(),
  progress: z.object({ done: z.number(), total: z.number(), label: z.string() }),
  result: z.unknown(),
  error: z.string().nullable(),
})
export type Job = z.infer<typeof Job>
