import { env } from 'cloudflare:workers'
import type { Status } from '../../src/sources/source.ts'
import { inserted } from './rows.ts'

/** Rows added directly to the database, for tests that start in the middle. Every call adds separate ones. */

let count = 0

export interface MadeGroup {
  source_id: number
  school_id: number
  term_id: number
  school_term_id: number
  subject_id: number
  group_id: number
  course_id: number
}

interface MakeGroup {
  source_id?: number
  kind?: string
  url?: string
  poll_seconds?: number
  requests_per_minute?: number
  term_code?: string
  subject_key?: string
  ends_at?: number
  read_at?: number
}

/** A source (unless one is given) with one school, one term, one subject and its group. */
export async function makeGroup(options: MakeGroup = {}): Promise<MadeGroup> {
  count += 1
  const source_id =
    options.source_id ??
    (await inserted(
      `INSERT INTO source (kind, name, url, time_zone, poll_seconds, requests_per_minute, created_at, terms_refreshed_at)
       VALUES (?, ?, ?, 'America/New_York', ?, ?, 0, ?) RETURNING id`,
      options.kind ?? 'banner9',
      `Source ${count}`,
      options.url ?? `http://localhost:1/${count}/StudentRegistrationSsb/ssb`,
      options.poll_seconds ?? 60,
      options.requests_per_minute ?? 600,
      Date.now(),
    ))
  const school_id = await inserted(
    'INSERT INTO school (source_id, code, name) VALUES (?, ?, ?) RETURNING id',
    source_id,
    `S${count}`,
    `School ${count}`,
  )
  const term_id = await inserted(
    `INSERT INTO term (year, season, full_term_name) VALUES (2026, 'fall', '2026 Fall Term')
     ON CONFLICT (year, season) DO UPDATE SET year = excluded.year RETURNING id`,
  )
  const school_term_id = await inserted(
    `INSERT INTO school_term (school_id, term_id, code, name, is_available, ends_at) VALUES (?, ?, ?, 'Fall 2026', 1, ?) RETURNING id`,
    school_id,
    term_id,
    options.term_code ?? '202610',
    options.ends_at ?? Date.now() + 60 * 24 * 3600_000,
  )
  const key = options.subject_key ?? `CS${count}`
  const subject_id = await inserted(
    'INSERT INTO subject (school_id, key, name) VALUES (?, ?, ?) RETURNING id',
    school_id,
    key,
    `Subject ${key}`,
  )
  const group_id = await inserted(
    'INSERT INTO section_group (source_id, school_term_id, subject_id, read_at, listed_at) VALUES (?1, ?2, ?3, ?4, ?4) RETURNING id',
    source_id,
    school_term_id,
    subject_id,
    options.read_at ?? null,
  )
  const course_id = await inserted(
    "INSERT INTO course (subject_id, code, level, title) VALUES (?, ?, '101', 'Introduction') RETURNING id",
    subject_id,
    key,
  )
  return { source_id, school_id, term_id, school_term_id, subject_id, group_id, course_id }
}

/** A read of the whole group that began and was requested at `at` (ms). */
export function readOf({ source_id, group_id }: MadeGroup, at: number) {
  return { source_id, group_id, known_at: at, asked_at: at, seen_at: at }
}

export async function makeSection(
  group: MadeGroup,
  section_key: string,
  status: Status = 'closed',
  seats: number | null = 0,
): Promise<number> {
  return inserted(
    `INSERT INTO section (school_term_id, group_id, course_id, section_key, section, topic, status, seats_available, capacity,
       waitlist_available, instruction_list, instruction_mode, fingerprint, created_at)
     VALUES (?, ?, ?, ?, '001', 'Introduction', ?, ?, 30, 0, '[{"name":"Ada Lovelace","days_times":"MoWe 9:05AM - 10:20AM"}]', 'In Person', '', 0)
     RETURNING id`,
    group.school_term_id,
    group.group_id,
    group.course_id,
    section_key,
    status,
    seats,
  )
}

/** A section with a unique number; an open one has 4 free seats. */
export function makeAnotherSection(group: MadeGroup, status: 'open' | 'closed' = 'closed'): Promise<number> {
  count += 1
  return makeSection(group, String(10_000 + count), status, status === 'open' ? 4 : 0)
}

export async function makeRecipient(contacts: { kind: string; address: string }[] = []): Promise<number> {
  count += 1
  const id = await inserted('INSERT INTO recipient (name, created_at) VALUES (?, 0) RETURNING id', `Recipient ${count}`)
  for (const contact of contacts) {
    await env.DB.prepare(
      'INSERT INTO contact (recipient_id, kind, address, address_key, created_at) VALUES (?, ?, ?, ?, 0)',
    )
      .bind(id, contact.kind, contact.address, contact.address)
      .run()
  }
  return id
}

/** `looked`: the section has been seen since the watch began, so only a change to open causes an alert. */
export async function makeWatch(recipientId: number, sectionId: number, looked = true): Promise<void> {
  await env.DB.prepare('INSERT INTO watch (recipient_id, section_id, created_at, is_new) VALUES (?, ?, 0, ?)')
    .bind(recipientId, sectionId, looked ? 0 : 1)
    .run()
}
