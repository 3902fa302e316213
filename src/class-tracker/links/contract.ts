import * as z from 'zod/mini'
import { Moment } from '../../web/contract.ts'
import { CourseSection, School, SectionStatus } from '../courses/contract.ts'

/** The page of one message's link, for anyone who has it. `now` is what is currently known about the section. */
export const AlertLinkProps = z.object({
  alerts: z.array(
    z.object({
      course_section: z.extend(CourseSection, { school: School }),
      kind: z.enum(['opening', 'reminder']),
      opened_at: Moment,
      now: z.object({
        status: SectionStatus,
        seats_available: z.nullable(z.number()),
        observed_at: z.nullable(Moment),
      }),
      register_url: z.nullable(z.string()),
    }),
  ),
  can_push: z.boolean(),
})
export type AlertLinkProps = z.infer<typeof AlertLinkProps>
