import { and, asc, eq, gt, sql } from 'drizzle-orm'
import { names, query, readFirst, readTogether, template, writeTogether } from '../../db/query.ts'
import { emailAddress, opening, section, sectionGroup, sourceNotice, user } from '../../db/schema/index.ts'
import { staffMail } from '../../accounts/mails/mails.ts'
import { enqueueMails, prepareMail } from '../../accounts/mails/prepare-mail.ts'
import { counted } from '../../lib/text.ts'
import { o, s } from '../aliases.ts'
import { HOUR_MS } from '../../lib/time.ts'

/** What staff should know about a source. One notice of a kind is open at a time; a newer one replaces its text. */
interface StaffNotice {
  kind: 'mass_opening' | 'second_look_off'
  body: string
}

interface NamedSource {
  id: number
  name: string
}

/** The most superusers who get the email. */
const MAX_MAILS = 50
/** A notice of the same kind this soon after the last is not mailed again, in ms. */
const MAIL_PAUSE_MS = HOUR_MS

/** What a second read of some groups has shown. */
interface SecondRead {
  /** Sections recorded as opened: a run may have died after recording them. */
  confirmed: number
  /** Groups that were not read again. */
  unread: number
}

/** More sections seemed to open than is plausible, and a second read has shown which did. */
export function massOpening(
  source: NamedSource,
  { found, watched, at, confirmed, unread }: SecondRead & { found: number; watched: number; at: number },
): StaffNotice {
  const outcome =
    confirmed === 0
      ? `${unread > 0 ? 'It could not be read a second time' : 'A second read did not confirm it'}, and no one was notified.`
      : `A second read confirmed ${counted(confirmed, 'opening')}, and the people waiting were notified.`
  const when = new Date(at).toISOString().slice(0, 16).replace('T', ' ')
  return {
    kind: 'mass_opening',
    body: `${source.name}: at ${when} UTC ${found} of ${counted(watched, 'watched section')} seemed to open at once. ${outcome}`,
  }
}

/** What was recorded about groups since `at` (ms since epoch). */
export async function readSecondReads(db: D1Database, groupIds: readonly number[], at: number): Promise<SecondRead> {
  const ids = sql`json_each(${JSON.stringify(groupIds)}) g`
  const row = await readFirst(
    db,
    template(
      {
        confirmed: sql<number>`(SELECT count(DISTINCT ${s.id}) FROM ${ids}
          CROSS JOIN ${section} ${s} INDEXED BY section_watched ON ${s.groupId} = g.value AND ${s.watchCount} > 0
          CROSS JOIN ${opening} ${o} ON ${o.sectionId} = ${s.id} AND ${o.seenOpenAt} >= ${at} AND ${o.lastClosedAt} IS NOT NULL)`,
        unread: sql<number>`(SELECT count(*) FROM ${ids}
          JOIN ${sectionGroup} ON ${sectionGroup.id} = g.value AND coalesce(${sectionGroup.readAt}, 0) < ${at})`,
      },
      (columns) => sql`SELECT ${columns}`,
    ),
  )
  return row ?? { confirmed: 0, unread: 0 }
}

/** The second look was overruled by the list so often that the look itself must be wrong. */
export function secondLookOff(source: NamedSource): StaffNotice {
  return {
    kind: 'second_look_off',
    body: `${source.name}: openings are no longer double-checked before a message. Five times in a row the double-check contradicted the school's list for three rounds. Compare a section with the school's own page, then turn on “Double-check openings” in the admin.`,
  }
}

/** Stores and emails a notice. Never rejects, because its subject is already recorded. @param now ms since epoch */
export async function notifyStaff(env: Env, source: NamedSource, notice: StaffNotice, now: number): Promise<void> {
  try {
    const isSame = and(eq(sourceNotice.sourceId, source.id), eq(sourceNotice.kind, notice.kind))
    const [recent, staff] = await readTogether(
      env.DB,
      query
        .select({ id: sourceNotice.id })
        .from(sourceNotice)
        .where(and(isSame, gt(sourceNotice.createdAt, now - MAIL_PAUSE_MS)))
        .limit(1),
      query
        .select({ id: user.id, address: emailAddress.address })
        .from(user)
        .innerJoin(emailAddress, sql`${emailAddress.userId} = ${user.id} AND ${emailAddress.isPrimary}`)
        // Literal, as in the index of superusers: with a parameter SQLite would not use it.
        .where(sql`${user.isSuperuser} AND ${user.isActive} AND ${emailAddress.verifiedAt} IS NOT NULL`)
        .orderBy(asc(user.id))
        .limit(MAX_MAILS),
    )
    const mail = staffMail(notice.body)
    const people = recent.length > 0 ? [] : staff
    const mails = await Promise.all(
      people.map(({ id, address }) => prepareMail(env, { kind: 'staff_notice', address, userId: id, mail }, now)),
    )
    const { kind, body } = notice
    await writeTogether(env.DB, [
      query
        .insert(sourceNotice)
        .values({ sourceId: source.id, kind, body, createdAt: now })
        .onConflictDoUpdate({
          target: [sourceNotice.sourceId, sourceNotice.kind],
          targetWhere: sql`${names(sourceNotice.dismissedAt)} IS NULL`,
          set: { body, createdAt: now },
        }),
      ...mails.map(({ statement }) => statement),
    ])
    await enqueueMails(env, mails)
  } catch (error) {
    console.error({ event: 'staff_not_notified', kind: notice.kind, source_id: source.id, error: String(error) })
  }
}
