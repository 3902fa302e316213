import { MODES, type Mode } from '../faults.ts'
import { json, jsonObjectOf, type Answer, type Call, type Handler } from '../http.ts'
import { isInvite } from '../discord/invites.ts'
import { listingOf } from '../schools/listing.ts'
import { findSection, narrow, reportOf, reportSections } from '../schools/find.ts'
import { changeSeats, RefusedChange, type SeatChange } from '../schools/seats.ts'
import type { Status } from '../schools/types.ts'
import { makeDevice } from '../push/device.ts'
import { subscribePhone } from '../push/subscribe.ts'
import { receiveReply } from '../sms/replies.ts'
import type { World } from '../world.ts'
import { findElsewhere, OTHER_SYSTEMS, reportElsewhere } from './other-systems.ts'

const STATUSES: readonly Status[] = ['open', 'waitlisted', 'closed']
const MESSAGE_SERVICES = ['sms', 'email']
/** Where messages are sent to, which may be too fast. */
export const RATED_SERVICES: readonly string[] = [...MESSAGE_SERVICES, 'discord', 'push']

function refuse(status: number, error: string): Answer {
  return json({ error }, status)
}

/** Every service that can have a fault: each source by name, and the four channels. */
export function servicesOf(world: World): string[] {
  const ofSchools = new Set(world.catalog.schools.map((school) => school.source))
  return [...ofSchools, ...OTHER_SYSTEMS.map(({ source }) => source), 'discord', 'sms', 'email', 'push']
}

function outbox(world: World): Answer {
  const at = (ms: number): string => new Date(ms).toISOString()
  return json({
    sms: world.messages.filter((m) => m.inOutbox).map((m) => ({ to: m.to, body: m.body, at: at(m.at) })),
    email: world.emails
      .filter((m) => m.inOutbox)
      .map((m) => ({ to: m.to.join(', '), subject: m.subject, text: m.text, html: m.html, at: at(m.at) })),
    discord: world.posts.filter((m) => m.inOutbox).map((m) => ({ url: m.url, body: m.body, at: at(m.at) })),
    push: world.notifications
      .filter((m) => m.inOutbox)
      .map((m) => ({
        device: m.device,
        title: m.title,
        body: m.body,
        url: m.url,
        at: at(m.at),
        shown_at: m.shownAt === null ? null : at(m.shownAt),
      })),
  })
}

function emptyOutbox(world: World): Answer {
  for (const record of [...world.messages, ...world.emails, ...world.posts, ...world.notifications])
    record.inOutbox = false
  world.changed()
  return json({})
}

function seatChangeOf(body: Record<string, unknown>): SeatChange | string {
  const change: SeatChange = {}
  for (const name of ['available', 'waitlist', 'unreserved'] as const) {
    const value = body[name]
    if (value === undefined) continue
    if (typeof value !== 'number' || !Number.isInteger(value)) return `${name} must be a whole number`
    if (name === 'waitlist' && value < 0) return 'waitlist counts people, so it cannot be negative'
    if (name === 'unreserved' && value < 0) return 'unreserved counts seats that may be taken, so it cannot be negative'
    change[name] = value
  }
  if (body.status !== undefined) {
    const status = STATUSES.find((candidate) => candidate === body.status)
    if (!status) return `status must be one of ${STATUSES.join(', ')}`
    change.status = status
  }
  if (body.offered !== undefined) {
    if (typeof body.offered !== 'boolean') return 'offered must be true or false'
    change.offered = body.offered
  }
  return change
}

/** What a change would set although the source's protocol cannot say it; null if it can say everything. */
function whatIsNeverSaid({ catalog }: World, source: string, { status, unreserved }: SeatChange): string | null {
  const isBanner8 = catalog.schools.some((one) => one.source === source && one.only?.kind === 'banner8')
  if (unreserved !== undefined && isBanner8) return 'how many seats are reserved'
  const hasWaitlists = OTHER_SYSTEMS.find((system) => system.source === source)?.kind !== 'rutgers'
  return status === 'waitlisted' && !hasWaitlists ? 'that a section has a waitlist' : null
}

