import type { BenchApp } from './start-app.ts'

/** A section to be watched. */
export interface WatchedRow {
  id: number
  group_id: number
  source_id: number
  /** The school's own id for it, and the school's name. */
  section_key: string
  school: string
}

/**
 * The largest groups of a source in a term, `groups` of them, with `each` sections per group; fails if there are fewer.
 */
export async function chooseSections(
  app: BenchApp,
  sourceId: number,
  termId: number,
  { groups, sections }: { groups: number; sections: number },
): Promise<WatchedRow[]> {
  const each = Math.ceil(sections / groups)
  const { results } = await app.db
    .prepare(
      `SELECT s.id, s.group_id, g.source_id, s.section_key, h.name AS school,
         row_number() OVER (PARTITION BY s.group_id ORDER BY s.id) AS place
       FROM section s JOIN section_group g ON g.id = s.group_id
       JOIN school_term t ON t.id = s.school_term_id JOIN school h ON h.id = t.school_id
       WHERE t.term_id = ?1 AND g.id IN (
         SELECT g.id FROM section_group g JOIN school_term t ON t.id = g.school_term_id
         WHERE g.source_id = ?2 AND t.term_id = ?1 AND g.section_count >= ?3 ORDER BY g.section_count DESC, g.id LIMIT ?4)
       ORDER BY place, s.group_id LIMIT ?5`,
    )
    .bind(termId, sourceId, each, groups, sections)
    .all<WatchedRow>()
  const found = new Set(results.map(({ group_id }) => group_id)).size
  if (results.length < sections || found < groups) {
    throw new Error(`Only ${results.length} sections in ${found} groups are large enough.`)
  }
  return results
}

/**
 * New recipients, each with a phone, who watch these sections. `pairs`: index of a recipient, id of a section. All had
 * their first look, so only a change to open causes an alert.
 */
export async function addWatches(
  app: BenchApp,
  recipients: number,
  pairs: readonly (readonly [recipient: number, section: number])[],
): Promise<void> {
  const { db } = app
  const last = (await db.prepare('SELECT coalesce(max(id), 0) AS id FROM recipient').first<number>('id')) ?? 0
  const people = Array.from({ length: recipients }, (_, index) => {
    const id = last + 1 + index
    return [id, `Recipient ${id}`, phoneOf(id)]
  })
  const list = JSON.stringify(people)
  await db.batch([
    db
      .prepare('INSERT INTO recipient (id, name, created_at) SELECT value ->> 0, value ->> 1, 0 FROM json_each(?)')
      .bind(list),
    db
      .prepare(
        `INSERT INTO contact (recipient_id, kind, address, address_key, created_at)
         SELECT value ->> 0, 'phone', value ->> 2, value ->> 2, 0 FROM json_each(?)`,
      )
      .bind(list),
  ])
  for (let start = 0; start < pairs.length; start += 20_000) {
    const part = pairs.slice(start, start + 20_000).map(([recipient, section]) => [last + 1 + recipient, section])
    await db
      .prepare(
        `INSERT INTO watch (recipient_id, section_id, created_at, is_new)
         SELECT value ->> 0, value ->> 1, 0, 0 FROM json_each(?)`,
      )
      .bind(JSON.stringify(part))
      .run()
  }
}

/** The phone number of the recipient with this id; no one else has it. */
export function phoneOf(recipientId: number): string {
  return `+1303${String(2_000_000 + recipientId)}`
}
