import { startApp, type BenchApp } from './app/start-app.ts'
import { addWaiting, openSection, setPaces, type Channel } from './app/waiting.ts'
import { sendBarely } from './bare-sending.ts'
import { percentile, type Figure, type Part } from './report.ts'
import type { WorldOptions } from '../world/world.ts'

const unpaced = { sms: 0, mail: 0, discord: 0 }
const giveUpMs = 150_000
/**
 * A carrier accepts a text within about a second and reports its arrival some seconds later. In Twilio's own example of
 * a message, two seconds are between `date_created` and `date_sent`
 * (https://www.twilio.com/docs/messaging/guides/outbound-message-logging).
 */
const asCarriersReport = { sent: { least: 300, most: 1000 }, delivered: { least: 2000, most: 10_000 } }
const reportsMs = 20_000

interface DeliveryRow {
  poll_id: string
  channel: string
  state: string
  accepted_at: number | null
  is_repeated: number
}

async function fault(app: BenchApp, service: string, perSecond: number): Promise<void> {
  const body = JSON.stringify({ service, mode: 'rate', per_second: perSecond })
  const answer = await fetch(`${app.world.url}/_world/faults`, { method: 'POST', body })
  if (!answer.ok) throw new Error(await answer.text())
}

/** Queues what is written as a poll does, and waits until every delivery has ended or time is up. */
async function sendAll(app: BenchApp, meanwhile: () => Promise<void> = async () => {}): Promise<{ startedAt: number }> {
  const startedAt = Date.now()
  await app.ask('/_bench/queue')
  await meanwhile()
  for (;;) {
    // Not by `app.db`: its calls block this process, and the runtime may be waiting for us to read its log.
    const left = await app.ask<number>('/_bench/unsettled')
    if (left === 0 || Date.now() > startedAt + giveUpMs) return { startedAt }
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

async function awaitMails(app: BenchApp): Promise<void> {
  const until = Date.now() + 60_000
  const left = () => app.db.prepare('SELECT count(*) AS n FROM mail WHERE sent_at IS NULL').first<number>('n')
  while ((await left()) !== 0 && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 200))
}

/** Waits until the provider has reported on everything. */
async function awaitReports(app: BenchApp): Promise<void> {
  const until = Date.now() + reportsMs
  const left = () => app.db.prepare(`SELECT count(*) AS n FROM delivery WHERE state = 'sent'`).first<number>('n')
  while ((await left()) !== 0 && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 200))
}

async function deliveriesOf(app: BenchApp): Promise<DeliveryRow[]> {
  const { results } = await app.db
    .prepare('SELECT poll_id, channel, state, accepted_at, is_repeated FROM delivery')
    .all<DeliveryRow>()
  return results
}

/** Messages that anyone received more than once. */
function duplicates(app: BenchApp): number {
  const { messages, emails, posts } = app.world.world
  const reached = [
    ...messages.filter(({ direction }) => direction === 'outbound-api').map(({ to }) => to),
    ...emails.filter(({ subject }) => subject.startsWith('Seat open')).map(({ to }) => to.join()),
    ...posts.map(({ url }) => url),
  ]
  return reached.length - new Set(reached).size
}

const secondsOf = (rows: readonly DeliveryRow[], startedAt: number): number[] =>
  rows.map(({ accepted_at }) => ((accepted_at ?? Infinity) - startedAt) / 1000)

function outcomeFigures(app: BenchApp, rows: readonly DeliveryRow[], label: string): Figure[] {
  const sent = rows.filter(({ state }) => state === 'sent' || state === 'delivered')
  return [
    { what: `${label}: not accepted`, value: rows.length - sent.length, unit: '', exactly: 0 },
    { what: `${label}: messages beyond one a person`, value: duplicates(app), unit: '', exactly: 0 },
  ]
}

const smallWorld: Partial<WorldOptions> = { size: { subjects: 2, sections: 4 }, smsDeliveryMs: 200 }

async function withApp(
  options: Partial<WorldOptions>,
  measure: (app: BenchApp) => Promise<Figure[]>,
): Promise<Figure[]> {
  const app = await startApp({ ...smallWorld, ...options }, 'measured-worker', { isStraight: true })
  try {
    return await measure(app)
  } finally {
    await app.close()
  }
}

/** The promised bound: this many requests at this rate, plus a fifth. */
const within = (requests: number, rate: number): number => (1.2 * requests) / rate

