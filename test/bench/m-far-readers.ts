import { randomBytes } from 'node:crypto'
import { startApp, type BenchApp } from './app/start-app.ts'
import { DELAYS, farthestChain, type Trip } from './app/far-away.ts'
import { fillDirectory } from './pages/fill-directory.ts'
import { fillTracker } from './pages/fill-tracker.ts'
import { prefix } from './pages/prefix.ts'
import { percentile, type Figure, type Part } from './report.ts'

const rounds = 5
/** Longer than a location keeps a version. */
const KEPT_MS = 5000

interface Asked {
  who: 'visitor' | 'member' | 'staff'
  path: string
  /** A call or form: its body. */
  sent?: { method: string; fields?: () => Record<string, string> }
  /** Runs before each round. */
  prepare?: string
  atMost?: number
  /** Trips to the primary and to objects, in sequence. */
  mostFar?: number
}

interface Answered {
  ms: number
  trips: Trip[]
}

const visitors: Asked[] = [
  '/',
  '/classcords/',
  '/classcords/all/',
  '/classcords/all/?page=2',
  '/classcords/school/1/',
  '/classcords/server/1/',
  '/accounts/login/',
  '/class_tracker/',
  '/classcords/ajax/subjects/',
  '/classcords/ajax/servers/1/invites/',
].map((path) => ({
  who: 'visitor',
  path,
  // A server and its invites are not cached: they are always read from a replica.
  atMost: /server/.test(path) ? 60 : 30,
  mostFar: 0,
}))

const page =
  (who: 'member' | 'staff') =>
  (path: string): Asked => ({ who, path, atMost: 350, mostFar: 2 })

const pages: Asked[] = [
  ...[
    '/',
    '/classcords/',
    '/classcords/all/',
    '/classcords/all/?q=class+server',
    '/classcords/server/1/',
    '/classcords/profile/',
    '/classcords/notices/',
    '/classcords/referrals/',
    '/accounts/',
    '/accounts/sessions/',
    '/classcords/ajax/subjects/',
  ].map(page('member')),
  ...[
    '/',
    '/classcords/',
    '/classcords/unapproved-invites/',
    '/class_tracker/',
    '/class_tracker/add_classes/',
    '/class_tracker/class_alerts/',
    '/class_tracker/manage_course_list/',
    '/class_tracker/get_course_sections/1/1',
    '/scheduler/queues/',
    '/scheduler/queues/polls/finished/jobs',
    '/scheduler/workers/',
    '/admin/',
    '/admin/servers/',
    '/admin/servers/1/',
  ].map(page('staff')),
]

const forgetUses = 'DELETE FROM invite_use'
const forgetWatch = 'DELETE FROM watch WHERE recipient_id = 1 AND section_id = 3'
const addWatch = '/class_tracker/add_watched_section/1/3'
const waitingAgain = `UPDATE invite SET state = 'pending', decided_at = NULL, decided_by = NULL WHERE id = 5001`
const calls: Asked[] = [
  { who: 'member', path: '/classcords/ajax/invites/1/track-usage/', sent: { method: 'PUT' }, prepare: forgetUses },
  { who: 'member', path: '/classcords/ajax/notices/read/', sent: { method: 'POST' } },
  { who: 'staff', path: '/classcords/ajax/invites/5001/approve/', sent: { method: 'POST' }, prepare: waitingAgain },
  { who: 'staff', path: addWatch, sent: { method: 'POST' }, prepare: forgetWatch },
  { who: 'staff', path: '/class_tracker/get_recipient_form/1' },
].map((asked) => ({ ...(asked as Asked), atMost: 350, mostFar: 2 }))

const logIn: Asked = {
  who: 'visitor',
  path: '/accounts/login/',
  sent: {
    method: 'POST',
    // A different name each time, because wrong passwords are counted.
    fields: () => ({ login: `nobody-${randomBytes(8).toString('hex')}`, password: 'not this one at all' }),
  },
}

class Person {
  #cookie: string
  #token = ''
  readonly #url: string

  constructor(url: string, cookie: string) {
    this.#url = url
    this.#cookie = cookie
  }

