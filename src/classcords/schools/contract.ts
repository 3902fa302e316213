import * as z from 'zod/mini'

/* Not in the contract of pages and calls: the Worker parses these from the database at run time. */
const Named = z.object({ id: z.number(), name: z.string() })
export type Named = z.infer<typeof Named>

export const School = Named
export type School = z.infer<typeof School>

export const Subject = Named
export type Subject = z.infer<typeof Subject>

export const Course = z.object({
  id: z.number(),
  code: z.string(),
  level: z.string(),
  title: z.string(),
  subject: z.string(),
})
export type Course = z.infer<typeof Course>

export const Instructor = Named
export type Instructor = z.infer<typeof Instructor>
