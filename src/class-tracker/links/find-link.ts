import { sql } from 'drizzle-orm'
import { type Database, read, readTogether, type RowOf, template } from '../../db/query.ts'
import {
  classAlert,
  contact,
  delivery,
  deliveryAlert,
  opening,
  school,
  schoolTerm,
  section,
  source,
} from '../../db/schema/index.ts'
import { DAY_MS, iso, isoOrNull } from '../../lib/time.ts'
import { isFairTurns } from '../alerts/fair-turns.ts'
import { linkFields, sectionLink } from '../courses/section-link.ts'
import { courseSectionOf, detailedFields, joinCourse } from '../courses/section-row.ts'
import { isLinkCode } from '../deliveries/link-code.ts'
import { isTermOpen, isWatched } from '../watches/add-watched-section.ts'
import type { AlertLinkProps } from './contract.ts'
import { type ClassServer, findClassServers, largestOfEach } from './find-class-servers.ts'
import { findOtherSections, firstBesideEach, type OtherSection } from './find-other-sections.ts'

/** How long a link works after its message was written. */
const LINK_LIFE_MS = 30 * DAY_MS

const fields = {
  delivery_id: delivery.id,
  poll_id: delivery.pollId,
  recipient_id: delivery.recipientId,
  contact_id: delivery.contactId,
  channel: delivery.channel,
  address: delivery.address,
  opted_out_at: contact.optedOutAt,
  kind: classAlert.kind,
  seen_open_at: opening.seenOpenAt,
  last_closed_at: opening.lastClosedAt,
  is_watched: isWatched(classAlert.recipientId, classAlert.sectionId),
  school_id: school.id,
  is_fair: isFairTurns.mapWith(Boolean),
  wave: classAlert.wave,
  ...linkFields,
  ...detailedFields,
}

const findAlerts = (code: string, now: number) =>
  template(
    { ...fields, is_term_open: isTermOpen(now) },
    (columns) => sql`SELECT ${columns} FROM ${delivery}
      JOIN ${deliveryAlert} ON ${deliveryAlert.deliveryId} = ${delivery.id}
      JOIN ${classAlert} ON ${classAlert.id} = ${deliveryAlert.alertId}
      JOIN ${opening} ON ${opening.id} = ${classAlert.openingId}
      JOIN ${section} ON ${section.id} = ${classAlert.sectionId} ${joinCourse}
      JOIN ${school} ON ${school.id} = ${schoolTerm.schoolId}
      JOIN ${source} ON ${source.id} = ${school.sourceId}
      LEFT JOIN ${contact} ON ${contact.id} = ${delivery.contactId}
      WHERE ${delivery.linkCode} = ${code} AND ${delivery.createdAt} >= ${now - LINK_LIFE_MS}
      ORDER BY ${classAlert.id} LIMIT 100`,
  )

/** One alert of the message behind the link, with its section as it is now. */
export type LinkRow = RowOf<ReturnType<typeof findAlerts>>

/** The alerts behind a link, in one round trip; none when it is malformed, unknown or too old. */
export async function findLink(db: Database, code: string, now: number): Promise<LinkRow[]> {
  if (!isLinkCode(code)) return []
  const rows = await read(db, findAlerts(code, now))
  return eachOnce(rows)
}

/** The data of a link's page. */
export interface LinkPage {
  rows: LinkRow[]
  /** The Discord server of a class, by the id of its course. */
  servers: ReadonlyMap<number, ClassServer>
  /** Other sections with a seat, by the id of the full section. */
  others: ReadonlyMap<number, readonly OtherSection[]>
}

/** Like {@link findLink}, with the other data that the page shows for each class, also in one round trip. */
export async function findLinkPage(db: Database, code: string, now: number): Promise<LinkPage> {
  if (!isLinkCode(code)) return { rows: [], servers: new Map(), others: new Map() }
  const [rows, servers, others] = await readTogether(
    db,
    findAlerts(code, now),
    findClassServers(code),
    findOtherSections(code),
  )
  return { rows: eachOnce(rows), servers: largestOfEach(servers), others: firstBesideEach(others) }
}

/** A section with both an opening and a reminder is listed once. */
function eachOnce(rows: readonly LinkRow[]): LinkRow[] {
  return [...new Map(rows.map((row) => [row.section_id, row])).values()]
}

/** The page data of a message's link. */
export function alertLinkProps(rows: readonly LinkRow[], canPush: boolean): AlertLinkProps {
  return {
    alerts: rows.map((row) => {
      const section = courseSectionOf(row, row.source_kind)
      const { status, seats_available } = section
      return {
        course_section: { ...section, school: { id: row.school_id, name: row.school_label } },
        kind: row.kind,
        opened_at: iso(row.seen_open_at),
        now: { status, seats_available, observed_at: isoOrNull(row.section_observed_at) },
        register_url: sectionLink(row),
      }
    }),
    can_push: canPush,
  }
}
