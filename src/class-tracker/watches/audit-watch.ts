import { sql } from 'drizzle-orm'
import type { Query } from '../../db/query.ts'
import { course, recipient, section, watch } from '../../db/schema/index.ts'
import { type Actor, auditRows } from '../../web/audit.ts'
import { sectionName } from '../courses/section-row.ts'

/** Which recipient watches which section. */
export interface WatchScope {
  recipientId: number
  sectionId: number
}

/** The audit entry of a watch that was just added by the statement before, or is about to be removed. */
export function auditWatch(
  actor: Actor,
  act: 'added' | 'deleted',
  { recipientId, sectionId }: WatchScope,
  at: number,
): Query {
  const isAdded = act === 'added'
  const state = sql`json_object('recipient_id', ${watch.recipientId}, 'section_id', ${watch.sectionId})`
  const nothing = sql`NULL`
  return auditRows(
    actor,
    { act, area: 'class_tracker', table: 'watch' },
    sql`SELECT ${watch.id} AS row_key,
        ${recipient.name} || ': ' || ${sectionName} AS title,
        ${isAdded ? nothing : state} AS before, ${isAdded ? state : nothing} AS after
      FROM ${watch} JOIN ${recipient} ON ${recipient.id} = ${watch.recipientId}
      JOIN ${section} ON ${section.id} = ${watch.sectionId} JOIN ${course} ON ${course.id} = ${section.courseId}
      WHERE ${watch.recipientId} = ${recipientId} AND ${watch.sectionId} = ${sectionId} ${isAdded ? sql`AND changes() > 0` : sql``}`,
    at,
  )
}
