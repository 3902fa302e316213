import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { exploreListings } from '../../src/classcords/servers/explore.ts'
import { searchableCourses, searchableSubjects } from '../../src/classcords/servers/searchable.ts'
import { indexServers } from '../../src/classcords/search/index-servers.ts'
import { fillLargeDirectory, large } from '../worker/large-directory.ts'
import { one, rows } from '../worker/rows.ts'

/** The directory's counts, which triggers maintain, are exact, and so are the pages and searches based on them. */

beforeAll(async () => {
  await fillLargeDirectory()
  // A school of more than a thousand servers beside those of fifty.
  await rows(
    'INSERT INTO server_school (server_id, school_id) SELECT id, 1 FROM discord_server WHERE id % 3 = 0 ON CONFLICT DO NOTHING',
  )
}, 240_000)

const counted = (what: 'subject' | 'course') =>
  `SELECT l.school_id, l.is_private, k.${what}_id, count(*) AS servers
   FROM listing l JOIN server_${what} k ON k.server_id = l.server_id GROUP BY 1, 2, 3`

const marked = (withPrivate: 0 | 1) =>
  `SELECT school_id, ${withPrivate} AS with_private, position / 1000 AS number, rank, sort_key, server_id
   FROM (SELECT *, row_number() OVER (PARTITION BY school_id ORDER BY rank, sort_key, server_id) - 1 AS position
         FROM listing ${withPrivate ? '' : 'WHERE NOT is_private'}) WHERE position % 1000 = 0`

const derived: [string, string][] = [
  ['listing_subject', counted('subject')],
  ['listing_course', counted('course')],
  ['listing_mark', `${marked(0)} UNION ALL ${marked(1)}`],
  ['word_count', 'SELECT word, count(*) AS servers FROM server_word GROUP BY word'],
]

async function expectKept(): Promise<void> {
  for (const [table, truth] of derived) {
    const wrong = await one<{ lost: number; extra: number }>(
      `SELECT (SELECT count(*) FROM (SELECT * FROM (${truth}) EXCEPT SELECT * FROM ${table})) AS lost,
         (SELECT count(*) FROM (SELECT * FROM ${table} EXCEPT SELECT * FROM (${truth}))) AS extra`,
    )
    expect(wrong, table).toEqual({ lost: 0, extra: 0 })
  }
}

const id = fc.integer({ min: 1, max: large.servers })
const change = fc.oneof(
  fc
    .tuple(id, fc.string({ maxLength: 3 }))
    .map(([server, key]): [string, unknown[]] => [
      'UPDATE discord_server SET sort_key = ? WHERE id = ?',
      [key, server],
    ]),
  id.map((server): [string, unknown[]] => [
    "UPDATE discord_server SET privacy_level = iif(privacy_level = 'public', 'private', 'public') WHERE id = ?",
    [server],
  ]),
  id.map((server): [string, unknown[]] => [
    'UPDATE discord_server SET is_active = NOT is_active WHERE id = ?',
    [server],
  ]),
  id.map((server): [string, unknown[]] => [
    'UPDATE discord_server SET is_required_for_trust = NOT is_required_for_trust WHERE id = ?',
    [server],
  ]),
  id.map((server): [string, unknown[]] => ['UPDATE invite SET is_valid = NOT is_valid WHERE server_id = ?', [server]]),
  id.map((server): [string, unknown[]] => ['DELETE FROM discord_server WHERE id = ?', [server]]),
  fc
    .tuple(id, fc.integer({ min: 1, max: 3 }))
    .map(([server, school]): [string, unknown[]] => [
      'INSERT INTO server_school (server_id, school_id) SELECT id, ?2 FROM discord_server WHERE id = ?1 ON CONFLICT DO NOTHING',
      [server, school],
    ]),
  id.map((server): [string, unknown[]] => ['DELETE FROM server_school WHERE server_id = ?', [server]]),
  fc
    .tuple(id, fc.integer({ min: 1, max: 500 }))
    .map(([server, subject]): [string, unknown[]] => [
      'INSERT INTO server_subject (server_id, subject_id) SELECT s.id, u.id FROM discord_server s, subject u WHERE s.id = ? AND u.id = ? ON CONFLICT DO NOTHING',
      [server, subject],
    ]),
  id.map((server): [string, unknown[]] => ['DELETE FROM server_course WHERE server_id = ?', [server]]),
  fc
    .integer({ min: 1, max: 500 })
    .map((subject): [string, unknown[]] => ['DELETE FROM subject WHERE id = ?', [subject]]),
  fc.integer({ min: 1, max: 2000 }).map((course): [string, unknown[]] => ['DELETE FROM course WHERE id = ?', [course]]),
)

