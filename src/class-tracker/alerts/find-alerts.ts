import { type SQL, sql } from 'drizzle-orm'
import {
  asJson,
  constant,
  type Filled,
  jsonObject,
  pageOffset,
  parameter,
  prepared,
  type RowOf,
  type RowOfFields,
  template,
} from '../../db/query.ts'
import { foldedText, searchWords, wordTable } from '../../db/search-words.ts'
import {
  classAlert,
  contact,
  course,
  delivery,
  deliveryAlert,
  opening,
  recipient,
  school,
  schoolTerm,
  section,
  source,
  isFailed,
} from '../../db/schema/index.ts'
import type { ContactKind } from '../../lib/contract.ts'
import { joinSource, sectionFields, shownNumber } from '../courses/section-row.ts'

export const ALERTS_PER_PAGE = 50

export interface AlertSearch {
  /** Null for everyone's. */
  recipientId: number | null
  /** Only those with a failed message. */
  isFailedOnly?: boolean
  /** Only those with a message on this channel; with both filters, only those whose message on this channel failed. */
  channel?: ContactKind | null
  /** The search text, as `typedSearch` returns it. */
  q: string
  page: number
}

/** One alert with its section, its recipient and its messages. Times are ms since epoch. */
export type AlertRow = RowOf<ReturnType<typeof findPage>>

/**
 * The query that finds a page of alerts, newest first; the last page if it is past the end; no rows if there are no
 * alerts. Each section and each recipient is searched once, however many alerts there are, and gets a number whose bits
 * say which words it contains; an alert matches if the two numbers together have every bit.
 */
export function findAlerts({
  recipientId,
  isFailedOnly = false,
  channel = null,
  q,
  page,
}: AlertSearch): Filled<AlertRow> {
  const words = searchWords(q)
  const asked = { recipientId, page, failedOnly: Number(isFailedOnly), channel }
  const whose = recipientId === null ? 'everyone' : 'recipient'
  if (words.length === 0) return findPageOf[whose](asked)
  // A number can hold 50 bits exactly.
  return findFoundPageOf[whose]({ ...asked, words: JSON.stringify(words), bits: 2 ** words.length - 1 })
}

const askedChannel = parameter('channel')
const isOfChannel = sql`(${askedChannel} IS NULL OR ${delivery.channel} = ${askedChannel})`
// Failed messages are looked up once, and only if the filter asks for them; those of a channel are looked up for each
// alert.
const isAsked = sql`(${parameter('failedOnly')} = 0 OR ${classAlert.id} IN (
  SELECT ${deliveryAlert.alertId} FROM ${delivery} CROSS JOIN ${deliveryAlert} ON ${deliveryAlert.deliveryId} = ${delivery.id}
  WHERE ${isFailed} AND ${isOfChannel}))
  AND (${askedChannel} IS NULL OR EXISTS (
    SELECT 1 FROM ${deliveryAlert} CROSS JOIN ${delivery} ON ${delivery.id} = ${deliveryAlert.deliveryId}
    WHERE ${deliveryAlert.alertId} = ${classAlert.id} AND ${delivery.channel} = ${askedChannel}))`

/** One statement for everyone's alerts and one for a recipient's, because only the latter uses an index. */
const pagesOf = (matching: (condition: SQL) => Matching) => ({
  everyone: prepared(() => findPage(matching(isAsked))),
  recipient: prepared(() =>
    findPage(matching(sql`${classAlert.recipientId} = ${parameter('recipientId')} AND ${isAsked}`)),
  ),
})
const findPageOf = pagesOf(everyAlert)
const findFoundPageOf = pagesOf(foundAlerts)

/** A SELECT of the alerts' ids, and the WITH clauses it needs. */
interface Matching {
  tables: SQL
  ids: SQL
}

function findPage({ tables, ids }: Matching) {
  const size = constant(ALERTS_PER_PAGE)
  return template(
    {
      id: classAlert.id,
      kind: classAlert.kind,
      created_at: classAlert.createdAt,
      release_at: classAlert.releaseAt,
      canceled_at: classAlert.canceledAt,
      poll_id: classAlert.pollId,
      wave: classAlert.wave,
      last_closed_at: opening.lastClosedAt,
      seen_open_at: opening.seenOpenAt,
      recipient_id: recipient.id,
      recipient_name: recipient.name,
      has_contacts: sql<number>`EXISTS (SELECT 1 FROM ${contact} WHERE ${contact.recipientId} = ${recipient.id})`,
      school_id: school.id,
      school_name: school.name,
      source_kind: source.kind,
      ...sectionFields,
      /** The total number of alerts, the same in every row. */
      total: sql<number>`(SELECT total FROM size)`,
      deliveries: messages,
    },
    (columns) => sql`WITH ${tables}
      matching AS MATERIALIZED (${ids}),
      size AS MATERIALIZED (SELECT count(*) AS total FROM matching),
      page AS MATERIALIZED (
        SELECT id FROM matching ORDER BY id DESC LIMIT ${size}
        OFFSET ${pageOffset(ALERTS_PER_PAGE, parameter('page'), sql`(SELECT total FROM size)`)})
      SELECT ${columns}
      FROM page CROSS JOIN ${classAlert} ON ${classAlert.id} = page.id
      JOIN ${opening} ON ${opening.id} = ${classAlert.openingId}
      JOIN ${recipient} ON ${recipient.id} = ${classAlert.recipientId}
      JOIN ${section} ON ${section.id} = ${classAlert.sectionId} ${joinSource}
      ORDER BY ${classAlert.id} DESC`,
  )
}

