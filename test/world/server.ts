import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { banner8StandIns } from './banner8/stand-in.ts'
import { bannerStandIn } from './banner/stand-in.ts'
import { colleagueStandIns } from './colleague/stand-in.ts'
import { controlHandler } from './control/control.ts'
import { sourceAt } from './control/other-systems.ts'
import { cunyStandIn } from './cuny/stand-in.ts'
import { discordStandIns } from './discord/stand-in.ts'
import { carryOut, playFault } from './faults.ts'
import { foseStandIns } from './fose/stand-in.ts'
import { hcxStandIns } from './hcx/stand-in.ts'
import { readCall, type Call, type Handler, type StandIn } from './http.ts'
import { mailStandIn } from './mail/stand-in.ts'
import { pagesHandler } from './pages/pages.ts'
import { pushStandIn } from './push/stand-in.ts'
import { rutgersStandIns } from './rutgers/stand-in.ts'
import { smsStandIn } from './sms/stand-in.ts'
import { keepState } from './state-file.ts'
import { startTraffic } from './traffic.ts'
import { makeWorld, type World, type WorldOptions } from './world.ts'

export interface RunningWorld {
  url: string
  port: number
  world: World
  /** Ends every connection, including hanging ones, and writes the state. */
  close(): Promise<void>
}

/** Every external service, each under its own prefix. */
function standInsOf(world: World): StandIn[] {
  const schools = world.catalog.schools.flatMap((school) =>
    school.banner ? [bannerStandIn(world, school, school.banner)] : [],
  )
  const standIns: StandIn[] = [
    ...schools,
    ...colleagueStandIns(world),
    ...rutgersStandIns(world),
    ...foseStandIns(world),
    ...hcxStandIns(world),
    ...banner8StandIns(world),
    cunyStandIn(world),
    smsStandIn(world),
    mailStandIn(world),
    pushStandIn(world),
    ...discordStandIns(world),
  ]
  return standIns.map((standIn) => ({ ...standIn, source: sourceAt(standIn.prefix) }))
}

function below(call: Call, prefix: string): Call | null {
  if (call.path !== prefix && !call.path.startsWith(`${prefix}/`)) return null
  return { ...call, path: call.path.slice(prefix.length) || '/' }
}

async function respond(
  world: World,
  standIns: StandIn[],
  others: [string, Handler][],
  call: Call,
  response: ServerResponse,
): Promise<void> {
  for (const standIn of standIns) {
    const inner = below(call, standIn.prefix)
    if (!inner) continue
    world.log({
      service: standIn.source ?? standIn.service,
      method: call.method,
      path: call.url.pathname + call.url.search,
      at: call.at,
    })
    const struck = world.faults.strike(standIn, inner)
    const { slowMs, retryAfterSeconds } = world.options
    const outcome = struck
      ? await playFault(struck, standIn, inner, { slowMs, retryAfterSeconds })
      : { kind: 'answer' as const, answer: await standIn.answer(inner), delayMs: 0 }
    carryOut(outcome, response)
    return
  }
  for (const [prefix, handler] of others) {
    const inner = prefix === '' ? call : below(call, prefix)
    if (inner) return carryOut({ kind: 'answer', answer: await handler(inner), delayMs: 0 }, response)
  }
}

/** Starts the stand-ins for all external services on the local machine. Rejects if the port is in use. */
export async function startWorld(options: WorldOptions): Promise<RunningWorld> {
  const world = makeWorld(options)
  const flush = options.stateFile === undefined ? () => {} : keepState(world, options.stateFile)
  const standIns = standInsOf(world)
  const others: [string, Handler][] = [
    ['/_world', controlHandler(world)],
    ['', pagesHandler(world)],
  ]
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    readCall(request)
      .then((call) => respond(world, standIns, others, call, response))
      .catch((error: unknown) => {
        console.error('world:', error)
        if (!response.headersSent) response.writeHead(500, { 'content-type': 'text/plain' })
        response.end('The stand-in itself failed; see its output.')
      })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, '127.0.0.1', () => {
      server.off('error', reject)
      resolve()
    })
  })
  if (options.unref) server.unref().on('connection', (socket) => socket.unref())
  const stopTraffic = options.trafficMs === undefined ? () => {} : startTraffic(world, options.trafficMs)
  const { port } = server.address() as AddressInfo
  world.url = `http://localhost:${port}`
  return {
    url: world.url,
    port,
    world,
    close: async () => {
      stopTraffic()
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
      flush()
    },
  }
}