describe('the counts kept by triggers', () => {
  it('are right after filling', expectKept)

  it('stay right after any change', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 25 }), async (changes) => {
        await env.DB.batch(changes.map(([statement, values]) => env.DB.prepare(statement).bind(...values)))
        await expectKept()
      }),
      { numRuns: 8 * inject('depth') },
    )
  })

  it('stay right when schools and many servers are added and removed', async () => {
    for (const statement of [
      "UPDATE discord_server SET privacy_level = 'public' WHERE id % 2 = 0",
      'UPDATE discord_server SET is_active = 0 WHERE id % 5 < 4',
      'UPDATE discord_server SET is_active = 1',
      'DELETE FROM school WHERE id = 1',
      'DELETE FROM discord_server WHERE id % 5 = 1',
    ]) {
      await rows(statement)
      await expectKept()
    }
    while ((await indexServers(env.DB, 500)) > 0);
    await expectKept()
  })
})

const visitor = { user: null, discordUser: null, schoolId: null, isManager: false, isSuperuser: false }
const search = { page: 1, schoolId: null, sort: 'relevance' as const, subjectId: null, courseId: null, query: '' }

describe('based on the counts', () => {
  it('every page of the whole list has each server once and in order', async () => {
    const expected = await rows<{ server_id: number }>(
      'SELECT server_id FROM listing WHERE school_id = 0 AND NOT is_private ORDER BY rank, sort_key, server_id',
    )
    const last = Math.ceil(expected.length / 15)
    const shown: number[] = []
    for (let page = 1; page <= last; page += 1) {
      const { servers, pagination } = await exploreListings(env, visitor, { ...search, page }, null)
      expect(pagination).toMatchObject({ current_page: page, total_pages: last })
      shown.push(...servers.map((server) => server.id))
    }
    expect(shown).toEqual(expected.map((row) => row.server_id))
  })

  const words = fc.constantFrom(
    'tenth',
    'seventh',
    'homework',
    'class',
    '12',
    '4999',
    'number',
    'nothing',
    's',
    'c6',
    'c',
    'c9',
  )

  it('a search finds all or many of the matches', async () => {
    const searches = fc.record({
      schoolId: fc.constantFrom(null, 2, 7),
      subjectId: fc.option(fc.integer({ min: 601, max: 640 }), { freq: 3 }),
      words: fc.uniqueArray(words, { minLength: 1, maxLength: 4 }),
    })
    await fc.assert(
      fc.asyncProperty(searches, async ({ schoolId, subjectId, words: asked }) => {
        const viewer = { ...visitor, schoolId }
        const matching = await rows<{ server_id: number }>(
          `SELECT server_id FROM listing l WHERE school_id = ${schoolId ?? 0} ${schoolId === null ? 'AND NOT is_private' : ''}
           ${subjectId === null ? '' : `AND server_id IN (SELECT server_id FROM server_subject WHERE subject_id = ${subjectId})`}
           ${asked.map((word) => `AND EXISTS (SELECT 1 FROM server_word w WHERE w.server_id = l.server_id AND w.word GLOB '${word}*')`).join(' ')}
           ORDER BY rank, sort_key, server_id`,
        )
        const ids = matching.map((row) => row.server_id)
        const found: number[] = []
        let isTruncated = false
        for (let page = 1, last = 1; page <= last; page += 1) {
          const asking = { ...search, subjectId, query: asked.join(' '), page }
          const answer = await exploreListings(env, viewer, asking, null)
          found.push(...answer.servers.map((server) => server.id))
          last = answer.pagination.total_pages
          isTruncated = answer.is_truncated === true
        }
        const seen = new Set(found)
        expect(found).toEqual(isTruncated ? ids.filter((id) => seen.has(id)) : ids)
        if (asked.length === 1 && subjectId === null)
          expect(found.length).toBeGreaterThanOrEqual(Math.min(ids.length, 15))
        if (schoolId !== null || subjectId !== null || asked.includes('4999')) expect(isTruncated).toBe(false)
      }),
      { numRuns: 30 * inject('depth') },
    )
  })

  it('the lists of subjects and courses match the listed servers', async () => {
    for (const schoolId of [0, 7]) {
      const scope = { schoolId, withPrivate: schoolId !== 0 }
      const shown = `(SELECT server_id FROM listing WHERE school_id = ${schoolId} ${schoolId === 0 ? 'AND NOT is_private' : ''})`
      const subjects = await rows<{ id: number }>(
        `SELECT DISTINCT subject_id AS id FROM server_subject WHERE server_id IN ${shown} ORDER BY 1`,
      )
      const ids = (list: { id: number }[]) => list.map((row) => row.id).toSorted((a, b) => a - b)
      expect(ids(await searchableSubjects(env.DB, scope))).toEqual(ids(subjects))
      const courses = await rows<{ id: number }>(
        `SELECT DISTINCT k.course_id AS id FROM server_course k JOIN course c ON c.id = k.course_id
         WHERE c.subject_id = 601 AND k.server_id IN ${shown} ORDER BY 1`,
      )
      expect(ids(await searchableCourses(env.DB, scope, 601))).toEqual(ids(courses))
    }
  })
})
