import { addDevices } from './app/devices.ts'
import { type BenchApp, startApp } from './app/start-app.ts'
import { addWaiting, openSection, setPaces } from './app/waiting.ts'
import { percentile, type Figure, type Part } from './report.ts'

const PEOPLE = 300
const smsAfterMs = 20_000

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

interface Row {
  channel: string
  state: string
  recipient_id: number
  seen_at: number | null
  accepted_at: number | null
}

/** 300 people wait, with SMS limited to one segment a second: notifications first, texts to those who saw none. */
export async function measureSeen(): Promise<Part> {
  const figures = [
    ...(await withApp((app) => measure(app, 'all with a device', () => false, null))),
    ...(await withApp((app) => measure(app, '10% without', (place) => place % 10 === 0, null))),
    ...(await withApp((app) => measure(app, '10% without, gone after 10 s', (place) => place % 10 === 0, 10_000))),
  ]
  return {
    name: 'v. Seen: 300 people wait for one seat, SMS limited to 1 segment a second',
    figures,
    notes: [
      'The world’s devices show a notification 60 ms after its push service took it, and report it as the service worker does.',
      'A text waits 20 s for its notification to be seen.',
    ],
  }
}

async function withApp(run: (app: BenchApp) => Promise<Figure[]>): Promise<Figure[]> {
  const app = await startApp({ size: { subjects: 2, sections: 4 }, smsDeliveryMs: 200 })
  try {
    return await run(app)
  } finally {
    await app.close()
  }
}

async function measure(
  app: BenchApp,
  what: string,
  isWithout: (place: number) => boolean,
  closesAfterMs: number | null,
): Promise<Figure[]> {
  await setPaces(app, { sms: 1, mail: 0, discord: 0 })
  const section = await openSection(app)
  const poll = await addWaiting(app, section, PEOPLE, 'phone')
  await addDevices(app, poll, isWithout, smsAfterMs)
  const startedAt = Date.now()
  await app.ask('/_bench/queue')
  let closedAt = Infinity
  if (closesAfterMs !== null) {
    await wait(startedAt + closesAfterMs - Date.now())
    await app.db.prepare("UPDATE section SET status = 'closed', seats_available = 0 WHERE id = ?").bind(section).run()
    closedAt = Date.now()
  }
  await wait(startedAt + smsAfterMs + 500 - Date.now())
  await app.run('sweep-alerts', {})
  const until = Date.now() + 60_000
  while ((await app.ask<number>('/_bench/unsettled')) > 0 && Date.now() < until) await wait(200)
  const rows = await rowsOf(app, poll)
  const pushes = rows.filter(({ channel }) => channel === 'push')
  const texts = rows.filter(({ channel, accepted_at }) => channel === 'phone' && accepted_at !== null)
  const seen = pushes.map(({ seen_at }) => ((seen_at ?? Infinity) - startedAt) / 1000).toSorted((a, b) => a - b)
  const saw = new Set(pushes.filter(({ seen_at }) => seen_at !== null).map(({ recipient_id }) => recipient_id))
  const late = texts.filter(({ accepted_at }) => (accepted_at ?? 0) > closedAt + 1000).length
  return [
    { what: `${what}: seen, p95`, value: percentile(seen, 0.95), unit: 's', atMost: 5 },
    { what: `${what}: seen by the last of ${pushes.length}`, value: seen.at(-1) ?? Number.NaN, unit: 's', atMost: 15 },
    {
      what: `${what}: texts to people who saw it`,
      value: texts.filter(({ recipient_id }) => saw.has(recipient_id)).length,
      unit: '',
      exactly: 0,
    },
    closesAfterMs === null
      ? { what: `${what}: texts`, value: texts.length, unit: '', exactly: PEOPLE - pushes.length }
      : { what: `${what}: texts sent after it was believed closed`, value: late, unit: '', exactly: 0 },
  ]
}

async function rowsOf(app: BenchApp, poll: string): Promise<Row[]> {
  const { results } = await app.db
    .prepare('SELECT channel, state, recipient_id, seen_at, accepted_at FROM delivery WHERE poll_id = ?')
    .bind(poll)
    .all<Row>()
  return results
}
