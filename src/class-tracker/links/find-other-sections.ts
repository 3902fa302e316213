import { sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { type RowOf, template } from '../../db/query.ts'
import { classAlert, delivery, deliveryAlert, section, sectionGroup } from '../../db/schema/index.ts'
import { observedAtOf } from '../courses/observed-at.ts'
import { shownNumber } from '../courses/section-number.ts'

/** The most sections looked at for all classes of one message. */
const MAX_SECTIONS = 100
/** The most shown for one class. */
const MAX_OF_CLASS = 3

const full = alias(section, 'w')

/** Free sections of the same course, term and component; the latest read first, then those with most seats. */
export const findOtherSections = (code: string) =>
  template(
    {
      beside_id: full.id,
      number: shownNumber,
      section_code: section.section,
      instruction: section.instructionList,
      seats: section.seatsAvailable,
      observed_at: observedAtOf(section, sectionGroup),
    },
    (columns) => sql`SELECT DISTINCT ${columns} FROM ${delivery}
      JOIN ${deliveryAlert} ON ${deliveryAlert.deliveryId} = ${delivery.id}
      JOIN ${classAlert} ON ${classAlert.id} = ${deliveryAlert.alertId}
      JOIN ${section} ${full} ON ${full.id} = ${classAlert.sectionId} AND ${full.status} IN ('waitlisted', 'closed')
      JOIN ${section} INDEXED BY section_course ON ${section.courseId} = ${full.courseId}
        AND ${section.schoolTermId} = ${full.schoolTermId} AND ${section.component} = ${full.component}
        AND ${section.status} = 'open' AND ${section.missingSince} IS NULL AND ${section.unknownSince} IS NULL
      JOIN ${sectionGroup} ON ${sectionGroup.id} = ${section.groupId}
      WHERE ${delivery.linkCode} = ${code}
      ORDER BY observed_at DESC, seats DESC, number LIMIT ${sql.raw(String(MAX_SECTIONS))}`,
  )

export type OtherSection = RowOf<ReturnType<typeof findOtherSections>>

/** The first few alternatives for each section, by its id. */
export function firstBesideEach(others: readonly OtherSection[]): Map<number, OtherSection[]> {
  const beside = Map.groupBy(others, ({ beside_id }) => beside_id)
  return new Map([...beside].map(([id, sections]) => [id, sections.slice(0, MAX_OF_CLASS)]))
}
