import { eq, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { kept, query, type RowOf } from '../../db/query.ts'
import {
  classAlert,
  course,
  delivery,
  deliveryAlert,
  school,
  schoolTerm,
  section,
  source,
  watch,
} from '../../db/schema/index.ts'
import type { AlertLine } from '../../notify/compose.ts'
import { linkFields, sectionLink } from '../courses/section-link.ts'

/** The alerts of deliveries that somebody still waits for: not canceled, and the section still watched. */
function alertsWhere(condition: SQL) {
  return query
    .select({
      delivery_id: deliveryAlert.deliveryId,
      section_id: classAlert.sectionId,
      /** What is believed of the section now. */
      status: section.status,
      kind: classAlert.kind,
      code: course.code,
      level: course.level,
      title: course.title,
      topic: section.topic,
      section: section.section,
      instruction_list: section.instructionList,
      seats_available: section.seatsAvailable,
      school: school.name,
      ...linkFields,
    })
    .from(deliveryAlert)
    .innerJoin(classAlert, sql`${classAlert.id} = ${deliveryAlert.alertId} AND ${classAlert.canceledAt} IS NULL`)
    .innerJoin(
      watch,
      sql`${watch.recipientId} = ${classAlert.recipientId} AND ${watch.sectionId} = ${classAlert.sectionId}
        AND ${watch.archivedAt} IS NULL`,
    )
    .innerJoin(section, eq(section.id, classAlert.sectionId))
    .innerJoin(course, eq(course.id, section.courseId))
    .innerJoin(schoolTerm, eq(schoolTerm.id, section.schoolTermId))
    .innerJoin(school, eq(school.id, schoolTerm.schoolId))
    .innerJoin(source, eq(source.id, school.sourceId))
    .where(condition)
    .orderBy(classAlert.id)
}

/** The alerts of the delivery `id`. */
export const findAlertsOfDelivery = kept(() => alertsWhere(eq(deliveryAlert.deliveryId, sql.placeholder('id'))))

/** The alerts of all deliveries in the request `key`. */
export const findAlertsOfBatch = kept(() =>
  alertsWhere(sql`${deliveryAlert.deliveryId} IN (
    SELECT ${delivery.id} FROM ${delivery} WHERE ${delivery.batchKey} = ${sql.placeholder('key')})`),
)

/** One alert of a delivery, with its section as it is now. */
export type AlertRow = RowOf<ReturnType<typeof findAlertsOfDelivery>>

/** Whether the seat may still be there: what is not known now was open when the alert was made. */
export function isStillOpen({ status }: AlertRow): boolean {
  return status === 'open' || status === 'unknown'
}

const instructionList = z.catch(z.array(z.object({ name: z.string(), days_times: z.string() })), [])

/** One line a section, however many of its alerts the delivery carries; an opening outranks a reminder. */
export function alertLines(rows: readonly AlertRow[]): AlertLine[] {
  const bySection = Map.groupBy(rows, (row) => row.section_id)
  return [...bySection.values()].flatMap((alerts) => {
    const [row] = alerts
    if (!row) return []
    const instructions = instructionList.parse(JSON.parse(row.instruction_list))
    return {
      kind: alerts.some((alert) => alert.kind === 'opening') ? ('opening' as const) : ('reminder' as const),
      code: row.code,
      level: row.level,
      topic: row.topic === '' ? row.title : row.topic,
      instructors: different(instructions.map(({ name }) => name)),
      days_times: different(instructions.map(({ days_times }) => days_times)),
      seats_available: row.seats_available,
      link: sectionLink(row),
      school: row.school,
      section: row.section,
      number: row.section_key,
    }
  })
}

function different(texts: string[]): string[] {
  return [...new Set(texts.filter((text) => text !== ''))]
}