  /** @param isPlaced whether the Worker is near the database */
  async ask({ path, sent }: Asked, isPlaced = false): Promise<Answered> {
    const isCall = path.includes('/ajax/') || /\/(?:get|add)_\w+\/\d/.test(path)
    if (sent && this.#token === '') await this.#findToken()
    const began = performance.now()
    const response = await fetch(this.#url + path, {
      method: sent?.method ?? 'GET',
      redirect: 'manual',
      headers: {
        accept: isCall ? 'application/json' : 'text/html',
        cookie: this.#cookie,
        origin: this.#url,
        'x-csrftoken': this.#token,
        ...(isPlaced && { 'x-placed': 'yes' }),
        'cf-connecting-ip': `10.${randomBytes(3).join('.')}`,
      },
      ...(sent &&
        sent.method === 'POST' && { body: new URLSearchParams({ csrf_token: this.#token, ...sent.fields?.() }) }),
    })
    const ms = performance.now() - began
    const text = await response.text()
    if (response.status >= 400 && response.status !== 422)
      throw new Error(`${path} answered ${response.status}: ${text.slice(0, 300)}`)
    return { ms, trips: JSON.parse(response.headers.get('x-trips') ?? '[]') as Trip[] }
  }

  async #findToken(): Promise<void> {
    const response = await fetch(`${this.#url}/accounts/`, {
      redirect: 'manual',
      headers: { accept: 'application/json', cookie: this.#cookie },
    })
    const from = response.status === 200 ? response : await fetch(`${this.#url}/accounts/login/`)
    const cookies = from.headers.getSetCookie().map((cookie) => cookie.split(';')[0])
    this.#cookie = [this.#cookie, ...cookies].filter(Boolean).join('; ')
    this.#token = /csrf_token"\s*(?::|value=)\s*"([^"]+)"/.exec(await from.text())?.[1] ?? ''
  }
}

const names: Readonly<Record<Trip['to'], string>> = {
  primary: 'primary',
  replica: 'replica',
  object: 'object',
  kv: 'KV',
  cache: 'cache',
}

function figureOf(
  { who, path, sent, atMost, mostFar }: Asked,
  state: string,
  answers: readonly Answered[],
  placedMs?: number,
): Figure[] {
  const times = answers.map(({ ms }) => ms)
  const chains = answers.map(({ trips }) => farthestChain(trips))
  const chain = chains.toSorted((one, other) => one.length - other.length)[Math.floor(chains.length / 2)] ?? []
  const far = Math.max(...chains.map((one) => one.filter(({ to }) => DELAYS[to] >= 100).length))
  const what = `${who}: ${sent ? `${sent.method} ` : ''}${path}${state}`
  const way = chain.map(({ to }) => names[to]).join(' → ') || 'no trip'
  const note = placedMs === undefined ? way : `${way}; placed: ${placedMs.toFixed(0)} ms`
  return [
    { what, value: percentile(times, 0.5), unit: 'ms', ...(atMost !== undefined && { atMost }), note },
    ...(mostFar === undefined || far <= mostFar
      ? []
      : [{ what: `${what}: far trips`, value: far, unit: '', atMost: mostFar }]),
  ]
}

async function ask(app: BenchApp, person: Person, asked: Asked, times = rounds): Promise<Answered[]> {
  const answers: Answered[] = []
  for (let round = 0; round < times; round += 1) {
    if (asked.prepare) await app.db.prepare(asked.prepare).run()
    answers.push(await person.ask(asked))
  }
  return answers
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Pages and calls for people who are far from the database and from the Durable Objects. */
export async function measureFarReaders(): Promise<Part> {
  const app = await startApp({}, 'far-worker')
  try {
    const { appUrl: url } = app.world.world.options
    await fillDirectory(app.db)
    await fillTracker(app.db, Date.now())
    await addMember(app)
    const visitor = () => new Person(url, '')
    const figures: Figure[] = []
    const first: Asked = { who: 'visitor', path: '/classcords/' }
    figures.push(...figureOf(first, ', a new isolate', await ask(app, visitor(), first, 1)))
    await app.db.prepare(`UPDATE site_version SET version = hex(randomblob(8))`).run()
    const moments = [
      { state: ', just changed', isAfterPause: true, times: 1 },
      { state: '', isAfterPause: false, times: 2 * rounds },
      { state: ', after a pause', isAfterPause: true, times: 1 },
    ]
    for (const { state, isAfterPause, times } of moments) {
      if (isAfterPause) await wait(KEPT_MS)
      for (const asked of visitors) {
        const { who, path } = asked
        const answers = await ask(app, visitor(), asked, times)
        const placed = state === '' ? (await visitor().ask(asked, true)).ms : undefined
        figures.push(...figureOf(state === '' ? asked : { who, path }, state, answers, placed))
      }
    }
    const people = {
      visitor: visitor(),
      member: new Person(url, await loggedIn(url, 2)),
      staff: new Person(url, await loggedIn(url, 1)),
    }
    for (const asked of [...pages, ...calls, logIn]) {
      await ask(app, people[asked.who], asked, 1)
      const answers = await ask(app, people[asked.who], asked)
      if (asked.prepare) await app.db.prepare(asked.prepare).run()
      figures.push(...figureOf(asked, '', answers, (await people[asked.who].ask(asked, true)).ms))
    }
    return {
      name: '(m) Far from the database: the first byte, and the longest chain of trips before it',
      figures,
      notes: [
        `Added to each trip: ${Object.entries(DELAYS)
          .map(([to, ms]) => `${names[to as Trip['to']]} ${ms} ms`)
          .join(', ')}. Medians of ${rounds}.`,
        '“Placed”: the same with the Worker beside the database, and the reader 150 ms from it.',
        'What real replicas lag behind, and how far they really are, cannot be measured here.',
      ],
    }
  } finally {
    await app.close()
  }
}

const loggedIn = async (url: string, user: number): Promise<string> =>
  (await fetch(`${url}${prefix}/login?user=${user}`, { method: 'POST' })).text()

/** A member of the school without other roles. */
async function addMember({ db }: BenchApp): Promise<void> {
  await db.batch([
    db.prepare(`INSERT INTO user (id, username, is_superuser, created_at) VALUES (2, 'member', 0, 0)`),
    db.prepare(
      `INSERT INTO discord_user (id, user_id, discord_id, username, discriminator, display_name, is_verified, role, school_id,
         login_count, first_login_at, last_login_at)
       VALUES (2, 2, '150000000000000001', 'member', '0', 'Member', 1, 'regular', 1, 2, 0, 0)`,
    ),
  ])
}
