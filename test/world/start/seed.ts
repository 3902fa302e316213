import { randomBytes, scryptSync } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OTHER_SYSTEMS } from '../control/other-systems.ts'
import { PERSONAS } from '../discord/personas.ts'
import { CUNY_SOURCE, SCHOOLS } from '../schools/roster.ts'
import { migrate } from './migrate.ts'
import { peek } from './peek.ts'
import { directorySql } from './seed-directory.ts'
import { Problem } from './settings.ts'
import { insert, quoted } from './sql.ts'
import { runWrangler } from './wrangler.ts'

/** The accounts printed at start. */
export const SIGN_INS = [
  { username: 'admin', password: 'seat-watch-admin', email: 'admin@example.com', superuser: true },
  { username: 'student', password: 'seat-watch-student', email: 'student@example.com', superuser: false },
] as const

/** People of the world's Discord who have been here before; `name` is also their role. */
const MEMBERS = PERSONAS.filter(({ name }) => name === 'manager' || name === 'regular')

const FIRST_MEMBER = SIGN_INS.length + 1

/** As the app makes it: the display name for addresses, then the Discord id. */
const usernameOf = (displayName: string, id: string): string =>
  `${displayName.toLowerCase().replaceAll(' ', '-')}@${id}`

/** The username of one of the members. */
export function memberName(role: string): string {
  const member = MEMBERS.find(({ name }) => name === role)
  if (!member) throw new Error(`Nobody is a ${role}.`)
  return usernameOf(member.displayName, member.id)
}

/** The phone, mailbox and channel of the first recipient. */
export const DEMO_PHONE = '+12025550143'
const DEMO_WEBHOOK = { id: '1180000000000000001', token: 'class-alerts' }

/** Schools in different time zones are refreshed at different hours. */
const TIME_ZONE = 'America/New_York'
const POLL_SECONDS = 15
const PACES = ['sms_segments_per_second', 'mail_requests_per_second', 'discord_requests_per_second']
const REQUESTS_PER_MINUTE = 600

/** `scrypt$14$8$5$salt$hash`, base64url without padding: the app's own format. */
export function passwordHash(password: string): string {
  const [N, r, p] = [2 ** 14, 8, 5]
  const salt = randomBytes(16)
  const key = scryptSync(password.normalize('NFKC'), salt, 32, { N, r, p, maxmem: 256 * N * r })
  return ['scrypt', 14, r, p, salt.toString('base64url'), key.toString('base64url')].join('$')
}

/** Every source of the world: its address there and the settings an operator would enter. */
function sources(worldUrl: string): { kind: string; name: string; path: string; url: string; settings: string }[] {
  const banner = SCHOOLS.flatMap(({ source, banner: style }) => {
    if (!style) return []
    const path = `/schools/${style.slug}/StudentRegistrationSsb/ssb`
    const settings = style.mepCode === null ? '{}' : JSON.stringify({ mepCode: style.mepCode })
    return [{ kind: 'banner9', name: source, path, url: worldUrl + path, settings }]
  })
  const others = SCHOOLS.flatMap(({ source, only }) => {
    if (only === null) return []
    const { kind, path, settings } = only
    return [{ kind, name: source, path, url: worldUrl + path, settings: JSON.stringify(settings) }]
  })
  const named = [
    { kind: 'cuny', name: CUNY_SOURCE, path: '/cuny/CFGlobalSearchTool' },
    // The classes of two Banner schools again, as systems of other kinds show them.
    ...OTHER_SYSTEMS.map(({ kind, source, path }) => ({ kind, name: source, path })),
  ]
  return [...banner, ...others, ...named.map((one) => ({ ...one, url: worldUrl + one.path, settings: '{}' }))]
}

/** The content of a new database: people, sources, and one recipient with three contacts. */
export function seedSql(worldUrl: string, now: number): string {
  const webhook = `${worldUrl}/discord/api/webhooks/${DEMO_WEBHOOK.id}/${DEMO_WEBHOOK.token}`
  const contact = (kind: string, address: string, key: string): string =>
    insert('contact', { recipient_id: 1, kind, address, address_key: key, is_enabled: 1, created_at: now })
  return [
    ...SIGN_INS.map(({ username, password, email, superuser }) =>
      insert('user', {
        username,
        email,
        email_verified_at: now,
        password_hash: passwordHash(password),
        is_superuser: superuser ? 1 : 0,
        created_at: now,
      }),
    ),
    ...MEMBERS.map(({ id, displayName, email }, index) =>
      insert('user', {
        id: FIRST_MEMBER + index,
        username: usernameOf(displayName, id),
        email,
        email_verified_at: now,
        created_at: now,
      }),
    ),
    'INSERT INTO email_address (user_id, address, verified_at, is_primary, created_at)',
    'SELECT id, email, email_verified_at, 1, created_at FROM user;',
    ...MEMBERS.map(({ name, id, username, displayName, discriminator, avatar }, index) =>
      insert('discord_user', {
        user_id: FIRST_MEMBER + index,
        discord_id: id,
        username,
        discriminator,
        display_name: displayName,
        avatar,
        is_verified: 1,
        role: name,
        login_count: 1,
        first_login_at: now,
        last_login_at: now,
      }),
    ),
    ...sources(worldUrl).map(({ kind, name, url, settings }) =>
      insert('source', {
        kind,
        name,
        url,
        time_zone: TIME_ZONE,
        poll_seconds: POLL_SECONDS,
        requests_per_minute: REQUESTS_PER_MINUTE,
        settings,
        created_at: now,
      }),
    ),
    // The stand-ins accept messages at any speed; the pace of real accounts would only cause delays.
    ...PACES.map((name) => insert('setting', { name, value: '0', changed_at: now })),
    insert('recipient', {
      id: 1,
      name: 'Robin Example',
      description: 'The phone and mailbox of the local world',
      is_contact_by_phone: 1,
      created_at: now,
    }),
    contact('phone', DEMO_PHONE, DEMO_PHONE),
    contact('email', 'robin@example.com', 'robin@example.com'),
    contact('discord', webhook, `${DEMO_WEBHOOK.id}/${DEMO_WEBHOOK.token}`),
  ].join('\n')
}

