import { desc, eq, inArray, sql } from 'drizzle-orm'
import { query } from '../../db/query.ts'
import {
  classAlert,
  delivery,
  deliveryAlert,
  discordServer,
  listing,
  section,
  serverCourse,
} from '../../db/schema/index.ts'

/** The most servers looked at for all classes of one message. */
const MAX_SERVERS = 50

/** A listed public Discord server of a class. */
export interface ClassServer {
  id: number
  name: string
  members: number
}

/** The public servers for the courses that a link's message is about, those with the most members first. */
export const findClassServers = (code: string) =>
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

/** The largest server of each course. */
export function largestOfEach(servers: readonly (ClassServer & { course_id: number })[]): Map<number, ClassServer> {
  return new Map(servers.toReversed().map((server) => [server.course_id, server]))
}
