import { desc, eq, inArray, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { constant, type Database, orNull, query, read, readTogether, type RowOf, template } from '../../db/query.ts'
import {
  classAlert,
  contact,
  delivery,
  deliveryAlert,
  discordServer,
  listing,
  opening,
  recipient,
  school,
  schoolTerm,
  section,
  sectionGroup,
  serverCourse,
  canBeMessaged,
} from '../../db/schema/index.ts'
import { iso, isoOrNull } from '../../lib/time.ts'
import { isFairTurns } from '../alerts/fair-turns.ts'
import { observedAtOf } from '../courses/observed-at.ts'
import { linkFields, sectionLink } from '../courses/section-link.ts'
import { courseSectionOf, detailedFields, joinSource, seatsLeft, shownNumber } from '../courses/section-row.ts'
import { isLinkAlive, isLinkCode, isSentToContact } from '../deliveries/link-code.ts'
import { isTermOpen, isWatched } from '../watches/add-watched-section.ts'
import type { AlertLinkProps } from './contract.ts'

const findAlerts = (code: string, now: number) =>
  template(
    {
      delivery_id: delivery.id,
      poll_id: delivery.pollId,
      recipient_id: delivery.recipientId,
      contact_id: orNull(contact.id),
      channel: delivery.channel,
      opted_out_at: contact.optedOutAt,
      kind: classAlert.kind,
      seen_open_at: opening.seenOpenAt,
      last_closed_at: opening.lastClosedAt,
      is_watched: isWatched(classAlert.recipientId, classAlert.sectionId),
      can_be_messaged:
        sql`EXISTS (SELECT 1 FROM ${contact} JOIN ${recipient} ON ${recipient.id} = ${contact.recipientId}
        WHERE ${contact.recipientId} = ${classAlert.recipientId} AND ${canBeMessaged})`.mapWith(Boolean),
      /** Until when the recipient paused messages, ms since epoch; null if they are not paused. */
      paused_until: sql<number | null>`(SELECT iif(${recipient.pausedUntil} > ${now}, ${recipient.pausedUntil}, NULL)
        FROM ${recipient} WHERE ${recipient.id} = ${classAlert.recipientId})`,
      school_id: school.id,
      is_fair: isFairTurns.mapWith(Boolean),
      ...linkFields,
      ...detailedFields,
      is_term_open: isTermOpen(now),
      is_term_over: sql`${schoolTerm.endsAt} <= ${now}`.mapWith(Boolean),
    },
    (columns) => sql`SELECT ${columns} FROM ${delivery}
      JOIN ${deliveryAlert} ON ${deliveryAlert.deliveryId} = ${delivery.id}
      JOIN ${classAlert} ON ${classAlert.id} = ${deliveryAlert.alertId}
      JOIN ${opening} ON ${opening.id} = ${classAlert.openingId}
      JOIN ${section} ON ${section.id} = ${classAlert.sectionId} ${joinSource}
      LEFT JOIN ${contact} ON ${isSentToContact}
      WHERE ${delivery.linkCode} = ${code} AND ${isLinkAlive(now)}
      ORDER BY ${classAlert.id} LIMIT 100`,
  )

/** One alert of the message behind the link, with its section as it is now. */
export type LinkRow = ReturnType<typeof eachOnce>[number]

/** The alerts behind a link, in one round trip; none when it is malformed, unknown or too old. */
export async function findLink(db: Database, code: string, now: number): Promise<LinkRow[]> {
  if (!isLinkCode(code)) return []
  const rows = await read(db, findAlerts(code, now))
  return eachOnce(rows)
}

/** The most servers looked at for all classes of one message. */
const MAX_SERVERS = 50

/** The listed public Discord servers of a message's courses, those with the most members first. */
const findServers = (code: string) =>
  query
    .select({
      course_id: serverCourse.courseId,
      id: discordServer.id,
      name: sql<string>`coalesce(nullif(${discordServer.customTitle}, ''), ${discordServer.name})`.as('server_name'),
      members: discordServer.memberCount,
    })
    .from(serverCourse)
    .innerJoin(discordServer, eq(discordServer.id, serverCourse.serverId))
    .innerJoin(listing, sql`${listing.serverId} = ${serverCourse.serverId} AND ${listing.schoolId} = 0`)
    .where(
      sql`NOT ${listing.isPrivate} AND ${inArray(
        serverCourse.courseId,
        query
          .select({ id: section.courseId })
          .from(delivery)
          .innerJoin(deliveryAlert, eq(deliveryAlert.deliveryId, delivery.id))
          .innerJoin(classAlert, eq(classAlert.id, deliveryAlert.alertId))
          .innerJoin(section, eq(section.id, classAlert.sectionId))
          .where(eq(delivery.linkCode, code)),
      )}`,
    )
    .orderBy(desc(discordServer.memberCount), discordServer.id)
    .limit(MAX_SERVERS)

export type ClassServer = RowOf<ReturnType<typeof findServers>>

/** The most sections looked at for all classes of one message. */
const MAX_SECTIONS = 100
/** The most shown for one class. */
const MAX_OF_CLASS = 3

const full = alias(section, 'full_section')

/** Free sections of the same course, term and component; the latest read first, then those with most seats. */
const findOtherSections = (code: string) =>
  template(
    {
      beside_id: full.id,
      number: shownNumber,
      section_code: section.section,
      instruction: section.instructionList,
      seats: seatsLeft,
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
      ORDER BY observed_at DESC, seats DESC, number LIMIT ${constant(MAX_SECTIONS)}`,
  )

export type OtherSection = RowOf<ReturnType<typeof findOtherSections>>

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
    findServers(code),
    findOtherSections(code),
  )
  const beside = [...Map.groupBy(others, ({ beside_id }) => beside_id)]
  return {
    rows: eachOnce(rows),
    // The largest comes first, so it is set last.
    servers: new Map(servers.toReversed().map((server) => [server.course_id, server])),
    others: new Map(beside.map(([id, sections]) => [id, sections.slice(0, MAX_OF_CLASS)])),
  }
}

/** A section with both an opening and a reminder is listed once. */
function eachOnce(rows: readonly RowOf<ReturnType<typeof findAlerts>>[]) {
  const bySection = new Map(rows.map((row) => [row.section_id, row]))
  return Array.from(bySection.values(), (row) => ({ ...row, section: courseSectionOf(row, row.source_kind) }))
}

/** The page data of a message's link. */
export function alertLinkProps(rows: readonly LinkRow[], canPush: boolean): AlertLinkProps {
  return {
    alerts: rows.map((row) => {
      const { section } = row
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
