import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseOptions } from '../command-options.ts'
import { keeps, printPart, type Figure } from '../bench/report.ts'
import { randomFrom } from '../world/random.ts'
import { startWorld } from '../world/server.ts'
import { bundle } from '../world/start/bundle.ts'
import { everyMinute } from '../world/start/cron.ts'
import { bindingsOf, prepare, SMS_FROM, TWILIO } from '../world/start/prepare.ts'
import { freePort } from '../world/start/settings.ts'
import { stopAllWranglers } from '../world/start/wrangler.ts'
import { startSoaked } from './app.ts'
import type { AttackTally, Target } from './attacks/attacker.ts'
import { attack } from './attacks/attackers.ts'
import { attackFigures } from './attacks/figures.ts'
import { clientsFor } from './clients.ts'
import { Collector } from './collector.ts'
import { guestFigures, latenessFigures, memoryFigure, messageFigures, visitorFigures } from './figures.ts'
import { gains, readGuarded } from './attack-results.ts'
import { confirmations, startActiveUsers } from './active-users.ts'
import { prepareAttack, readSoakAccounts } from './soak-accounts.ts'
import { type Disturbance, latenessOf, sentAlerts } from './lateness.ts'
import { courseOf } from './memory.ts'
import { withDatabase } from './state.ts'
import { startDisruptions } from './disruptions.ts'
import { Visitors } from './visitors.ts'
import { watchMemory } from './watch-memory.ts'
import { lostOf, open, progressOf, watchSections } from './watched.ts'

/**
 * `npm run soak [-- --minutes N]`: mixed use of the whole app on persisted state, default: half an hour, while seats
 * change, services fail, and the app is killed every few minutes. One client in ten attacks. Exits with 1 if anything
 * is lost, sent twice or late, answered with an error, or leaks memory, if a legitimate user is refused, or if an
 * attacker gains something.
 */
const { values } = parseOptions(
  {
    options: {
      minutes: { type: 'string', default: '30' },
      rate: { type: 'string', default: '50' },
      life: { type: 'string' },
      state: { type: 'string' },
    },
  },
  `npm run soak -- [--minutes N] [--rate N] [--life N] [--state FOLDER]
Uses the whole app for 30 minutes while seats move, services fail and the app crashes.

  --minutes N     1 to 240
  --rate N        requests a second between the rushes (50); fewer where the machine has something else to do
  --life N        minutes between crashes; 5 to 8, by chance, when left out
  --state FOLDER  where the state is kept; a folder of its own when left out`,
)
const [minutes, rate, life] = [Number(values.minutes), Number(values.rate), Number(values.life ?? 4)]
if (!(minutes >= 1 && minutes <= 240 && rate >= 1 && rate <= 500 && life >= 1)) {
  console.error('--minutes is a number from 1 to 240, --rate one from 1 to 500, --life one from 1.')
  process.exit(2)
}

const openEveryMs = 5000
const minuteMs = 60_000
/** How long the last messages may take: failed ones are retried with growing delays. */
const settleMs = 12 * minuteMs
/** Longer than any lookup of an ambiguous message: what would be sent twice is sent by then. */
const quietMs = 45_000

const stateDir = values.state ?? (await mkdtemp(join(tmpdir(), 'class-cords-soak-')))
const cleanups: (() => unknown)[] = [stopAllWranglers]
if (values.state === undefined) cleanups.unshift(() => rm(stateDir, { recursive: true, force: true }))
const say = (text: string) => console.log(`${new Date().toISOString().slice(11, 19)}  ${text}`)

