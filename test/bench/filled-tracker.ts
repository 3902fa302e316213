const batch = 10_000
const numbers = 'WITH RECURSIVE n (i) AS (SELECT CAST(?1 AS INTEGER) UNION ALL SELECT i + 1 FROM n WHERE i < ?2)'

/** A statement with its bound values. */
export interface Filling {
  sql: string
  values: number[]
}

/**
 * This many sections of two thousand courses at one school in four terms, each with an opening and a sent alert; 2000
 * of them are watched, and one topic in a thousand is rare.
 */
export function trackerOf(rows: number): Filling[] {
  const at = 1_790_000_000_000
  const once = [
    `INSERT INTO source (id, kind, name, url, time_zone, created_at) VALUES (1, 'banner9', 'Bench', 'https://x.example.edu', 'UTC', 0)`,
    `INSERT INTO school (id, source_id, code, name) VALUES (1, 1, '', 'Bench College')`,
    `INSERT INTO term (id, year, season, full_term_name) SELECT value, 2025 + value, 'fall', (2025 + value) || ' Fall Term' FROM json_each('[1,2,3,4]')`,
    `INSERT INTO school_term (id, school_id, term_id, code, name, is_available, ends_at) SELECT id, 1, id, year, full_term_name, 1, ${at} FROM term`,
    `INSERT INTO subject (id, school_id, key, name) SELECT value, 1, 'S' || value, 'Subject ' || value FROM json_each('[1,2,3,4,5,6,7,8]')`,
    `INSERT INTO section_group (id, source_id, school_term_id, subject_id) SELECT st.id * 10 + j.id, 1, st.id, j.id FROM school_term st, subject j`,
  ]
  const some = (most: number, sql: string): Filling => ({ sql: `${numbers} ${sql}`, values: [1, most] })
  const many = (sql: string): Filling[] =>
    Array.from({ length: Math.ceil(rows / batch) }, (_, index) => ({
      sql: `${numbers} ${sql}`,
      values: [index * batch + 1, Math.min(rows, (index + 1) * batch)],
    }))
  return [
    ...once.map((sql) => ({ sql, values: [] })),
    some(
      2000,
      `INSERT INTO course (id, subject_id, code, level, title) SELECT i, 1 + i % 8, 'C' || i % 40, 100 + i / 8, 'Title ' || i FROM n`,
    ),
    some(1000, `INSERT INTO recipient (id, name, created_at) SELECT i, 'Recipient ' || i, 0 FROM n`),
    some(
      1000,
      `INSERT INTO contact (id, recipient_id, kind, address, address_key, created_at) SELECT i, i, 'phone', '+1' || (2120000000 + i), i, 0 FROM n`,
    ),
    ...many(
      `INSERT INTO section (id, school_term_id, group_id, course_id, section_key, section, topic, status, seats_available, capacity,
         instruction_list, instruction_mode, fingerprint, created_at)
       SELECT i, 1 + i / 25001, (1 + i / 25001) * 10 + 1 + (1 + i % 2000) % 8, 1 + i % 2000, 100000 + i * 7919 % 900001, i % 900,
         iif(i % 1000 = 0, 'rare', ''), iif(i % 3, 'closed', 'open'), iif(i % 3, 0, 4), 30, '[]', 'In Person', '', 0 FROM n`,
    ),
    some(
      2000,
      'INSERT INTO watch (recipient_id, section_id, created_at, is_new) SELECT 1 + i % 1000, i * 50, 0, 0 FROM n',
    ),
    ...many(
      `INSERT INTO opening (id, section_id, version, poll_id, seen_open_at) SELECT i, i, 1, 'p' || i, ${at} + i FROM n`,
    ),
    ...many(
      `INSERT INTO class_alert (id, opening_id, recipient_id, section_id, kind, created_at, poll_id)
       SELECT i, i, 1 + i % 1000, i, 'opening', ${at} + i, 'p' || i FROM n`,
    ),
    ...many(
      `INSERT INTO delivery (id, poll_id, recipient_id, contact_id, channel, address, state, due_at, created_at)
       SELECT i, 'p' || i, 1 + i % 1000, 1 + i % 1000, 'phone', '+1' || (2120000001 + i % 1000), iif(i % 500, 'delivered', 'failed'), 0, 0 FROM n`,
    ),
    ...many('INSERT INTO delivery_alert (delivery_id, alert_id) SELECT i, i FROM n'),
  ]
}
