import { scryptSync } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { migratedDatabase } from '../db/migrated-database.ts'
import { everyMinute } from './start/cron.ts'
import { emptyState } from './start/empty-state.ts'
import { fillCatalog } from './start/fill.ts'
import { directorySql } from './start/seed-directory.ts'
import { moveSql, prepareDatabase, seedSql } from './start/seed.ts'
import { freePort, readSettings, requireFreePort, ROOT } from './start/settings.ts'
import { insert } from './start/sql.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

async function listening(server: Server): Promise<number> {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

describe('settings', () => {
  it('have defaults and use the environment', () => {
    expect(readSettings([], {})).toMatchObject({
      port: 8787,
      worldPort: 8788,
      fresh: false,
      verbose: false,
      trafficMs: null,
      stateDir: join(ROOT, '.wrangler/state'),
    })
    expect(
      readSettings(['--fresh'], {
        PORT: '1000',
        WORLD_PORT: '1001',
        STATE_DIR: '/x',
        WORLD_TRAFFIC: '1',
        VERBOSE: '1',
      }),
    ).toMatchObject({ port: 1000, worldPort: 1001, fresh: true, verbose: true, stateDir: '/x', trafficMs: 3000 })
  })

  it('say what is wrong', () => {
    expect(() => readSettings([], { PORT: 'x' })).toThrow('PORT must be a port number')
    expect(() => readSettings([], { PORT: '1', WORLD_PORT: '1' })).toThrow('must differ')
    expect(() => readSettings(['--what'], {})).toThrow('--what')
  })

  it('name a port in use and the variable that changes it', async () => {
    const port = await listening(createServer())
    await expect(requireFreePort(port, 'WORLD_PORT')).rejects.toThrow(
      new RegExp(`Port ${port} is taken.*WORLD_PORT=\\d+ npm start`),
    )
    await expect(requireFreePort(await freePort(), 'PORT')).resolves.toBeUndefined()
  })
})

it('a fresh start removes all of its own state, and nothing else', () => {
  const stateDir = mkdtempSync(join(tmpdir(), 'state-'))
  for (const name of ['local.env', 'world.json', 'catalog-filled', 'vapid.json', 'mine'])
    writeFileSync(join(stateDir, name), '')
  mkdirSync(join(stateDir, 'v3/d1'), { recursive: true })
  emptyState(stateDir)
  expect(readdirSync(stateDir)).toEqual(['mine'])
  rmSync(stateDir, { recursive: true })
})

describe('the directory', () => {
  it('has 40 listed servers, three pending invites of regular users and one that is dead', () => {
    const database = migratedDatabase()
    const now = 1_790_000_000_000
    database.exec(seedSql('http://localhost:8788', now))
    for (const name of ['Harbor State University', 'Northfield Technical University', 'Queens College'])
      database.exec(`INSERT INTO school (source_id, code, name) VALUES (1, '${name}', '${name}');
        INSERT INTO subject (school_id, key, name) VALUES (last_insert_rowid(), 'MATH', 'Mathematics');
        INSERT INTO course (subject_id, code, level, title) VALUES (last_insert_rowid(), 'MATH', '1010', 'Calculus I');`)
    database.exec(directorySql(now))
    const all = (query: string) => database.prepare(query).all()
    expect(
      all(
        'SELECT count(*) AS n, sum(rank = 0) AS featured, sum(is_private) AS private FROM listing WHERE school_id = 0',
      ),
    ).toMatchObject([{ n: 40, featured: 3, private: 12 }])
    expect(all('SELECT count(*) AS n FROM listing WHERE school_id > 0 GROUP BY school_id')).toMatchObject([
      { n: 14 },
      { n: 14 },
      { n: 14 },
    ])
    expect(
      all(`SELECT i.is_valid, count(*) AS n, min(d.role) AS role FROM invite i JOIN discord_user d ON d.id = i.submitter_id AND d.role = 'regular'
        WHERE i.state = 'pending' GROUP BY i.is_valid`),
    ).toMatchObject([
      { is_valid: 0, n: 1 },
      { is_valid: 1, n: 3 },
    ])
    expect(all('SELECT count(*) AS n FROM discord_user WHERE school_id IS NULL')).toMatchObject([{ n: 0 }])
    expect(all('SELECT sum(uses_count) > 200 AS used FROM invite')).toMatchObject([{ used: 1 }])
    expect(all('SELECT count(*) AS n FROM server_course')).toMatchObject([{ n: 3 }])
    expect(
      all('SELECT server_id FROM discord_server WHERE is_required_for_trust ORDER BY server_id LIMIT 1'),
    ).toMatchObject([{ server_id: '1190000000000000001' }])
  })
})

describe('the seed', () => {
  it('leaves a database alone that others have filled', async () => {
    const stateDir = mkdtempSync(join(tmpdir(), 'state-'))
    const folder = join(stateDir, 'v3/d1/miniflare-D1DatabaseObject')
    mkdirSync(folder, { recursive: true })
    const database = migratedDatabase(join(folder, 'app.sqlite'))
    database.exec('CREATE TABLE d1_migrations (name TEXT)')
    for (const name of readdirSync(join(ROOT, 'migrations')))
      database.prepare('INSERT INTO d1_migrations VALUES (?)').run(name)
    database.exec(insert('user', { username: 'chief', email: 'chief@example.com', created_at: 0 }))
    database.close()
    await expect(prepareDatabase(stateDir, 'http://localhost:8788')).rejects.toThrow(
      /is that of npm run dev.*\n.*STATE_DIR=.*--fresh/,
    )
    rmSync(stateDir, { recursive: true })
  })

  it('fits the schema, with accounts whose passwords work', () => {
    const database = migratedDatabase()
    database.exec(seedSql('http://localhost:8788', 1_790_000_000_000))
    const users = database
      .prepare('SELECT username, is_superuser, password_hash FROM user WHERE password_hash NOT NULL ORDER BY username')
      .all()
    expect(users).toMatchObject([
      { username: 'admin', is_superuser: 1 },
      { username: 'student', is_superuser: 0 },
    ])
    const members = database
      .prepare(
        `SELECT u.username, u.email, d.discord_id, d.role FROM discord_user d JOIN user u ON u.id = d.user_id
         JOIN email_address e ON e.user_id = u.id AND e.address = u.email AND e.verified_at IS NOT NULL ORDER BY d.id`,
      )
      .all()
    expect(members).toMatchObject([
      { username: 'morgan-reyes@1170000000000000001', discord_id: '1170000000000000001', role: 'manager' },
      { username: 'riley-chen@1170000000000000002', discord_id: '1170000000000000002', role: 'regular' },
    ])
    const [, power, r, p, salt = '', hash] = String(users[0]?.password_hash).split('$')
    const key = scryptSync('seat-watch-admin', Buffer.from(salt, 'base64url'), 32, {
      N: 2 ** Number(power),
      r: Number(r),
      p: Number(p),
      maxmem: 2 ** 26,
    })
    expect(key.toString('base64url')).toBe(hash)
    expect(database.prepare('SELECT kind, count(*) AS n FROM source GROUP BY kind').all()).toMatchObject([
      { kind: 'banner8', n: 1 },
      { kind: 'banner9', n: 3 },
      { kind: 'colleague', n: 1 },
      { kind: 'cuny', n: 1 },
      { kind: 'fose', n: 1 },
      { kind: 'hcx', n: 1 },
      { kind: 'rutgers', n: 1 },
    ])
    expect(database.prepare("SELECT settings FROM source WHERE settings <> '{}'").all()).toMatchObject([
      { settings: '{"mepCode":"CVCC"}' },
      { settings: '{"institution":"GRBAY"}' },
    ])
    expect(database.prepare('SELECT kind FROM contact ORDER BY kind').all()).toMatchObject([
      { kind: 'discord' },
      { kind: 'email' },
      { kind: 'phone' },
    ])
  })

  it('follows the world to another port, and changes nothing else', () => {
    const database = migratedDatabase()
    database.exec(seedSql('http://localhost:8788', 1))
    database.exec(
      "INSERT INTO source (kind, name, url, time_zone, created_at) VALUES ('cuny', 'real', 'https://globalsearch.cuny.edu/CFGlobalSearchTool', 'UTC', 1)",
    )
    database.exec(moveSql('http://localhost:9000'))
    const addresses = database
      .prepare("SELECT url FROM source UNION ALL SELECT address FROM contact WHERE kind = 'discord'")
      .all()
    expect(addresses.map(({ url }) => new URL(String(url)).origin).toSorted()).toEqual([
      ...Array<string>(10).fill('http://localhost:9000'),
      'https://globalsearch.cuny.edu',
    ])
  })
})

describe('the cron', () => {
  it('fires every full minute, logs failures, and stops', async () => {
    vi.useFakeTimers({ now: Date.parse('2026-11-21T10:00:40Z') })
    const asked: [string, string][] = []
    vi.stubGlobal('fetch', (url: string) => {
      asked.push([url, new Date().toISOString()])
      return Promise.resolve(new Response('no', { status: asked.length === 2 ? 500 : 200 }))
    })
    const failures: string[] = []
    const stop = everyMinute('http://app', (error) => failures.push(String(error)))
    await vi.advanceTimersByTimeAsync(85_000)
    stop()
    await vi.advanceTimersByTimeAsync(120_000)
    const address = 'http://app/cdn-cgi/local/scheduled?cron=*+*+*+*+*'
    expect(asked).toEqual([
      [address, '2026-11-21T10:01:00.000Z'],
      [address, '2026-11-21T10:02:00.000Z'],
    ])
    expect(failures).toEqual(['Error: the cron handler answered 500: no'])
  })
})

describe('filling the catalog', () => {
  /** An app that signs one person in, requires its token, and answers refreshes at once or by a job. */
  async function fakeApp(jobEnds: string): Promise<{ origin: string; asked: string[] }> {
    const asked: string[] = []
    const server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`)
      const loggedIn = request.headers.cookie === 'session=s' && request.headers['x-csrftoken'] === 'two'
      const json = (status: number, body: unknown): void =>
        void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      const job = (status: string, done: number): object => ({
        id: 'j',
        url: '/scheduler/job/j/',
        status,
        progress: { done, total: 2, label: 'Reading' },
      })
      if (request.url === '/class_tracker/login_view/' && request.method === 'POST')
        response.writeHead(303, { 'set-cookie': 'session=s; Path=/' }).end()
      else if (!request.url?.includes('refresh') && !request.url?.includes('fetch') && !request.url?.includes('job'))
        response.end(
          `<script type="application/json" id="page-data">{"context":{"csrf_token":"${request.headers.cookie ? 'two' : 'one'}"}}</script>`,
        )
      else if (!loggedIn) json(403, ['no'])
      else if (request.url.endsWith('refresh_available_terms'))
        json(200, {
          available_terms: [{ id: 7, full_term_name: '2026 Fall Term' }],
          available_schools: [{}],
          job: job('finished', 2),
        })
      else if (request.method === 'POST') json(202, { job: job('queued', 0) })
      else
        json(200, { ...job(jobEnds, 2), error: 'a reason', result: { courses_count: 3, failures: ['MATH at Harbor'] } })
    })
    return { origin: `http://localhost:${await listening(server)}`, asked }
  }

  it('goes through login, terms, subjects and sections, and reports what was not believed', async () => {
    const { origin, asked } = await fakeApp('finished')
    const said: string[] = []
    await fillCatalog(origin, (line) => said.push(line.trim()))
    expect(asked.filter((line) => line.startsWith('POST'))).toEqual([
      'POST /class_tracker/login_view/',
      'POST /class_tracker/refresh_available_terms',
      'POST /class_tracker/refresh_semester_data/0/7',
      'POST /class_tracker/fetch_new_semester_course_sections/0/7/0',
    ])
    expect(said).toEqual(
      expect.arrayContaining(['1 terms at 1 schools', '2026 Fall Term: 3 courses', 'not believed: MATH at Harbor']),
    )
  })

  it('ends with the reason if a job fails', async () => {
    const { origin } = await fakeApp('failed')
    await expect(fillCatalog(origin, () => {})).rejects.toThrow('a reason')
  })
})