/** 500 people by email at Resend's rate; account email and an alert for another section beside them. */
async function measureMail(app: BenchApp): Promise<Figure[]> {
  await setPaces(app, { ...unpaced, mail: 2 })
  await fault(app, 'email', 2)
  const large = await addWaiting(app, await openSection(app), 500, 'email')
  let other = ''
  let askedAt = 0
  const { startedAt } = await sendAll(app, async () => {
    askedAt = Date.now()
    other = await addWaiting(app, await openSection(app), 3, 'email')
    await Promise.all([app.ask('/_bench/queue'), ...Array.from({ length: 5 }, () => app.ask('/_bench/mail'))])
  })
  await awaitMails(app)
  const rows = await deliveriesOf(app)
  const requests = app.world.world.requests.filter(({ service }) => service === 'email')
  const group = secondsOf(
    rows.filter(({ poll_id }) => poll_id === large),
    startedAt,
  )
  const others = secondsOf(
    rows.filter(({ poll_id }) => poll_id === other),
    askedAt,
  )
  const { results: mails } = await app.db
    .prepare('SELECT sent_at - created_at AS ms FROM mail')
    .all<{ ms: number | null }>()
  const all = requests.length
  return [
    ...outcomeFigures(app, rows, '500 by mail at 2 requests/s'),
    {
      what: 'the last of them',
      value: Math.max(...group),
      unit: 's',
      atMost: within(all, 2),
      note: `${all} requests in all, account mail and retries included`,
    },
    { what: 'an alert for another section', value: Math.max(...others), unit: 's', atMost: 5 },
    {
      what: 'account mail beside them, the slowest of 5',
      value: Math.max(...mails.map(({ ms }) => (ms ?? Infinity) / 1000)),
      unit: 's',
      atMost: 60,
    },
  ]
}

/** 500 people by SMS: no requests can be shared there. */
async function measureMany(app: BenchApp): Promise<Figure[]> {
  await setPaces(app, { ...unpaced, sms: 20 })
  await fault(app, 'sms', 20)
  const large = await addWaiting(app, await openSection(app), 500, 'phone')
  let other = ''
  let askedAt = 0
  const { startedAt } = await sendAll(app, async () => {
    await new Promise((resolve) => setTimeout(resolve, 5000))
    askedAt = Date.now()
    other = await addWaiting(app, await openSection(app), 3, 'phone')
    await app.ask('/_bench/queue')
  })
  const rows = await deliveriesOf(app)
  const segments = segmentsOf(app)
  const group = secondsOf(
    rows.filter(({ poll_id }) => poll_id === large),
    startedAt,
  )
  const others = secondsOf(
    rows.filter(({ poll_id }) => poll_id === other),
    askedAt,
  )
  return [
    ...outcomeFigures(app, rows, '500 by SMS at 20 segments/s'),
    {
      what: 'the last of them',
      value: Math.max(...group),
      unit: 's',
      atMost: within(segments, 20),
      note: `${segments} segments, ${refusals(app, 'sms')} requests beyond one a message`,
    },
    { what: 'an alert for another section, 5 s later', value: Math.max(...others), unit: 's', atMost: 6 },
  ]
}

/** As the world's provider counts them; our texts have only GSM-7 characters here. */
function segmentsOf(app: BenchApp): number {
  const sent = app.world.world.messages.filter(({ direction }) => direction === 'outbound-api')
  return sent.reduce((sum, { body }) => sum + (body.length <= 160 ? 1 : Math.ceil(body.length / 153)), 0)
}

function refusals(app: BenchApp, service: string): number {
  const requests = app.world.world.requests.filter((request) => request.service === service).length
  return requests - app.world.world.messages.filter(({ direction }) => direction === 'outbound-api').length
}

/** 3 000 people over three channels, each with its own pace. */
async function measureThreeChannels(app: BenchApp): Promise<Figure[]> {
  await setPaces(app, { sms: 20, mail: 2, discord: 2 })
  await fault(app, 'sms', 20)
  await fault(app, 'email', 2)
  const section = await openSection(app)
  for (const channel of ['phone', 'email', 'discord'] as const) await addWaiting(app, section, 1000, channel)
  const { startedAt } = await sendAll(app)
  const rows = await deliveriesOf(app)
  const last = (channel: Channel): number =>
    Math.max(
      ...secondsOf(
        rows.filter((row) => row.channel === channel),
        startedAt,
      ),
    )
  const mails = app.world.world.requests.filter(({ service }) => service === 'email').length
  return [
    ...outcomeFigures(app, rows, '3 000 over three channels'),
    { what: 'last SMS, 20 segments/s', value: last('phone'), unit: 's', atMost: within(segmentsOf(app), 20) },
    {
      what: 'last mail, 2 requests/s',
      value: last('email'),
      unit: 's',
      atMost: within(mails, 2),
      note: `${mails} requests`,
    },
    { what: 'last webhook, each its own', value: last('discord'), unit: 's' },
  ]
}