/** Changes one section and returns what the source would say about it now. */
export function setSection(world: World, body: Record<string, unknown>): Answer {
  const [source, school, term, section] = [body.source, body.school, body.term, body.section]
  if (
    typeof source !== 'string' ||
    typeof school !== 'string' ||
    typeof term !== 'string' ||
    typeof section !== 'string'
  )
    return refuse(400, 'source, school, term and section are required, each a string')
  const change = seatChangeOf(body)
  if (typeof change === 'string') return refuse(400, change)
  const wanted = { source, school, term, section }
  const elsewhere = findElsewhere(world.catalog, wanted)
  const found = elsewhere?.section ?? findSection(world.catalog, wanted)
  if (!found) return refuse(404, `no section ${section} of ${school} in ${term} at ${source}`)
  const unsaid = whatIsNeverSaid(world, source, change)
  if (unsaid !== null) return refuse(422, `${source} never says ${unsaid}`)
  try {
    changeSeats(found, change)
  } catch (error) {
    if (error instanceof RefusedChange) return refuse(422, error.message)
    throw error
  }
  for (const member of found.crossList?.members ?? [found]) world.moved.add(member)
  world.changed()
  return json(elsewhere?.report() ?? reportOf(found))
}

/** Changes one section, or all of a list (for benches); the first refusal ends a list. */
function setSections(world: World, call: Call): Answer {
  const body = jsonObjectOf(call)
  if (!body) return refuse(400, 'the body must be a JSON object')
  if (!Array.isArray(body.sections)) return setSection(world, body)
  const reports: unknown[] = []
  for (const item of body.sections as unknown[]) {
    if (typeof item !== 'object' || item === null) return refuse(400, 'each of sections must be an object')
    const answer = setSection(world, { ...item })
    if (answer.status !== 200) return answer
    reports.push(JSON.parse(String(answer.body)))
  }
  return json(reports)
}

/** The source whose sections a service lists; null if it lists none. */
function listingSourceOf({ catalog }: World, service: string): string | null {
  const school = OTHER_SYSTEMS.find(({ source }) => source === service)?.school
  return catalog.schools.find(({ name, source }) => source === service || name === school)?.source ?? null
}

/** Turns on one fault; returns the active faults, or says what is wrong. */
export function setFault(world: World, body: Record<string, unknown>): Answer {
  const services = servicesOf(world)
  const service = services.find((name) => name === body.service)
  if (!service) return refuse(404, `service must be one of ${services.join(', ')}`)
  const mode = MODES.find((name): name is Mode => name === body.mode)
  if (!mode) return refuse(400, `mode must be one of ${MODES.join(', ')}`)
  if (mode.startsWith('accept_then') && !MESSAGE_SERVICES.includes(service))
    return refuse(400, `${mode} is for sms and email`)
  const listed = listingSourceOf(world, service)
  if (mode === 'stale_list' && listed === null) return refuse(400, `${mode} is for schools`)
  const times = body.times ?? null
  if (times !== null && (typeof times !== 'number' || !Number.isInteger(times) || times < 1))
    return refuse(400, 'times must be a positive whole number')
  if (mode !== 'rate') {
    world.faults.set(
      { service, mode, times },
      mode === 'stale_list' && listed !== null ? listingOf(world.catalog, listed) : null,
    )
    return json(world.faults.list())
  }
  const perSecond = body.per_second
  if (!RATED_SERVICES.includes(service)) return refuse(400, `rate is for ${RATED_SERVICES.join(', ')}`)
  if (typeof perSecond !== 'number' || !Number.isInteger(perSecond) || perSecond < 1)
    return refuse(400, 'per_second must be a positive whole number')
  world.faults.set({ service, mode, times, per_second: perSecond })
  return json(world.faults.list())
}

