import * as z from 'zod/mini'
import { CourseSection, School, SeatChange } from '../courses/contract.ts'

/** A watched section also carries its school and its last week. */
export const WatchedSection = z.extend(CourseSection, {
  school: School,
  link: z.nullable(z.string()),
  history: z.array(SeatChange),
  /** Present only in lists, where the last read is too old to be shown as current. */
  is_old: z.optional(z.literal(true)),
})
export type WatchedSection = z.infer<typeof WatchedSection>

export const GetWatchedSections = z.object({ watched_sections: z.array(WatchedSection) })
export type GetWatchedSections = z.infer<typeof GetWatchedSections>

export const AddWatchedSection = z.object({
  added_section: WatchedSection,
  /** A warning for staff, e.g. that the recipient cannot be reached. */
  warnings: z.array(z.string()),
})
export type AddWatchedSection = z.infer<typeof AddWatchedSection>

export const Done = z.object({ is_success: z.boolean(), message: z.string() })
export type Done = z.infer<typeof Done>