/** 3 000 SMS through a provider without a pace, however slowly it answers. */
async function measureUnpaced(app: BenchApp, latency: number, people: number, bare: number | null): Promise<Figure[]> {
  await setPaces(app, unpaced)
  await addWaiting(app, await openSection(app), people, 'phone')
  await app.counts()
  const { startedAt } = await sendAll(app)
  await awaitReports(app)
  await app.rest()
  const rows = await deliveriesOf(app)
  const counts = await app.counts()
  const read = counts.reduce((sum, { rows_read }) => sum + rows_read, 0)
  const largest = counts.toSorted((one, two) => two.rows_read - one.rows_read).slice(0, 6)
  const name = `${people} SMS, ${latency} ms an answer`
  const seconds = secondsOf(rows, startedAt)
  const last = Math.max(...seconds)
  return [
    ...outcomeFigures(app, rows, name),
    {
      what: `${name}: not reported as delivered`,
      value: rows.filter(({ state }) => state !== 'delivered').length,
      unit: '',
      exactly: 0,
    },
    {
      what: `${name}: the last`,
      value: last,
      unit: 's',
      ...(bare !== null && {
        atMost: 10,
        note: `${(last / bare).toFixed(1)} times the ${bare.toFixed(2)} s that a bare Worker takes for the same requests`,
      }),
    },
    { what: `${name}: the median`, value: percentile(seconds, 0.5), unit: 's' },
    {
      what: `${name}: D1 rows read a delivery, reports included`,
      value: read / people,
      unit: '',
      atMost: 60,
      note: largest.map(({ sql, rows_read }) => `${(rows_read / people).toFixed(1)} ${sql.slice(0, 40)}`).join(' | '),
    },
  ]
}

/** The worst lost message: 20 000 due deliveries without a job, before a provider with a pace. */
async function measureLost(app: BenchApp): Promise<Figure[]> {
  await setPaces(app, { sms: 1, mail: 1, discord: 1 })
  await addWaiting(app, await openSection(app), 20_000, 'phone')
  await app.counts()
  const read = async (): Promise<number> => {
    const counts = await app.counts()
    const sweeps = counts.filter(({ sql }) => /class_alert|look_at/.test(sql))
    return sweeps.reduce((sum, { rows_read }) => sum + rows_read, 0)
  }
  const startedAt = Date.now()
  await app.run('sweep-alerts', {})
  for (;;) {
    const left = await app.db.prepare('SELECT count(*) AS n FROM delivery WHERE look_at IS NULL').first<number>('n')
    if (left === 0 || Date.now() > startedAt + 60_000) break
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  const seconds = (Date.now() - startedAt) / 1000
  const jobs = await app.ask<number>('/_bench/jobs')
  const first = await read()
  await app.run('sweep-alerts', {})
  return [
    { what: '20 000 without a job: all queued again', value: seconds, unit: 's', atMost: 60, note: `${jobs} jobs` },
    { what: 'rows the sweep read for that, each', value: first / 20_000, unit: '' },
    { what: 'rows the next sweep reads while they wait', value: await read(), unit: '' },
  ]
}

/** Sending with paces that providers enforce. */
export async function measurePaces(): Promise<Part> {
  const figures = [
    ...(await withApp({}, measureMail)),
    ...(await withApp({}, measureMany)),
    ...(await withApp({}, measureThreeChannels)),
  ]
  return {
    name: '(p) Sending: paces that all keep together, and fairness',
    figures,
    notes: [
      'Providers refuse what comes faster than their rate (429), so every pace is checked from outside.',
      'Deliveries are written and queued as a poll does it; times count from its beginning.',
    ],
  }
}

async function sendUnpaced(latency: number, people: number): Promise<Figure[]> {
  const options = { smsAnswerMs: latency, smsDeliveryMs: asCarriersReport }
  // Right before, so that both have the same machine.
  const bare = people === 3000 ? await sendBarely(people, { ...smallWorld, ...options }) : null
  return withApp(options, (app) => measureUnpaced(app, latency, people, bare))
}

/** Sending without a pace, and after the worst loss. */
export async function measureSending(): Promise<Part> {
  const figures: Figure[] = []
  for (const people of [300, 1000]) {
    figures.push(...(await sendUnpaced(100, people)))
  }
  for (const latency of [100, 300]) figures.push(...(await sendUnpaced(latency, 3000)))
  figures.push(...(await withApp({}, measureLost)))
  return {
    name: '(s) Sending: throughput, rows read, and a lost announcement',
    figures,
    notes: [
      'Everything shares the machine, the provider too: its load counts. A bare Worker shows how much of that is not ours.',
      'Requests go straight to the providers, and reports straight to the Worker: the Workers of Miniflare that they otherwise pass, on the same thread, are in no deployment.',
      'The provider reports as carriers do: sent after 0.3 to 1 s, delivered after 2 to 10 s. Most of its 6,000 reports come while others are still being sent.',
    ],
  }
}
