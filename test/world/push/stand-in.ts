import { randomUUID } from 'node:crypto'
import { text, type Answer, type Call, type StandIn } from '../http.ts'
import type { World } from '../world.ts'
import { faultOfVapid } from './authorization.ts'
import { decryptFor, type DeviceRecord } from './device.ts'
import { reportLater } from './report.ts'

const MAX_BODY_BYTES = 4096
const URGENCIES = ['very-low', 'low', 'normal', 'high']

/** Why a push service would refuse the request (RFC 8030 §5); null if it would not. */
function refusal(world: World, call: Call, device: DeviceRecord | undefined): Answer | null {
  if (!device) return text('No such subscription', 404)
  if (device.isGone) return text('The subscription is gone', 410)
  const header = (name: string): string => String(call.headers[name] ?? '')
  const origin = `http://${header('host')}`
  const fault = faultOfVapid(header('authorization'), origin, device.applicationKey, world.now())
  if (fault !== null) return text(`Not authorized: ${fault}`, 403)
  if (!/^\d+$/.test(header('ttl'))) return text('A TTL header is required', 400)
  if (header('content-encoding') !== 'aes128gcm') return text('Only aes128gcm is taken', 400)
  if (!URGENCIES.includes(header('urgency') || 'normal')) return text('No such urgency', 400)
  if (!/^[\w-]{0,32}$/.test(header('topic'))) return text('A topic is at most 32 characters of base64url', 400)
  return call.bytes.length > MAX_BODY_BYTES ? text('The message is too large', 413) : null
}

function take(world: World, call: Call, id: string): Answer {
  const device = world.devices.find((candidate) => candidate.id === id)
  const refused = refusal(world, call, device)
  if (refused || !device) return refused ?? text('No such subscription', 404)
  let payload: string
  try {
    payload = decryptFor(device, call.bytes)
  } catch {
    // A real service forwards what it cannot read, and the device discards it.
    payload = '{"title":"(not readable)"}'
  }
  const { title, body, url } = JSON.parse(payload) as Record<string, string | undefined>
  const record = {
    id: randomUUID(),
    deviceId: device.id,
    device: device.name,
    title: title ?? '',
    body: body ?? '',
    url: url ?? '',
    payload,
    ttl: Number(call.headers.ttl),
    urgency: String(call.headers.urgency ?? 'normal'),
    topic: String(call.headers.topic ?? ''),
    at: world.now(),
    shownAt: null,
    openedAt: null,
    inOutbox: true,
  }
  world.notifications.push(record)
  world.changed()
  if (device.isPhone) reportLater(world, record)
  return { status: 201, headers: { location: `${call.url.origin}/push/message/${record.id}` }, body: '' }
}

/** A push service: it decrypts what it accepts, and the phones that it created show it. */
export function pushStandIn(world: World): StandIn {
  const idOf = (call: Call): string | undefined => /^\/send\/([\w-]+)$/.exec(call.path)?.[1]
  return {
    service: 'push',
    prefix: '/push',
    accepts: (call) => call.method === 'POST' && idOf(call) !== undefined,
    answer: (call) => {
      const id = idOf(call)
      return call.method === 'POST' && id !== undefined ? take(world, call, id) : text('Nothing here', 404)
    },
    // Answered by something in between that knows nothing about messages.
    emptyAnswer: (call) => (call.method === 'POST' ? text('') : null),
    errorBody: (status) => ({ type: 'text/plain', body: status === 429 ? 'Too many messages' : 'Internal error' }),
  }
}
