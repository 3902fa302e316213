import { addPeople, hashPath, openForm, type OpenForm, logIn } from './app/people.ts'
import { startApp } from './app/start-app.ts'
import { percentile, type Figure, type Part } from './report.ts'

const people = 80
/** Sequential logins, each beside one bare hash. */
const pairs = 24
const atOnce = 4

const nameOf = (number: number): string => `person${number}`
/** Each browser has a separate address, because limits count addresses. */
const addressOf = (number: number) => ({ 'cf-connecting-ip': `198.51.100.${number}` })

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

/** The cost of a password login beside the bare hash of the password, and how many per second one isolate handles. */
export async function measureLogin(): Promise<Part> {
  const app = await startApp()
  try {
    const url = app.world.world.options.appUrl
    const numbers = Array.from({ length: people }, (_, number) => number)
    await addPeople(app, numbers.map(nameOf))
    const forms: OpenForm[] = []
    for (const number of numbers) forms.push(await openForm(`${url}/accounts/login/`, addressOf(number)))
    const next = (number: number): Promise<number> => {
      const form = forms[number]
      if (!form) throw new Error('There are not enough people.')
      return msOf(() => logIn(url, form, nameOf(number), addressOf(number)))
    }
    const bareHash = (): Promise<number> => msOf(() => app.ask(hashPath))
    await next(0)
    await app.counts()
    const logins: number[] = []
    const hashes: number[] = []
    const again: number[] = []
    for (let pair = 1; pair <= pairs; pair += 1) {
      hashes.push(await bareHash())
      logins.push(await next(pair))
      again.push(await bareHash())
    }
    const counts = await app.counts()
    const each = (named: (sql: string) => boolean): number =>
      counts.filter(({ sql }) => named(sql)).reduce((sum, { runs }) => sum + runs, 0) / pairs
    const left = Array.from({ length: people - pairs - 1 }, (_, index) => pairs + 1 + index)
    const loggedIn = left.length
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
        what: 'a login against the bare hash',
        value: median(logins) / median(hashes),
        unit: '×',
        note: `${median(logins).toFixed(0)} ms, ${median(hashes).toFixed(0)} ms`,
      },
      {
        what: `logins a second, ${atOnce} at once`,
        value: loggedIn / seconds,
        unit: '',
        note: 'one isolate hashes at most two at a time',
      },
      { what: 'D1 statements a login', value: each((sql) => !sql.startsWith('KV ')), unit: '' },
      { what: 'KV reads a login', value: each((sql) => sql.startsWith('KV get')), unit: '' },
      { what: 'KV writes a login', value: each((sql) => sql === 'KV put' || sql === 'KV delete'), unit: '' },
    ]
    return {
      name: '(e) Logging in by password',
      figures,
      notes: ['Wall time at one request a time: scrypt holds the isolate’s only thread, so the bare hash is CPU time.'],
    }
  } finally {
    await app.close()
  }
}
