import { env } from 'cloudflare:workers'
import { isCall } from './expected.ts'
import type { People, Role } from './people.ts'

export interface Asked {
  role: Role
  method: string
  /** As it is sent. */
  path: string
  isJson: boolean
  /** Values of the browser's own cookies. */
  cookies: readonly string[]
}

/** The values of every variable that is named as a secret. */
export const secretsOfApp = Object.entries(env).flatMap(([name, value]) =>
  /_KEY|_TOKEN|_SECRET/.test(name) && typeof value === 'string' && value !== '' ? [value] : [],
)

const headersOfAll: Readonly<Record<string, RegExp>> = {
  'content-security-policy': /^default-src 'none'; script-src 'self'; style-src 'self'; .*frame-ancestors 'none'$/,
  'x-content-type-options': /^nosniff$/,
  'x-frame-options': /^DENY$/,
  'referrer-policy': /^strict-origin-when-cross-origin$/,
  'cross-origin-opener-policy': /^same-origin$/,
  'cross-origin-resource-policy': /^same-origin$/,
  'cache-control': /./,
}

/** What must be true of every answer to anyone. @returns what is wrong with it */
export function wrongWith(asked: Asked, response: Response, body: string, people: People): string[] {
  const wrong: string[] = []
  const { status, headers } = response
  if (status >= 500) wrong.push(`${status}: ${body.slice(0, 200)}`)
  if (status === 429 && !headers.has('retry-after')) wrong.push('does not say when to try again')
  for (const [name, expected] of Object.entries(headersOfAll))
    if (!expected.test(headers.get(name) ?? '')) wrong.push(`${name}: ${headers.get(name)}`)
  if (asked.role !== 'nobody' && /public|s-maxage/.test(headers.get('cache-control') ?? ''))
    wrong.push(`someone's answer may be kept by anyone: ${headers.get('cache-control')}`)
  wrong.push(
    ...wrongPlace(asked, headers.get('location')),
    ...wrongError(asked, response, body),
    ...told(asked, response, body, people),
  )
  return wrong
}

/** A redirect stays here, or leads to Discord's own page, or to the invite being joined. */
function wrongPlace({ path }: Asked, location: string | null): string[] {
  if (location === null || /^\/(?![/\\\s])/.test(location)) return []
  if (path.startsWith('/classcords/join/') && location.startsWith('https://discord.gg/')) return []
  return URL.parse(location)?.origin === new URL(env.DISCORD_OAUTH_URL).origin ? [] : [`leads away to ${location}`]
}

/** An error is an array of sentences for a call, and a page in the site's design for a person. */
function wrongError({ method, path, isJson }: Asked, { status, headers }: Response, body: string): string[] {
  if (method === 'HEAD') return body === '' ? [] : ['HEAD has a body']
  if (status < 400) return []
  if (!isJson && !isCall(URL.parse(path, 'http://x')?.pathname ?? path))
    return body.includes('id="page-data"') ? [] : ['an error without a page']
  if (!headers.get('content-type')?.startsWith('application/json'))
    return [`an error as ${headers.get('content-type')}`]
  const said: unknown = JSON.parse(body)
  if (Array.isArray(said) && said.length > 0 && said.every((text) => typeof text === 'string' && text !== '')) return []
  // The one exception: a recipient's form is returned with its errors.
  if (path.startsWith('/class_tracker/add_recipient/') && status === 422) return []
  return [`an error that is no array: ${body.slice(0, 200)}`]
}

function told({ role, path, cookies }: Asked, { headers }: Response, body: string, people: People): string[] {
  const others = role === 'superuser' ? [] : people.othersEmails(role)
  return [
    ...[...secretsOfApp, ...cookies, ...others].filter((text) => body.includes(text)).map((text) => `tells ${text}`),
    ...(/scrypt\$|sealed_|password_hash|id_hash/.test(body) ? ['tells how secrets are kept'] : []),
    ...(/\bat (?:async )?\S+ \(|\.tsx?:\d+/.test(body) ? ['shows a stack'] : []),
    ...(headers.get('content-type')?.startsWith('text/html') && body.includes('<script>alert(1)')
      ? [`repeats ${path} unescaped`]
      : []),
  ]
}
