import { desc, type SQL, sql } from 'drizzle-orm'
import { pageOffset, prepared, template, parameter } from '../../db/query.ts'
import { foldedText, wordTable } from '../../db/search-words.ts'
import { contact, course, recipient, school, schoolTerm, section, sectionGroup, watch } from '../../db/schema/index.ts'
import { isCurrentOf, observedAtOf, statusNowOf } from '../courses/observed-at.ts'

const isOutdated = sql`NOT ${isCurrentOf(observedAtOf(section, sectionGroup), parameter('now'))}`

/** The filters of the page. */
export const pageFilters = {
  /** Joins a section with what `isMet` asks. */
  join: sql`JOIN ${sectionGroup} ON ${sectionGroup.id} = ${section.groupId}
    JOIN ${schoolTerm} ON ${schoolTerm.id} = ${section.schoolTermId}`,
  /** Whether a section meets them all, by the status that the page shows; every section meets a null one. */
  isMet: sql`((${parameter('status')} IS NULL
      OR iif(${isOutdated}, 'unknown', ${statusNowOf(section)}) = ${parameter('status')})
    AND (${parameter('school_id')} IS NULL OR ${schoolTerm.schoolId} = ${parameter('school_id')})
    AND (${parameter('term_id')} IS NULL OR ${schoolTerm.termId} = ${parameter('term_id')}))`,
}

export const RECIPIENTS_PER_PAGE = 25

/** The text in which a recipient is searched. A device's address is random and not shown, so its name is searched. */
const textOfRecipient = sql`${recipient.name} || ' ' || ${recipient.description}
  || ' ' || coalesce((SELECT group_concat(iif(${contact.kind} = 'push', ${contact.device}, ${contact.address}), ' ') FROM ${contact} WHERE ${contact.recipientId} = ${recipient.id}), '')
  || ' ' || coalesce((SELECT group_concat(${course.code} || ' ' || ${course.level} || ' ' || ${course.code} || ${course.level}
      || ' ' || ${course.title} || ' ' || ${section.topic} || ' ' || ${section.sectionKey} || ' ' || ${school.name}, ' ')
    FROM ${watch} JOIN ${section} ON ${section.id} = ${watch.sectionId} JOIN ${course} ON ${course.id} = ${section.courseId}
    JOIN ${schoolTerm} ON ${schoolTerm.id} = ${section.schoolTermId} JOIN ${school} ON ${school.id} = ${schoolTerm.schoolId}
    WHERE ${watch.recipientId} = ${recipient.id} AND ${watch.archivedAt} IS NULL), '')`

/** @param text what is searched @param candidates a condition on the recipients that are searched */
const findPage = (text: SQL, candidates: SQL) =>
  template(
    { id: recipient.id, total: sql<number>`(SELECT count(*) FROM found)` },
    (columns) => sql`WITH ${wordTable},
      written AS MATERIALIZED (SELECT ${recipient.id} AS id, ${text} AS text FROM ${recipient}${candidates}),
      folded AS MATERIALIZED (SELECT id, ${foldedText(sql`text`)} AS text FROM written),
      found AS MATERIALIZED (
        SELECT folded.id FROM folded
        WHERE (SELECT count(DISTINCT word.place) FROM word WHERE instr(folded.text, word.spelling) > 0) = ${parameter('count')})
      SELECT ${columns} FROM found CROSS JOIN ${recipient} ON ${recipient.id} = found.id
      ORDER BY ${desc(recipient.id)} LIMIT ${sql.raw(String(RECIPIENTS_PER_PAGE))}
      OFFSET ${pageOffset(RECIPIENTS_PER_PAGE, parameter('page'), sql`(SELECT count(*) FROM found)`)}`,
  )

/** A page of recipients in whose fields every word occurs, newest first; the last page when it is past the end. */
export const searchRecipients = prepared(() => findPage(textOfRecipient, sql``))

/** The same, of the recipients who watch a section that meets the filters. */
export const searchFilteredRecipients = prepared(() =>
  findPage(
    sql`iif(${parameter('count')} = 0, '', ${textOfRecipient})`,
    sql` WHERE ${recipient.id} IN (SELECT ${watch.recipientId} FROM ${watch}
      CROSS JOIN ${section} ON ${section.id} = ${watch.sectionId} ${pageFilters.join}
      WHERE ${watch.archivedAt} IS NULL AND ${pageFilters.isMet})`,
  ),
)