/** The device's name, as long as it is a contact. */
const device = sql<string | null>`CASE ${delivery.channel} WHEN 'push'
  THEN (SELECT ${contact.device} FROM ${contact} WHERE ${contact.id} = ${delivery.contactId}) END`

/** Whether sending the `delivery` again would not help: its contact is gone, changed, opted out or unreachable. */
export const isUndeliverable = sql`NOT EXISTS (
  SELECT 1 FROM ${contact} WHERE ${contact.id} = ${delivery.contactId} AND ${contact.address} = ${delivery.address}
    AND ${contact.optedOutAt} IS NULL AND ${contact.undeliverableAt} IS NULL)`
const isFailedForGood = sql<number>`iif(${isFailed}, ${isUndeliverable}, 0)`

/** A message as it is stored: times are ms since epoch, `is_…` is 0 or 1, and the address is not masked. */
const messageFields = {
  id: delivery.id,
  channel: delivery.channel,
  address: delivery.address,
  device,
  state: delivery.state,
  attempts: delivery.attempts,
  is_repeated: sql<number>`${delivery.isRepeated}`,
  last_error: delivery.lastError,
  is_undeliverable: isFailedForGood,
  created_at: delivery.createdAt,
  accepted_at: delivery.acceptedAt,
  delivered_at: delivery.deliveredAt,
  seen_at: delivery.seenAt,
  seen_by: delivery.seenBy,
}
export type DeliveryRow = RowOfFields<typeof messageFields>

const messages = asJson<DeliveryRow[]>(sql`(
  SELECT json_group_array(${jsonObject(messageFields)} ORDER BY ${delivery.id})
  FROM ${deliveryAlert} JOIN ${delivery} ON ${delivery.id} = ${deliveryAlert.deliveryId}
  WHERE ${deliveryAlert.alertId} = ${classAlert.id})`)

function everyAlert(condition: SQL): Matching {
  return { tables: sql``, ids: sql`SELECT ${classAlert.id} AS id FROM ${classAlert} WHERE ${condition}` }
}

/** One bit per word: set when any of its spellings occurs in `text`. At most 50 words fit into a search. */
const foundBits = sql`coalesce((SELECT sum(bit) FROM (
  SELECT DISTINCT 1 << word.place AS bit FROM word WHERE instr(text, word.spelling) > 0)), 0)`

function foundAlerts(condition: SQL): Matching {
  const instructors = sql`(SELECT group_concat(entry.value ->> 'name', ' ') FROM json_each(${section.instructionList}) entry)`
  return {
    tables: sql`${wordTable},
      section_text AS MATERIALIZED (
        SELECT ${section.id} AS id, ${course.code} || ' ' || ${course.level} || ' ' || ${course.code} || ${course.level}
          || ' ' || ${course.title} || ' ' || ${section.topic} || ' ' || coalesce(${instructors}, '')
          || ' ' || ${shownNumber} || ' ' || ${section.section} || ' ' || ${school.name} AS text
        FROM (SELECT DISTINCT ${classAlert.sectionId} AS id FROM ${classAlert} WHERE ${condition}) alerted
        CROSS JOIN ${section} ON ${section.id} = alerted.id JOIN ${course} ON ${course.id} = ${section.courseId}
        JOIN ${schoolTerm} ON ${schoolTerm.id} = ${section.schoolTermId} JOIN ${school} ON ${school.id} = ${schoolTerm.schoolId}),
      section_found AS MATERIALIZED (
        SELECT id, ${foundBits} AS bits FROM (SELECT id, ${foldedText(sql`text`)} AS text FROM section_text)),
      recipient_text AS MATERIALIZED (SELECT ${recipient.id} AS id, ${foldedText(recipient.name)} AS text FROM ${recipient}),
      recipient_found AS MATERIALIZED (SELECT id, ${foundBits} AS bits FROM recipient_text),`,
    ids: sql`SELECT ${classAlert.id} AS id FROM ${classAlert}
      JOIN section_found ON section_found.id = ${classAlert.sectionId}
      JOIN recipient_found ON recipient_found.id = ${classAlert.recipientId}
      WHERE ${condition} AND (section_found.bits | recipient_found.bits) = ${parameter('bits')}`,
  }
}
