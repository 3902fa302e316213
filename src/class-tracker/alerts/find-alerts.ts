import { offsetOf } from '../../db/page-offset.ts'
import { sectionColumns, sectionTables, type SectionRow } from '../courses/section-row.ts'
import { searchWords } from './search-words.ts'

export const alertsAPage = 50

/** One alert with its section, its recipient and its messages (JSON). Times are ms since epoch. */
export interface AlertRow extends SectionRow {
  id: number
  kind: string
  created_at: number
  release_at: number | null
  canceled_at: number | null
  poll_id: string | null
  last_closed_at: number | null
  seen_open_at: number
  recipient_id: number
  recipient_name: string
  school_id: number
  school_name: string
  deliveries: string
  /** Alerts found in all: the same in every row. */
  total: number
}

/** Whose alerts: everybody's, one recipient's, or everybody's where there is no such recipient and nobody's where there is. */
export type AlertScope = { of: 'all' } | { of: 'recipient' | 'all-without'; recipientId: number }

interface AlertSearch {
  scope: AlertScope
  /** As `typedSearch` gives it. */
  q: string
  page: number
}

/**
 * The statement that finds a page of alerts, newest first, the last page when it is past the end; no row when there is none.
 * Texts are searched once a section and once a recipient, whatever the number of alerts; each alert then only joins two
 * numbers, in whose bits is which words were found.
 */
export function findAlerts(db: D1Database, { scope, q, page }: AlertSearch): D1PreparedStatement {
  const words = searchWords(q)
  const search = words.length === 0 ? plain(chosen(scope)) : searched(words, chosen(scope))
  return db
    .prepare(
      `WITH ${search.tables}
       matching AS MATERIALIZED (${search.matching}),
       size AS MATERIALIZED (SELECT count(*) AS total FROM matching),
       page AS MATERIALIZED (
         SELECT id FROM matching ORDER BY id DESC LIMIT ${alertsAPage}
         OFFSET ${offsetOf(alertsAPage, '?', '(SELECT total FROM size)')})
       SELECT a.id, a.kind, a.created_at, a.release_at, a.canceled_at, a.poll_id, o.last_closed_at, o.seen_open_at,
         r.id AS recipient_id, r.name AS recipient_name, h.id AS school_id, h.name AS school_name, ${sectionColumns},
         (SELECT total FROM size) AS total, (${messages}) AS deliveries
       FROM page CROSS JOIN class_alert a ON a.id = page.id
       JOIN opening o ON o.id = a.opening_id
       JOIN recipient r ON r.id = a.recipient_id
       JOIN section s ON s.id = a.section_id ${sectionTables}
       JOIN school h ON h.id = st.school_id
       ORDER BY a.id DESC`,
    )
    .bind(...search.values, page)
}

const messages = `SELECT json_group_array(json_object('id', d.id, 'channel', d.channel, 'address', d.address, 'state', d.state,
    'attempts', d.attempts, 'is_repeated', d.is_repeated, 'last_error', d.last_error, 'created_at', d.created_at,
    'accepted_at', d.accepted_at, 'delivered_at', d.delivered_at) ORDER BY d.id)
  FROM delivery_alert l JOIN delivery d ON d.id = l.delivery_id WHERE l.alert_id = a.id`

interface Search {
  tables: string
  matching: string
  values: (string | number)[]
}

/** The alerts to look among, as a FROM with its WHERE. */
interface Chosen {
  from: string
  where: string
  values: number[]
}

function chosen(scope: AlertScope): Chosen {
  if (scope.of === 'all') return { from: 'class_alert', where: 'true', values: [] }
  const values = [scope.recipientId]
  if (scope.of === 'recipient') return { from: 'class_alert', where: 'recipient_id = ?', values }
  // As a table of one row or none, not as a condition, which would be asked of every alert.
  const nobody = '(SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM recipient WHERE id = ?))'
  return { from: `${nobody} CROSS JOIN class_alert`, where: 'true', values }
}

function plain({ from, where, values }: Chosen): Search {
  return { tables: '', matching: `SELECT class_alert.id FROM ${from} WHERE ${where}`, values }
}

/** One bit a word: found when any of its spellings occurs in `text`. At most 50 words fit into a search. */
const found = `(SELECT sum(bit) FROM (SELECT DISTINCT 1 << w.bit AS bit FROM word w WHERE instr(text, w.spelling) > 0))`

function searched(words: readonly string[][], { from, where, values }: Chosen): Search {
  return {
    tables: `word AS MATERIALIZED (SELECT w.key AS bit, v.value AS spelling FROM json_each(?) w, json_each(w.value) v),
      section_text AS MATERIALIZED (
        SELECT s.id, lower(c.code || ' ' || c.level || ' ' || c.code || c.level || ' ' || c.title || ' ' || s.topic || ' ' || COALESCE(
          (SELECT group_concat(i.value ->> 'name', ' ') FROM json_each(s.instruction_list) i), '')) AS text
        FROM (SELECT DISTINCT section_id FROM ${from} WHERE ${where}) alerted
        CROSS JOIN section s ON s.id = alerted.section_id JOIN course c ON c.id = s.course_id),
      section_found AS MATERIALIZED (SELECT id, COALESCE(${found}, 0) AS bits FROM section_text),
      recipient_text AS MATERIALIZED (SELECT id, lower(name) AS text FROM recipient),
      recipient_found AS MATERIALIZED (SELECT id, COALESCE(${found}, 0) AS bits FROM recipient_text),`,
    matching: `SELECT class_alert.id FROM ${from}
      JOIN section_found sf ON sf.id = section_id JOIN recipient_found rf ON rf.id = recipient_id
      WHERE ${where} AND (sf.bits | rf.bits) = ?`,
    // 50 bits fit into a number exactly.
    values: [JSON.stringify(words), ...values, ...values, 2 ** words.length - 1],
  }
}
