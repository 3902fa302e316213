import { json, jsonObjectOf, type Answer, type Call } from '../http.ts'
import type { World } from '../world.ts'
import { discordError, methodNotAllowed } from './errors.ts'

const MAX_CONTENT = 2000

/** A webhook whose token begins like this was deleted by its owner. */
const DELETED = 'deleted'
/** A webhook whose token begins like this posts to a forum. */
const FORUM = 'forum'

/** Of cards with the same address, Discord's apps show only the first. */
function asShown(body: Record<string, unknown>): Record<string, unknown> {
  if (!Array.isArray(body.embeds)) return body
  const addresses = body.embeds.map((embed: { url?: unknown }) => embed.url)
  return { ...body, embeds: body.embeds.filter((_, place) => addresses.indexOf(addresses[place]) === place) }
}

function post(world: World, call: Call, { id, token }: { id: string; token: string }): Answer {
  const body = jsonObjectOf(call)
  if (!body) return discordError(400, 50109, 'The request body contains invalid JSON.')
  if (token.startsWith(FORUM) && typeof body.thread_name !== 'string')
    return discordError(400, 220001, 'Webhooks posted to forum channels must have a thread_name or thread_id')
  const content = typeof body.content === 'string' ? body.content : ''
  const embeds = Array.isArray(body.embeds) ? body.embeds.length : 0
  if (content === '' && embeds === 0) return discordError(400, 50006, 'Cannot send an empty message')
  if (content.length > MAX_CONTENT)
    return json(
      {
        message: 'Invalid Form Body',
        code: 50035,
        errors: {
          content: { _errors: [{ code: 'BASE_TYPE_MAX_LENGTH', message: 'Must be 2000 or fewer in length.' }] },
        },
      },
      400,
    )
  const at = world.now()
  const url = `${call.url.pathname.replace(/\/v\d+(?=\/webhooks\/)/, '')}${call.url.search}`
  world.posts.push({ url, body: asShown(body), at, inOutbox: true })
  world.changed()
  if (call.url.searchParams.get('wait') !== 'true') return { status: 204, headers: {}, body: '' }
  const message = String((BigInt(at) - 1_420_070_400_000n) << 22n)
  return json({
    id: message,
    type: 0,
    content,
    channel_id: '1180000000000000009',
    webhook_id: id,
    timestamp: new Date(at).toISOString(),
    embeds: body.embeds ?? [],
  })
}

/** Webhooks: any well-formed address exists, except those whose token begins with "deleted". */
export function answerWebhook(world: World, call: Call, id: string, token: string): Answer {
  if (token.startsWith(DELETED)) return discordError(404, 10015, 'Unknown Webhook')
  if (call.method === 'POST') return post(world, call, { id, token })
  if (call.method !== 'GET') return methodNotAllowed()
  return json({
    id,
    type: 1,
    name: 'Class alerts',
    channel_id: '1180000000000000009',
    guild_id: '1180000000000000008',
    token,
    avatar: null,
    application_id: null,
  })
}
