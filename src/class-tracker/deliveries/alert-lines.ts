import * as z from 'zod/mini'
import type { AlertLine } from '../../notify/compose.ts'
import { linkColumns, type LinkRow, sectionLink } from '../courses/section-link.ts'

/** One alert of a delivery, with its section as it is now. */
export interface AlertRow extends LinkRow {
  delivery_id: number
  section_id: number
  /** What is believed of the section now. */
  status: string
  kind: string
  code: string
  level: string
  title: string
  topic: string
  section: string
  instruction_list: string
  seats_available: number | null
  school: string
}

/**
 * The alerts of deliveries that somebody still waits for: not canceled, and the section still watched.
 * @param which a condition on the delivery's id `l.delivery_id`, with one parameter
 */
export function alertRows(db: D1Database, which: string, value: string | number): D1PreparedStatement {
  return db
    .prepare(
      `SELECT l.delivery_id, a.section_id, s.status, a.kind, c.code, c.level, c.title, s.topic, s.section, s.section_key, s.instruction_list,
         s.seats_available, h.name AS school, ${linkColumns}
       FROM delivery_alert l
       JOIN class_alert a ON a.id = l.alert_id AND a.canceled_at IS NULL
       JOIN watch w ON w.recipient_id = a.recipient_id AND w.section_id = a.section_id AND w.archived_at IS NULL
       JOIN section s ON s.id = a.section_id
       JOIN course c ON c.id = s.course_id
       JOIN school_term st ON st.id = s.school_term_id
       JOIN school h ON h.id = st.school_id
       JOIN source o ON o.id = h.source_id
       WHERE ${which} ORDER BY a.id`,
    )
    .bind(value)
}

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