async function soak(): Promise<Figure[]> {
  const [port, worldPort, inspectorPort] = [await freePort(), await freePort(), await freePort()]
  const appUrl = `http://127.0.0.1:${port}`
  const size = { subjects: 6, sections: 40 }
  const { world, url, close } = await startWorld({ port: worldPort, appUrl, ...TWILIO, smsFrom: SMS_FROM, size })
  cleanups.push(close)
  await prepare({ stateDir, appUrl, worldUrl: url, verbose: false })
  const wanted = Math.floor((minutes * minuteMs) / openEveryMs) - 1
  const watched = watchSections(stateDir, world, wanted)
  say(`${watched.length} sections are watched, and open one after the other`)
  const clients = clientsFor(rate)
  prepareAttack(stateDir, clients.attacking.length)
  const known = readSoakAccounts(stateDir)
  const guarded = readGuarded(stateDir)

  const settings = {
    port,
    inspectorPort,
    stateDir,
    script: await bundle(),
    bindings: bindingsOf(stateDir, appUrl, url),
  }
  let app = await startSoaked(settings)
  cleanups.push(() => app.kill())
  const collector = new Collector(inspectorPort)
  await collector.connect()
  let isUp = true
  let lifeNumber = 0
  const random = randomFrom(`soak ${Date.now()}`)
  cleanups.push(everyMinute(appUrl, () => {}))
  const visitors = new Visitors(appUrl, { aSecond: rate, clients, isUp: () => isUp })
  const users = new Map<number, Set<string>>()
  const used = (invite: number, address: string) =>
    users.set(invite, (users.get(invite) ?? new Set<string>()).add(address))
  const unrest = startDisruptions(world, new Set(watched.map(({ section }) => section)))
  cleanups.push(unrest.stop)
  const closed = watched.values()
  const opening = setInterval(() => {
    const next = closed.next()
    if (!next.done) open(world, next.value)
  }, openEveryMs)
  const memory = watchMemory(collector, () => (isUp ? { life: lifeNumber, group: app.group } : null))
  const { samples } = memory
  cleanups.push(memory.stop)
  const startedAt = Date.now()
  const endsAt = startedAt + minutes * minuteMs
  await visitors.start()
  const guests = await startActiveUsers({ origin: appUrl, visitors, known, used })
  cleanups.push(guests.stop)
  const attacks: AttackTally = { answers: new Map(), gained: [], failures: [] }
  const target: Target = {
    origin: appUrl,
    known,
    isUp: () => isUp,
    isOver: () => Date.now() >= endsAt - 1000,
    staffSession: () => visitors.staffSession,
    used,
    tally: attacks,
  }
  const attacked = attack(target, clients.attacking)
  const disturbances: Disturbance[] = []
  say(`${clients.attacking.length} of ${clients.attacking.length + clients.honest.length} clients attack`)

  for (;;) {
    const livesFor = values.life === undefined ? random.between(5 * minuteMs, 8 * minuteMs) : life * minuteMs
    await Promise.race([pause(Math.min(livesFor, endsAt - Date.now())), app.ended])
    if (Date.now() >= endsAt - 1000) break
    isUp = false
    const endedAt = Date.now()
    await app.kill()
    say(`ended outright after ${Math.round(livesFor / 1000)} s · ${progressOf(watched, world)}`)
    say(`it had, every half minute, ${courseOf(samples, lifeNumber)}`)
    app = await startSoaked(settings)
    await collector.connect()
    lifeNumber += 1
    isUp = true
    disturbances.push({ channel: 'every', from: endedAt, to: Date.now() })
    visitors.rush()
  }
  clearInterval(opening)
  memory.stop()
  unrest.stop()
  guests.stop()
  await Promise.all([visitors.stop(), attacked])
  const lastAsked = Date.now()
  say(`the last visitor has left · ${progressOf(watched, world)}`)
  say(`the runtime had, every half minute, ${courseOf(samples, lifeNumber)}`)
  const areMissing = () => lostOf(watched, world).length > 0 || confirmations(world, guests).includes(null)
  while (Date.now() < lastAsked + settleMs && areMissing()) await pause(1000)
  await pause(quietMs)
  say(`all is quiet · ${progressOf(watched, world)}`)
  const repeated = withDatabase(stateDir, (database) =>
    Number(database.prepare('SELECT count(*) AS count FROM delivery WHERE is_repeated').get()?.['count']),
  )
  await app.kill()

  const { tally } = visitors
  for (const one of lostOf(watched, world))
    say(`lost: ${one.address} at ${one.section.term.name} ${one.section.number}`)
  for (const failure of tally.failures) say(failure)
  const lateness = latenessOf(sentAlerts(stateDir, startedAt), [...disturbances, ...unrest.disturbances])
  for (const one of lateness.late) say(one)
  const usersOf = new Map([...users].map(([invite, addresses]) => [invite, addresses.size]))
  attacks.gained.push(...gains(stateDir, { before: guarded, attackers: clients.attacking, usersOf, startedAt }))
  for (const one of [...attacks.gained, ...attacks.failures]) say(`attack: ${one}`)
  const memoryFrom = Math.min(10, minutes / 3)
  return [
    ...messageFigures(watched, world, repeated),
    ...latenessFigures(lateness),
    ...visitorFigures(tally, minutes),
    ...guestFigures(guests, world),
    {
      what: 'times the runtime was ended outright',
      value: lifeNumber,
      unit: '',
      atLeast: minutes >= 9 && values.life === undefined ? 1 : 0,
    },
    { what: 'faults switched on', value: unrest.faults(), unit: '', note: `${unrest.moves()} seats moved beside them` },
    ...attackFigures(attacks),
    memoryFigure(samples, startedAt, memoryFrom),
  ]
}

async function end(code: number): Promise<void> {
  for (const cleanup of cleanups.toReversed()) await cleanup()
  process.exit(code)
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void end(1))

let code = 1
try {
  const figures = await soak()
  printPart({ name: `Soak of ${minutes} minutes`, figures, notes: [] })
  code = figures.every(keeps) ? 0 : 1
} catch (error) {
  console.error(error)
}
await end(code)
