import { startApp, type BenchApp } from './app/start-app.ts'
import { percentile, type Figure, type Part } from './report.ts'

const password = 'correct horse battery'
const people = 80
/** Sequential sign-ins, each beside one bare hash. */
const pairs = 24
const atOnce = 4

/** A browser on the login page; each has a separate address, because limits count addresses. */
interface Browser {
  cookies: string
  token: string
  address: string
}

async function openLogin(url: string, number: number): Promise<Browser> {
  const address = `198.51.100.${number}`
  const response = await fetch(`${url}/accounts/login/`, { headers: { 'cf-connecting-ip': address } })
  const token = /name="csrf_token" value="([^"]+)"/.exec(await response.text())?.[1]
  if (token === undefined) throw new Error('The log-in page has no token.')
  const cookies = response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')
  return { cookies, token, address }
}

/** Signs in as the person with this number; ms until the answer. */
async function signIn(url: string, browser: Browser, number: number): Promise<number> {
  const began = performance.now()
  const response = await fetch(`${url}/accounts/login/`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: browser.cookies, origin: url, 'cf-connecting-ip': browser.address },
    body: new URLSearchParams({ csrf_token: browser.token, login: `person${number}`, password }),
  })
  await response.arrayBuffer()
  const took = performance.now() - began
  if (response.status !== 303 && response.status !== 302) throw new Error(`Signing in answered ${response.status}.`)
  return took
}

async function addPeople(app: BenchApp, url: string): Promise<void> {
  const hash = (await (await fetch(`${url}/_bench/hash?password=${encodeURIComponent(password)}`)).json()) as string
  await app.db
    .prepare(
      `INSERT INTO user (username, email, password_hash, created_at)
       SELECT 'person' || value, 'person' || value || '@example.com', ?, 0 FROM json_each(?)`,
    )
    .bind(hash, JSON.stringify(Array.from({ length: people }, (_, number) => number)))
    .run()
  await app.db
    .prepare(
      'INSERT INTO email_address (user_id, address, verified_at, is_primary, created_at) SELECT id, email, 0, 1, 0 FROM user',
    )
    .run()
}

async function bareHash(url: string): Promise<number> {
  const began = performance.now()
  await (await fetch(`${url}/_bench/hash?password=${encodeURIComponent(password)}`)).arrayBuffer()
  return performance.now() - began
}

/** The cost of a password login beside the bare hash of the password, and how many per second one isolate handles. */
export async function measureSignIn(): Promise<Part> {
  const app = await startApp()
  try {
    const url = app.world.world.options.appUrl
    await addPeople(app, url)
    const browsers: Browser[] = []
    for (let number = 0; number < people; number += 1) browsers.push(await openLogin(url, number))
    const next = async (number: number) => {
      const browser = browsers[number]
      if (!browser) throw new Error('There are not enough people.')
      return signIn(url, browser, number)
    }
    await next(0)
    await app.counts()
    const signIns: number[] = []
    const hashes: number[] = []
    const again: number[] = []
    for (let pair = 1; pair <= pairs; pair += 1) {
      hashes.push(await bareHash(url))
      signIns.push(await next(pair))
      again.push(await bareHash(url))
    }
    const counts = await app.counts()
    const each = (named: (sql: string) => boolean): number =>
      counts.filter(({ sql }) => named(sql)).reduce((sum, { runs }) => sum + runs, 0) / pairs
    const left = Array.from({ length: people - pairs - 1 }, (_, index) => pairs + 1 + index)
    const signedIn = left.length
    const began = performance.now()
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        for (let number = left.pop(); number !== undefined; number = left.pop()) await next(number)
      }),
    )
    const seconds = (performance.now() - began) / 1000
    const median = (values: readonly number[]): number => percentile(values, 0.5)
    const figures: Figure[] = [
      { what: 'bare hash against itself', value: median(again) / median(hashes), unit: '×' },
      {
        what: 'a sign-in against the bare hash',
        value: median(signIns) / median(hashes),
        unit: '×',
        note: `${median(signIns).toFixed(0)} ms, ${median(hashes).toFixed(0)} ms`,
      },
      {
        what: `sign-ins a second, ${atOnce} at once`,
        value: signedIn / seconds,
        unit: '',
        note: 'one isolate hashes at most two at a time',
      },
      { what: 'D1 statements a sign-in', value: each((sql) => !sql.startsWith('KV ')), unit: '' },
      { what: 'KV reads a sign-in', value: each((sql) => sql.startsWith('KV get')), unit: '' },
      { what: 'KV writes a sign-in', value: each((sql) => sql === 'KV put' || sql === 'KV delete'), unit: '' },
    ]
    return {
      name: '(e) Signing in by password',
      figures,
      notes: ['Wall time at one request a time: scrypt holds the isolate’s only thread, so the bare hash is CPU time.'],
    }
  } finally {
    await app.close()
  }
}
