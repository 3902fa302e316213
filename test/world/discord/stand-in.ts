import { json, refusalOfNameless, text, type Answer, type Call, type StandIn } from '../http.ts'
import type { World } from '../world.ts'
import { answerAuthorize } from './authorize.ts'
import { methodNotAllowed, notFound } from './errors.ts'
import { Grants } from './grants.ts'
import { answerImage } from './images.ts'
import { answerInvite } from './invites.ts'
import { RateLimits } from './rate-limits.ts'
import { answerToken } from './token.ts'
import { answerGuilds, answerMe } from './users.ts'
import { answerWebhook } from './webhooks.ts'

function answerApi(world: World, grants: Grants, limits: RateLimits, call: Call): Answer {
  const path = call.path.replace(/^\/v\d+(?=\/)/, '')
  const now = world.now()
  const [, id = '', token = ''] = /^\/webhooks\/(\d{17,20})\/([\w-]+)$/.exec(path) ?? []
  if (id) return answerWebhook(world, call, id, token)
  if (path === '/oauth2/token' || path === '/oauth2/token/revoke') return answerToken(world, grants, { ...call, path })
  const invite = /^\/invites\/([\w-]+)$/.exec(path)?.[1]
  if (invite === undefined && path !== '/users/@me' && path !== '/users/@me/guilds') return notFound()
  if (call.method !== 'GET') return methodNotAllowed()
  if (invite !== undefined) return limits.guard('invites', now, () => answerInvite(world, call, invite))
  const caller = call.headers.authorization ?? ''
  return path === '/users/@me'
    ? limits.guard(`me ${caller}`, now, () => answerMe(grants, call, now))
    : limits.guard(`guilds ${caller}`, now, () => answerGuilds(grants, call, now))
}

/**
 * Discord in two parts, as it has several hosts: what programs call, which can have faults, and what people's browsers
 * open (the authorize page and images), which always works.
 */
export function discordStandIns(world: World): StandIn[] {
  const grants = new Grants()
  const limits = new RateLimits(world.options.discordCallsPer10s)
  const api: StandIn = {
    service: 'discord',
    prefix: '/discord/api',
    accepts: (call) => call.method === 'POST' && /^(\/v\d+)?\/webhooks\//.test(call.path),
    answer: (call) => refusalOfNameless(call) ?? answerApi(world, grants, limits, call),
    emptyAnswer: () => json({}),
    errorBody: (status) => ({
      type: 'application/json',
      body: JSON.stringify(
        status === 429
          ? { message: 'You are being rate limited.', retry_after: world.options.retryAfterSeconds, global: false }
          : { message: '500: Internal Server Error', code: 0 },
      ),
    }),
  }
  const pages: StandIn = {
    service: 'discord_pages',
    prefix: '/discord',
    answer: (call) => {
      if (call.path === '/oauth2/authorize') return answerAuthorize(world, grants, call)
      if (call.path.startsWith('/cdn/')) return answerImage({ ...call, path: call.path.slice('/cdn'.length) })
      return text('Not found', 404)
    },
    emptyAnswer: () => null,
    errorBody: () => ({ type: 'text/plain', body: '' }),
  }
  return [api, pages]
}