async function reply(world: World, call: Call): Promise<Answer> {
  const body = jsonObjectOf(call)
  if (typeof body?.from !== 'string' || typeof body.body !== 'string')
    return refuse(400, 'from and body are required, each a string')
  const { status, error } = await receiveReply(world, body.from, body.body)
  return status === null ? refuse(502, `the app did not take the reply: ${error}`) : json({ status })
}

/** A device for a browser: what `pushManager.subscribe` returns, and all it receives, as its push events contain it. */
function addDevice(world: World, call: Call): Answer {
  const { name, key } = jsonObjectOf(call) ?? {}
  const device = makeDevice({
    name: typeof name === 'string' ? name : 'Browser',
    applicationKey: typeof key === 'string' ? key : null,
    isPhone: false,
  })
  world.devices.push(device)
  world.changed()
  const { id, p256dh, auth } = device
  return json({ id, endpoint: `http://${call.headers.host}/push/send/${id}`, keys: { p256dh, auth } }, 201)
}

/** A phone of the world opens a link of the app and gets push notifications there. */
async function openLink(world: World, call: Call): Promise<Answer> {
  const { link, name } = jsonObjectOf(call) ?? {}
  if (typeof link !== 'string') return refuse(400, 'link is required, a string')
  const fault = await subscribePhone(world, link, typeof name === 'string' ? name : 'Chrome on Android')
  return fault === '' ? json({}, 201) : refuse(422, fault)
}

function requests(world: World, call: Call): Answer {
  const service = call.url.searchParams.get('service')
  const wanted = world.requests.filter((request) => service === null || request.service === service)
  return json(wanted.map((request) => ({ ...request, at: new Date(request.at).toISOString() })))
}

/** Revokes an invite at Discord, or restores it. */
function setInvite(world: World, call: Call): Answer {
  const body = jsonObjectOf(call)
  if (typeof body?.code !== 'string' || typeof body.revoked !== 'boolean')
    return refuse(400, 'code (a string) and revoked (true or false) are required')
  const { code, revoked } = body
  if (!isInvite(code)) return refuse(404, `no invite ${code}`)
  if (revoked) world.revokedInvites.add(code)
  else world.revokedInvites.delete(code)
  return json({ code, revoked })
}

/** The control surface under `/_world/`, for tests, scripts and people. */
export function controlHandler(world: World): Handler {
  const routes: Record<string, (call: Call) => Answer | Promise<Answer>> = {
    'GET outbox': () => outbox(world),
    'DELETE outbox': () => emptyOutbox(world),
    'POST sms': (call) => reply(world, call),
    'POST devices': (call) => addDevice(world, call),
    'POST push': (call) => openLink(world, call),
    'GET sections': ({ url }) => {
      const reports = [...reportSections(world.catalog), ...reportElsewhere(world.catalog)]
      return json(narrow(reports, new Map(url.searchParams)))
    },
    'POST sections': (call) => setSections(world, call),
    'POST invites': (call) => setInvite(world, call),
    'GET faults': () => json(world.faults.list()),
    'POST faults': (call) => {
      const body = jsonObjectOf(call)
      return body ? setFault(world, body) : refuse(400, 'the body must be a JSON object')
    },
    'DELETE faults': () => {
      world.faults.clear()
      return json([])
    },
    'GET requests': (call) => requests(world, call),
    'DELETE requests': () => {
      world.requests.length = 0
      return json([])
    },
    'DELETE sessions': () => {
      for (const end of world.endSessions) end()
      return json({})
    },
  }
  return (call) => {
    const name = call.path.replace(/^\/+|\/+$/g, '')
    const route = routes[`${call.method} ${name}`]
    if (route) return route(call)
    const allowed = Object.keys(routes).flatMap((key) =>
      key.endsWith(` ${name}`) ? [key.slice(0, key.indexOf(' '))] : [],
    )
    if (allowed.length === 0) return refuse(404, `nothing at /_world/${name}`)
    return json({ error: `use ${allowed.join(' or ')}` }, 405, { allow: allowed.join(', ') })
  }
}
