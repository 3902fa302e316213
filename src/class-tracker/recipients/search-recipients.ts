import { desc, type SQL, sql } from 'drizzle-orm'
import { constant, pageOffset, parameter, prepared, template } from '../../db/query.ts'
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

/** What of a recipient is searched. A device's address is random and not shown, so its name is searched. */
const textOfRecipient = sql`${recipient.name} || ' ' || ${recipient.description}
  || ' ' || coalesce((SELECT group_concat(iif(${contact.kind} = 'push', ${contact.device}, ${contact.address}), ' ') FROM ${contact} WHERE ${contact.recipientId} = ${recipient.id}), '')`
const textOfSection = sql`${course.code} || ' ' || ${course.level} || ' ' || ${course.code} || ${course.level}
  || ' ' || ${course.title} || ' ' || ${section.topic} || ' ' || ${section.sectionKey} || ' ' || ${school.name}`

/** The WITH clauses of a table `name` of (id, place): the place of each word that occurs in the text of an `id`. */
const placesIn = (name: string, texts: SQL): SQL => {
  const [written, folded, places] = ['_text', '_folded', ''].map((ending) => sql.raw(name + ending))
  return sql`${written} AS MATERIALIZED (${texts}),
    ${folded} AS MATERIALIZED (SELECT id, ${foldedText(sql`text`)} AS text FROM ${written}),
    ${places} AS MATERIALIZED (
      SELECT DISTINCT id, place FROM ${folded} CROSS JOIN word WHERE instr(text, spelling) > 0)`
}

/** The recipients of whom every word was found, in their own texts or in those of sections that they watch. */
const foundByWords = sql`${wordTable},
  ${placesIn('in_recipient', sql`SELECT ${recipient.id} AS id, ${textOfRecipient} AS text FROM ${recipient}`)},
  ${placesIn(
    'in_section',
    sql`SELECT ${section.id} AS id, ${textOfSection} AS text FROM ${section}
      CROSS JOIN ${course} ON ${course.id} = ${section.courseId}
      CROSS JOIN ${schoolTerm} ON ${schoolTerm.id} = ${section.schoolTermId}
      CROSS JOIN ${school} ON ${school.id} = ${schoolTerm.schoolId}
      WHERE ${section.watchCount} > 0`,
  )},
  by_words AS (
    SELECT id FROM (
      SELECT id, place FROM in_recipient
      UNION SELECT ${watch.recipientId}, place FROM in_section
        CROSS JOIN ${watch} ON ${watch.sectionId} = in_section.id AND ${watch.archivedAt} IS NULL)
    GROUP BY id HAVING count(*) = ${parameter('count')})`

/** The recipients who watch a section that meets the filters. */
const foundByFilters = sql`by_filters AS (
  SELECT DISTINCT ${watch.recipientId} AS id FROM ${section} ${pageFilters.join}
    CROSS JOIN ${watch} ON ${watch.sectionId} = ${section.id} AND ${watch.archivedAt} IS NULL
  WHERE ${section.watchCount} > 0 AND ${pageFilters.isMet})`

/** A page of found recipients, newest first; the last page when it is past the end. @param found a SELECT of ids */
const findPage = (tables: SQL, found: SQL) =>
  template(
    { id: recipient.id, total: sql<number>`(SELECT count(*) FROM found)` },
    (columns) => sql`WITH ${tables}, found AS MATERIALIZED (${found})
      SELECT ${columns} FROM found CROSS JOIN ${recipient} ON ${recipient.id} = found.id
      ORDER BY ${desc(recipient.id)} LIMIT ${constant(RECIPIENTS_PER_PAGE)}
      OFFSET ${pageOffset(RECIPIENTS_PER_PAGE, parameter('page'), sql`(SELECT count(*) FROM found)`)}`,
  )

/** Finds recipients by words, of which each must occur somewhere in their fields. */
export const searchRecipients = prepared(() => findPage(foundByWords, sql`SELECT id FROM by_words`))

/** Finds the recipients who watch a section that meets the filters. */
export const filterRecipients = prepared(() => findPage(foundByFilters, sql`SELECT id FROM by_filters`))

/** Finds recipients by words and filters. The section that meets the filters need not be the one with the words. */
export const searchFilteredRecipients = prepared(() =>
  findPage(sql`${foundByWords}, ${foundByFilters}`, sql`SELECT id FROM by_words INTERSECT SELECT id FROM by_filters`),
)
