import { formOf, json, type Answer, type Call } from '../http.ts'
import type { World } from '../world.ts'
import { methodNotAllowed, oauthError } from './errors.ts'
import type { Grants } from './grants.ts'

/** The application's id and secret, from the Authorization header or, as Discord also allows, from the form. */
function isOurApplication(world: World, call: Call, form: URLSearchParams): boolean {
  const basic = /^Basic (.+)$/.exec(call.headers.authorization ?? '')?.[1]
  const [id, secret] =
    basic === undefined
      ? [form.get('client_id'), form.get('client_secret')]
      : Buffer.from(basic, 'base64').toString('utf8').split(':')
  return id === world.options.discordClientId && secret === world.options.discordClientSecret
}

/** POST /oauth2/token, and /oauth2/token/revoke. */
export function answerToken(world: World, grants: Grants, call: Call): Answer {
  if (call.method !== 'POST') return methodNotAllowed()
  if (!(call.headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded'))
    return oauthError(400, 'invalid_request', 'The form must be urlencoded.')
  const form = formOf(call)
  if (!isOurApplication(world, call, form)) return oauthError(401, 'invalid_client')
  if (call.path.endsWith('/revoke')) {
    grants.revoke(form.get('token') ?? '')
    return json({})
  }
  const now = world.now()
  switch (form.get('grant_type')) {
    case 'authorization_code': {
      const [code, redirectUri] = [form.get('code'), form.get('redirect_uri')]
      if (!code || !redirectUri) return oauthError(400, 'invalid_request')
      const tokens = grants.redeem(code, redirectUri, form.get('code_verifier') ?? '', now)
      return tokens ? json(tokens) : oauthError(400, 'invalid_grant', 'Invalid "code" in request.')
    }
    case 'refresh_token': {
      const tokens = grants.renew(form.get('refresh_token') ?? '', now)
      return tokens ? json(tokens) : oauthError(400, 'invalid_grant', 'Invalid "refresh_token" in request.')
    }
    default:
      return oauthError(400, 'unsupported_grant_type')
  }
}