/** Sources and the demo channel follow the world if it moved to another port since the last run. */
export function moveSql(worldUrl: string): string {
  const move = (table: string, column: string, path: string): string =>
    `UPDATE ${table} SET ${column} = ${quoted(worldUrl + path)} WHERE ${column} LIKE 'http://localhost:%' ` +
    `AND substr(${column}, ${-path.length}) = ${quoted(path)} AND ${column} <> ${quoted(worldUrl + path)};`
  const webhook = `/discord/api/webhooks/${DEMO_WEBHOOK.id}/${DEMO_WEBHOOK.token}`
  return [
    ...sources(worldUrl).map(({ path }) => move('source', 'url', path)),
    move('contact', 'address', webhook),
  ].join('\n')
}

const LOCAL = (stateDir: string): string[] => ['--local', '--persist-to', stateDir]

async function execute(stateDir: string, sql: string, purpose: string): Promise<string> {
  const file = join(stateDir, 'statements.sql')
  writeFileSync(file, sql, { mode: 0o600 })
  try {
    return await runWrangler(['d1', 'execute', 'DB', ...LOCAL(stateDir), '--yes', '--json', '--file', file], purpose)
  } finally {
    rmSync(file)
  }
}

interface Figures {
  users: number
  /** What only our own seed inserts: its first account, sources of a local world. */
  seeded: number
  sections: number
}

async function figures(stateDir: string): Promise<Figures> {
  const account = `SELECT count(*) FROM user WHERE email = ${quoted(SIGN_INS[0].email)}`
  const local = `SELECT count(*) FROM source WHERE url LIKE 'http://localhost:%'`
  const query = `SELECT (SELECT count(*) FROM user) AS users, (${account}) + (${local}) AS seeded, (SELECT count(*) FROM section) AS sections`
  const seen = peek(stateDir, query)
  if (seen) return { users: Number(seen.users), seeded: Number(seen.seeded), sections: Number(seen.sections) }
  const answer = await execute(stateDir, `${query};`, 'Looking into the database')
  const figure = (name: string): number => Number(answer.match(new RegExp(`"${name}":\\s*(\\d+)`))?.[1])
  return { users: figure('users'), seeded: figure('seeded'), sections: figure('sections') }
}

/**
 * Brings the local database up to date and seeds an empty one. Returns whether its catalog is still to be filled.
 * Throws `Problem` if someone else has filled it.
 */
export async function prepareDatabase(stateDir: string, worldUrl: string): Promise<{ isCatalogEmpty: boolean }> {
  await migrate(stateDir)
  const { users, seeded, sections } = await figures(stateDir)
  if (users > 0 && seeded === 0) {
    throw new Problem(
      `The database in ${stateDir} is that of npm run dev: the accounts and schools of npm start are not in it.\n` +
        'Use another folder (STATE_DIR=.wrangler/world npm start), or empty this one (npm start -- --fresh).',
    )
  }
  if (users === 0) {
    await execute(stateDir, seedSql(worldUrl, Date.now()), 'Seeding the database')
  } else {
    const settled = peek(stateDir, `SELECT count(*) AS here FROM source WHERE url LIKE '${worldUrl}/%'`)?.here
    if (settled !== sources(worldUrl).length) await execute(stateDir, moveSql(worldUrl), 'Moving the world')
  }
  return { isCatalogEmpty: sections === 0 }
}

/** Fills an empty directory; its servers belong to what the catalog has. Returns whether it did. */
export async function seedDirectory(stateDir: string): Promise<boolean> {
  const query = 'SELECT count(*) AS servers FROM discord_server'
  const ask = () => execute(stateDir, `${query};`, 'Looking into the database')
  const servers = peek(stateDir, query)?.servers ?? Number((await ask()).match(/"servers":\s*(\d+)/)?.[1])
  if (servers !== 0) return false
  await execute(stateDir, directorySql(Date.now()), 'Seeding the directory')
  return true
}
