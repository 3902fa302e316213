import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import manifest from '../../.build/manifest.json'
import { visit, type Visit } from '../worker/direct-visit.ts'
import { addPerson, emptyDirectory, makeSchool } from '../worker/directory.ts'
import { rows } from '../worker/rows.ts'
import { Visitor } from '../worker/visitor.ts'
import { keysScript } from '../worker/keys-script.ts'

/** The cost of welcome and explore with 5 000 servers: round trips, rows, bytes. */

const servers = 5000
const places = ['/classcords/', '/classcords/all/'] as const
let cookie: string
let schoolPath: string

beforeAll(async () => {
  await emptyDirectory()
  const school = await makeSchool()
  schoolPath = `/classcords/school/${school.school_id}/`
  const numbers = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${servers})`
  await env.DB.batch([
    env.DB.prepare(
      `${numbers} INSERT INTO discord_server (id, server_id, name, description, privacy_level, is_required_for_trust, created_at)
       SELECT i, 'g' || i, 'Class server number ' || i, 'Homework, study groups and old exams.', iif(i % 3 = 0, 'private', 'public'),
         i % 1000 = 1, i FROM n`,
    ),
    env.DB.prepare(`${numbers} INSERT INTO server_school (server_id, school_id) SELECT i, ? FROM n`).bind(
      school.school_id,
    ),
    env.DB.prepare(`${numbers} INSERT INTO server_subject (server_id, subject_id) SELECT i, ? FROM n`).bind(
      school.subject_id,
    ),
    env.DB.prepare(`${numbers} INSERT INTO server_course (server_id, course_id) SELECT i, ? FROM n`).bind(
      school.course_id,
    ),
    env.DB.prepare(
      `${numbers} INSERT INTO invite (code, server_id, state, privacy_level, created_at, due_at)
       SELECT 'c' || i, i, 'approved', 'public', i, 9e15 FROM n`,
    ),
    env.DB.prepare(
      "UPDATE discord_server SET indexed_version = version, words_version = 1, sort_key = printf('%08d', id)",
    ),
  ])
  const member = await Visitor.loggedInAs(await addPerson({ school: school.school_id, role: 'manager' }))
  cookie = `session=${member.cookies.get('session')}`
  // The first request of an isolate also checks the migrations.
  await visit('/')
})

/** Bytes after compression. */
async function zipped(html: string): Promise<number> {
  const stream = new Response(html).body?.pipeThrough(new CompressionStream('gzip'))
  return (await new Response(stream).arrayBuffer()).byteLength
}

async function expectLight({ html: whole }: Visit, island: 'classcords/welcome' | 'classcords/explore'): Promise<void> {
  const html = whole.replace(keysScript, '')
  expect(html.length).toBeLessThan(60_000)
  expect(await zipped(html)).toBeLessThan(8 * 1024)
  const scripts = [...html.matchAll(/<script type="module" src="([^"]+)"/g)].map((match) => match[1])
  expect(scripts).toEqual([manifest['main.js']])
  const chunks = [...html.matchAll(/rel="modulepreload" href="([^"]+)"/g)].map((match) => match[1])
  expect(chunks.toSorted()).toEqual(manifest.islands[island].toSorted())
  expect(html.match(/<script/g)).toHaveLength(2)
}

describe('with 5 000 servers', () => {
  it("a member's page takes one round trip after the session's, and reads what it shows", async () => {
    for (const path of places) {
      const seen = await visit(path, { headers: { cookie } })
      expect(seen.reads.trips, path).toBe(2)
      expect(seen.reads.rows, path).toBeLessThan(400)
      await expectLight(seen, path === '/classcords/' ? 'classcords/welcome' : 'classcords/explore')
    }
  })

  it("a visitor's page takes one round trip after the version's, and then only the version's", async () => {
    for (const path of [...places, schoolPath, '/']) {
      await rows("UPDATE site_version SET version = version || 'x'")
      const first = await visit(path)
      expect([first.edge, first.reads.trips], path).toEqual(['miss', 2])
      expect(first.reads.rows, path).toBeLessThan(300)
      const second = await visit(path)
      expect([second.edge, second.reads], path).toEqual(['hit', { trips: 1, rows: 1 }])
      if (path === '/classcords/') await expectLight(second, 'classcords/welcome')
      if (path === '/classcords/all/') await expectLight(second, 'classcords/explore')
      if (path === schoolPath || path === '/')
        expect(second.html.match(/<script(?! type="application\/ld)/g)).toHaveLength(1)
    }
  })

  it('JSON requests read the same and render nothing', async () => {
    for (const path of places) {
      const { reads, html } = await visit(path, { headers: { accept: 'application/json' } })
      expect(reads.trips, path).toBe(1)
      expect(reads.rows, path).toBeLessThan(300)
      expect(html).not.toContain('<html')
    }
  })

  it('one more visible server writes no rows for the others', async () => {
    const { meta } = await env.DB.prepare('UPDATE discord_server SET member_count = 77 WHERE id = 4').run()
    expect(meta.rows_written).toBeLessThan(10)
    expect(meta.rows_read).toBeLessThan(40)
  })
})

describe('a page with only a form', () => {
  it.each([
    '/accounts/login/',
    '/accounts/signup/',
    '/accounts/password/reset/',
    '/accounts/login/code/',
    '/class_tracker/login_view/',
    '/classcords/login/',
  ])('%s loads no script and reads nothing', async (path) => {
    const { html, reads } = await visit(path)
    expect(html).not.toMatch(/<script(?! type="application\/json" id="page-data")|modulepreload/)
    expect(reads.trips).toBe(0)
  })
})
