import type { AdminChoice } from '../../web/admin-table.ts'
import type { TextCompany, TextSearch } from '../../web/admin-text-table.ts'

/*
 * What several tables of the class tracker have in common.
 */

export const area = 'Class tracker'
export const catalogueArea = 'Course catalogue'

/** Colours as on the pages of the class tracker. */
export const statuses: readonly AdminChoice[] = [
  { value: 'open', label: 'Open', tone: 'open' },
  { value: 'waitlisted', label: 'Waitlisted', tone: 'waitlisted' },
  { value: 'closed', label: 'Closed', tone: 'neutral' },
  { value: 'unknown', label: 'Unknown', tone: 'neutral' },
]

export const channels: readonly AdminChoice[] = [
  { value: 'phone', label: 'SMS' },
  { value: 'email', label: 'Email' },
  { value: 'discord', label: 'Discord' },
]

export const contactKinds: readonly AdminChoice[] = [
  { value: 'phone', label: 'Phone (SMS)' },
  { value: 'email', label: 'Email' },
  { value: 'discord', label: 'Discord webhook' },
]

export const deliveryStates: readonly AdminChoice[] = [
  { value: 'queued', label: 'Queued', tone: 'info' },
  { value: 'sending', label: 'Being sent', tone: 'info' },
  { value: 'unconfirmed', label: 'Unconfirmed', tone: 'waitlisted' },
  { value: 'sent', label: 'Sent', tone: 'open' },
  { value: 'delivered', label: 'Delivered', tone: 'open' },
  { value: 'failed', label: 'Failed', tone: 'danger' },
  { value: 'gone', label: 'Seat gone before it was sent', tone: 'neutral' },
  { value: 'expired', label: 'Too old to send', tone: 'danger' },
  { value: 'canceled', label: 'Canceled', tone: 'neutral' },
]

/** Of rows that hold a `recipient_id` and a `section_id`. */
export const searchByRecipientOrCourse: TextSearch = {
  label: 'Recipient or course (CS 101)',
  contains: [
    '(SELECT r.name FROM recipient r WHERE r.id = t.recipient_id)',
    "(SELECT k.code || ' ' || k.level FROM section s JOIN course k ON k.id = s.course_id WHERE s.id = t.section_id)",
  ],
}

/** From `section s` to its name: course `k`. */
export const sectionJoin = 'LEFT JOIN course k ON k.id = s.course_id'
export const sectionName = "k.code || ' ' || k.level || ' section ' || s.section"

/** Where a section is taught, from `section s`: school `h`, term `e`. */
export const placeJoin = `LEFT JOIN school_term st ON st.id = s.school_term_id LEFT JOIN school h ON h.id = st.school_id
  LEFT JOIN term e ON e.id = st.term_id`

/** The sections that go with what is deleted. `from` ends in a table or alias `s` of sections. */
export const sectionsOf = (from: string, key: string): TextCompany => ({
  label: 'sections',
  from: `${from} JOIN course k ON k.id = s.course_id`,
  key,
  title: sectionName,
})

/** People for whom a section, or all those of `from`, is watched. `from` ends in a table or alias `s` of sections. */
export const watchers = (from: string, key: string): TextCompany => ({
  label: 'watches',
  from: `${from} CROSS JOIN watch w ON w.section_id = s.id AND w.archived_at IS NULL JOIN recipient r ON r.id = w.recipient_id`,
  key,
  title: 'r.name',
  fate: 'these people would no longer be told when a seat opens',
})

/** What people were told of a section, or of all those of `from`, which ends as for {@link watchers}. */
export const alertsAbout = (from: string, key: string): TextCompany => ({
  label: 'alerts',
  from: `${from} CROSS JOIN class_alert a ON a.section_id = s.id JOIN recipient r ON r.id = a.recipient_id`,
  key,
  title: 'r.name',
})

/** More sections than one request can take along with all that hangs on them. */
const mostSections = 20_000

/** Why so much may not be deleted at once, for `refuse`; `from` is what comes after FROM, binding the key. */
export async function refuseLarge(db: D1Database, from: string, key: string | number, name: string): Promise<string[]> {
  const row = await db
    .prepare(`SELECT count(*) AS sections FROM (SELECT 1 FROM ${from} LIMIT ${mostSections + 1})`)
    .bind(key)
    .first<{ sections: number }>()
  if ((row?.sections ?? 0) <= mostSections) return []
  return [`${name} has more than ${mostSections} sections: delete it term by term.`]
}
