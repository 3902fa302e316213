import * as z from 'zod/mini'

/*
 * What servers and invites are for. The server reads these from the database too; the contract of pages and calls is in another
 * file, because only browsers and tests need its schemas.
 */
export const School = z.object({ id: z.number(), name: z.string() })
export type School = z.infer<typeof School>

export const Subject = z.object({ id: z.number(), name: z.string() })
export type Subject = z.infer<typeof Subject>

export const Course = z.object({
  id: z.number(),
  code: z.string(),
  level: z.string(),
  title: z.string(),
  subject: z.string(),
})
export type Course = z.infer<typeof Course>

export const Instructor = z.object({ id: z.number(), name: z.string() })
export type Instructor = z.infer<typeof Instructor>
