import { escapeHtml, html, type Answer, type Call } from '../http.ts'
import type { World } from '../world.ts'
import type { Grants } from './grants.ts'
import { findPersona, PERSONAS } from './personas.ts'

/** The description of each scope that users see; other scopes are not offered. */
const SCOPES: Readonly<Record<string, string>> = {
  identify: 'Your username, avatar and banner',
  email: 'Your email address',
  guilds: 'What servers you are in',
}

/** The one address that the application is registered with. */
function callbackOf(world: World): string {
  return `${world.options.appUrl}/accounts/discord/login/callback/`
}

function refuse(title: string, detail: string): Answer {
  return html(layout(title, `<h1>${escapeHtml(title)}</h1><p>${escapeHtml(detail)}</p>`), 400)
}

function backTo(redirectUri: string, fields: Record<string, string | null>): Answer {
  const url = new URL(redirectUri)
  for (const [name, value] of Object.entries(fields)) if (value !== null) url.searchParams.set(name, value)
  return { status: 302, headers: { location: url.href, 'cache-control': 'no-store' }, body: '' }
}

/**
 * GET /oauth2/authorize: shows the requested scopes and lets the visitor select a persona. `persona` selects one,
 * `deny` refuses. Errors in the application's name or address are shown here, all others are reported to the
 * application (RFC 6749 §4.1.2.1).
 */
export function answerAuthorize(world: World, grants: Grants, call: Call): Answer {
  if (call.method !== 'GET' && call.method !== 'HEAD') return refuse('Method not allowed', 'Open this page with GET.')
  const query = call.url.searchParams
  if (query.get('client_id') !== world.options.discordClientId)
    return refuse('Unknown application', 'There is no application with this client_id.')
  const redirectUri = query.get('redirect_uri')
  if (redirectUri !== callbackOf(world))
    return refuse('Invalid OAuth2 redirect_uri', `Only ${callbackOf(world)} is registered.`)
  const state = query.get('state')
  const fail = (error: string, description: string): Answer =>
    backTo(redirectUri, { error, error_description: description, state })
  if (query.get('response_type') !== 'code') return fail('unsupported_response_type', 'Only "code" is supported.')
  const scopes = (query.get('scope') ?? '').split(/[ +]/).filter(Boolean)
  if (scopes.length === 0 || scopes.some((scope) => !Object.hasOwn(SCOPES, scope)))
    return fail('invalid_scope', 'The requested scope is invalid, unknown, or malformed.')
  const challenge = query.get('code_challenge')
  if (challenge !== null && (query.get('code_challenge_method') !== 'S256' || !/^[\w-]{43}$/.test(challenge)))
    return fail('invalid_request', 'The code challenge is malformed or its method is not S256.')
  const picked = query.get('persona')
  if (picked === null) return html(authorizePage(call.url, scopes))
  if (picked === 'deny') return fail('access_denied', 'The resource owner or authorization server denied the request')
  const persona = findPersona(picked)
  if (!persona) return refuse('Nobody of that name', `Personas: ${PERSONAS.map(({ name }) => name).join(', ')}, deny.`)
  return backTo(redirectUri, { code: grants.makeCode({ persona, scopes }, redirectUri, challenge, world.now()), state })
}

function authorizePage(url: URL, scopes: readonly string[]): string {
  const address = (persona: string): string => {
    const chosen = new URL(url)
    chosen.searchParams.set('persona', persona)
    return escapeHtml(chosen.pathname + chosen.search)
  }
  const people = PERSONAS.map(
    ({ name, displayName, about }) =>
      `<li><a href="${address(name)}"><b>${escapeHtml(name)}</b><span>${escapeHtml(displayName)}: ${escapeHtml(about)}</span></a></li>`,
  )
  return layout(
    'Authorize',
    `<p class="from">Discord, as the local world plays it</p>
<h1>Class Cords wants to access your account</h1>
<p>It asks for:</p><ul class="asked">${scopes.map((scope) => `<li>${SCOPES[scope]}</li>`).join('')}</ul>
<h2>Continue as</h2><ul class="people">${people.join('')}</ul>
<p><a class="deny" href="${address('deny')}">Cancel (deny)</a></p>`,
  )
}

function layout(title: string, content: string): string {
  return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Discord in the local world</title><link rel="icon" href="data:,"><style>
:root { color-scheme: light dark; --card: light-dark(#fff, #26272d); --line: light-dark(#c9ccd6, #4a4c56); --accent: light-dark(#4350c4, #a9b1ff); }
* { box-sizing: border-box; } body { margin: 0; padding: 24px 16px; font: 16px/1.5 system-ui, sans-serif; background: light-dark(#eceef6, #17181c); color: light-dark(#1c1d22, #f0f1f5); }
main { max-width: 30rem; margin: 0 auto; padding: 24px; border-radius: 12px; background: var(--card); overflow-wrap: anywhere; }
h1 { font-size: 24px; line-height: 1.2; margin: 0 0 12px; } h2 { font-size: 16px; } .from { margin: 0 0 4px; font-size: 14px; }
ul { padding-left: 1.2em; } ul.people { list-style: none; padding: 0; display: grid; gap: 8px; }
.people a { display: grid; padding: 10px 14px; border: 1px solid var(--line); border-radius: 8px; color: inherit; text-decoration: none; }
.people a:hover { border-color: var(--accent); } .people b { color: var(--accent); } .people span { font-size: 14px; }
.deny { display: inline-block; padding: 10px 0; color: var(--accent); } :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
</style></head><body><main>${content}</main></body></html>`
}
