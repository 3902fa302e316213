import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { indexServers } from '../../src/classcords/search/index-servers.ts'
import { exploreListings } from '../../src/classcords/servers/explore.ts'
import { searchableSubjects } from '../../src/classcords/servers/searchable.ts'
import { sitemap } from '../../src/classcords/servers/sitemap.ts'
import { listWelcome } from '../../src/classcords/servers/newest-servers.ts'
import { ProfileProps } from '../../src/classcords/contract.ts'
import { type MadeGroup } from '../worker/catalog.ts'
import { visit } from '../worker/direct-visit.ts'
import { addPerson, emptyDirectory, makeSchool } from '../worker/directory.ts'
import { rows } from '../worker/rows.ts'
import { Visitor } from '../worker/visitor.ts'

/** A directory of 5 000 servers: what a page reads must not grow with it. */

const servers = 5000
let school: MadeGroup
/** It has 750 of the servers, too. */
let smaller: MadeGroup

beforeAll(async () => {
  await emptyDirectory()
  school = await makeSchool()
  smaller = await makeSchool()
  const numbers = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${servers})`
  await env.DB.batch([
    env.DB.prepare(
      `${numbers} INSERT INTO discord_server (id, server_id, name, privacy_level, is_required_for_trust, created_at)
       SELECT i, 'g' || i, 'Server number ' || i, iif(i % 3 = 0, 'private', 'public'), i % 1000 = 0, i FROM n`,
    ),
    env.DB.prepare(`${numbers} INSERT INTO server_school (server_id, school_id) SELECT i, ? FROM n`).bind(
      school.school_id,
    ),
    env.DB.prepare(
      `${numbers} INSERT INTO server_school (server_id, school_id) SELECT i, ? FROM n WHERE i <= 750`,
    ).bind(smaller.school_id),
    env.DB.prepare(
      `${numbers} INSERT INTO server_subject (server_id, subject_id) SELECT i, ? FROM n WHERE i % 100 = 0`,
    ).bind(school.subject_id),
    env.DB.prepare(
      `${numbers} INSERT INTO invite (code, server_id, state, privacy_level, created_at, due_at) SELECT 'c' || i, i, 'approved', 'public', i, 0 FROM n`,
    ),
  ])
  for (;;) if ((await indexServers(env.DB, 500)) === 0) break
})

/** Rows read by all queries of a page. */
async function readBy(page: (env: Env) => Promise<unknown>): Promise<{ rowsRead: number; bytes: number }> {
  let rowsRead = 0
  const counting: Pick<D1Database, 'prepare' | 'batch'> = {
    prepare: (sql) => env.DB.prepare(sql),
    batch: async <Row>(statements: D1PreparedStatement[]) => {
      const results = await env.DB.batch<Row>(statements)
      for (const { meta } of results) rowsRead += meta.rows_read
      return results
    },
  }
  const props = await page({ ...env, DB: counting as D1Database })
  return { rowsRead, bytes: JSON.stringify(props).length }
}

const anonymous = { user: null, discordUser: null, schoolId: null, isManager: false, isSuperuser: false }
const search = { page: 1, schoolId: null, sort: 'relevance' as const, subjectId: null, courseId: null, query: '' }

describe('with 5 000 servers', () => {
  it('the welcome page reads only what it shows', async () => {
    const member = { ...anonymous, schoolId: school.school_id }
    for (const viewer of [anonymous, member, { ...member, isManager: true }]) {
      const { rowsRead, bytes } = await readBy((counted) => listWelcome(counted, viewer, null))
      expect(rowsRead).toBeLessThan(250)
      expect(bytes).toBeLessThan(30_000)
    }
  })

  it('the first page of explore reads only what it shows', async () => {
    for (const schoolId of [null, school.school_id]) {
      const viewer = { ...anonymous, schoolId }
      const { rowsRead } = await readBy((counted) => exploreListings(counted, viewer, search, null))
      expect(rowsRead).toBeLessThan(200)
    }
  })

  it('a search reads only what it finds', async () => {
    const viewer = { ...anonymous, schoolId: school.school_id }
    const bySubject = await readBy((counted) =>
      exploreListings(counted, viewer, { ...search, subjectId: school.subject_id }, null),
    )
    expect(bySubject.rowsRead).toBeLessThan(600)
    const byWord = await readBy((counted) => exploreListings(counted, viewer, { ...search, query: '4999' }, null))
    expect(byWord.rowsRead).toBeLessThan(50)
  })

  it('the last page and a search that matches everything read a limited number of rows', async () => {
    const member = { ...anonymous, schoolId: school.school_id }
    for (const viewer of [anonymous, member]) {
      const last = await readBy((counted) => exploreListings(counted, viewer, { ...search, page: 9999 }, null))
      expect(last.rowsRead).toBeLessThan(1300)
      const common = await readBy((counted) => exploreListings(counted, viewer, { ...search, query: 'server' }, null))
      expect(common.rowsRead).toBeLessThan(2000)
    }
    const { servers: found, is_truncated } = await exploreListings(env, member, { ...search, query: 'server' }, null)
    expect([found.length, is_truncated]).toEqual([15, true])
  })

  it('the newest are the newest of all, in every part of the directory and of every search', async () => {
    const member = { ...anonymous, schoolId: school.school_id }
    const newest = async (where: string) =>
      (await rows<{ id: number }>(`SELECT id FROM discord_server WHERE ${where} ORDER BY id DESC LIMIT 15`)).map(
        ({ id }) => id,
      )
    const everything = await newest('true')
    const open = await newest("privacy_level = 'public'")
    for (const [viewer, schoolId, expected] of [
      [anonymous, null, open],
      [anonymous, school.school_id, open],
      [member, null, everything],
      [member, 0, everything],
    ] as const)
      for (const query of ['', 'server']) {
        const asked = { ...search, schoolId, query, sort: 'newest' as const }
        let found: Awaited<ReturnType<typeof exploreListings>> | undefined
        const { rowsRead } = await readBy(
          async (counted) => (found = await exploreListings(counted, viewer, asked, null)),
        )
        expect(found?.servers.map(({ id }) => id)).toEqual(expected)
        expect(found?.is_truncated).toBe(true)
        expect(rowsRead).toBeLessThan(2000)
      }
    const last = await exploreListings(env, anonymous, { ...search, sort: 'newest', page: 9999 }, null)
    expect([last.server_count, last.pagination.current_page, last.servers.length]).toEqual([700, 47, 10])
  })

  it.each([900, 2600])('the newest are found even if none of them is recent: %i', async (older) => {
    await rows(
      'INSERT INTO server_subject (server_id, subject_id) SELECT id, ? FROM discord_server WHERE id <= ?',
      smaller.subject_id,
      older,
    )
    const asked = { ...search, sort: 'newest' as const, subjectId: smaller.subject_id }
    let found: Awaited<ReturnType<typeof exploreListings>> | undefined
    const { rowsRead } = await readBy(
      async (counted) => (found = await exploreListings(counted, anonymous, asked, null)),
    )
    expect([found?.servers.length, found?.is_truncated]).toEqual([15, true])
    expect(rowsRead).toBeLessThan(4000)
    await rows('DELETE FROM server_subject WHERE subject_id = ?', smaller.subject_id)
  })

  it('a list in another order says when it is not complete', async () => {
    for (const sort of ['newest', 'members'] as const)
      for (const query of ['', 'server']) {
        const viewer = { ...anonymous, schoolId: smaller.school_id }
        const { server_count, is_truncated } = await exploreListings(env, viewer, { ...search, query, sort }, null)
        expect([sort, query, server_count < 750, is_truncated]).toEqual([sort, query, true, true])
      }
  })

  it("the search's subjects are found without reading the servers", async () => {
    const { rowsRead } = await readBy((counted) => searchableSubjects(counted.DB, { schoolId: 0, withPrivate: false }))
    expect(rowsRead).toBeLessThan(100)
    expect(await searchableSubjects(env.DB, { schoolId: school.school_id, withPrivate: true })).toMatchObject([
      { id: school.subject_id },
    ])
  })

  it("a profile reads the review queue once, however many of its invites are the user's own", async () => {
    const person = await addPerson({ school: school.school_id })
    await rows(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
       INSERT INTO invite (code, server_id, submitter_id, state, privacy_level, created_at, due_at)
       SELECT 'p' || i, i, iif(i > 200, ?, NULL), 'pending', 'public', i, 9e15 FROM n`,
      person.discordUserId,
    )
    const path = '/classcords/profile/'
    const cookie = `session=${(await Visitor.loggedInAs(person)).cookies.get('session')}`
    const { html, reads } = await visit(path, { headers: { cookie, accept: 'application/json' } })
    const { submissions } = ProfileProps.parse((JSON.parse(html) as { props: unknown }).props)
    expect(submissions.map(({ queue_position }) => queue_position)).toEqual(
      Array.from({ length: 50 }, (_unused, index) => 400 - index),
    )
    expect(reads.rows).toBeLessThan(2000)
    await rows("DELETE FROM invite WHERE state = 'pending'")
  })

  it('a profile reads no more than the first thousand of the review queue', async () => {
    const person = await addPerson({ school: school.school_id })
    await rows(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000)
       INSERT INTO invite (code, server_id, submitter_id, state, privacy_level, created_at, due_at)
       SELECT 'q' || i, i, iif(i IN (7, 3000), ?, NULL), 'pending', 'public', i, 9e15 FROM n`,
      person.discordUserId,
    )
    const cookie = `session=${(await Visitor.loggedInAs(person)).cookies.get('session')}`
    const { html, reads } = await visit('/classcords/profile/', { headers: { cookie, accept: 'application/json' } })
    const { submissions } = ProfileProps.parse((JSON.parse(html) as { props: unknown }).props)
    expect(submissions.map(({ queue_position }) => queue_position)).toEqual([null, 7])
    expect(reads.rows).toBeLessThan(3000)
    await rows("DELETE FROM invite WHERE state = 'pending'")
  })

  it('the sitemap has every public server in one file, and a file past the end is the last one', async () => {
    const serversIn = (text: string) => [...text.matchAll(/\/classcords\/server\/(\d+)\//g)].map(([, id]) => Number(id))
    const files = []
    for (const file of [1, 2, 3, 4, 9]) files.push(serversIn(await sitemap(env.DB, '', file)))
    const [past = []] = files.splice(4)
    expect(past).toEqual(files[3])
    const open = await rows<{ id: number }>("SELECT id FROM discord_server WHERE privacy_level = 'public'")
    expect(files.flat().toSorted((one, two) => one - two)).toEqual(open.map(({ id }) => id))
    const { rowsRead } = await readBy((counted) => sitemap(counted.DB, '', 9))
    expect(rowsRead).toBeLessThan(2000)
  })

  it('counts and pages agree up to the last page', async () => {
    const viewer = { ...anonymous, schoolId: school.school_id }
    const { servers: last, pagination } = await exploreListings(env, viewer, { ...search, page: 9999 }, null)
    expect([pagination.total_pages, pagination.current_page, last.length]).toEqual([334, 334, 5])
    const [publicOnes] = await rows<{ n: number }>(
      "SELECT count(*) AS n FROM discord_server WHERE privacy_level = 'public'",
    )
    const open = await exploreListings(env, anonymous, search, null)
    expect(open.pagination.total_pages).toBe(Math.ceil((publicOnes?.n ?? 0) / 15))
  })
})
