import { env, exports } from 'cloudflare:workers'
import { hashPassword } from '../../src/accounts/password-hash.ts'
import { beginSession } from './begin-session.ts'
import type { PageContext } from '../../src/web/contract.ts'

export const site = 'http://localhost:8787'
export const goodPassword = 'correct horse battery'

let hash: Promise<string> | undefined
let users = 0
let visitors = 0

/** Adds a user whose password is {@link goodPassword} and whose address is verified. */
export async function addUser(
  user: { username?: string; isSuperuser?: boolean; isActive?: boolean; email?: string } = {},
) {
  hash ??= hashPassword(goodPassword, crypto.getRandomValues(new Uint8Array(16)))
  const username = user.username ?? `user${++users}`
  const email = user.email ?? `${username}@example.com`
  const row = await env.DB.prepare(
    `INSERT INTO user (id, username, email, email_verified_at, password_hash, is_superuser, is_active, created_at)
     VALUES (coalesce((SELECT max(id) + 1 FROM user), ?), ?, ?, 0, ?, ?, ?, 0) RETURNING id`,
  )
    // A limit that was busy when another file ended survives its reset, under its user's id: each file has different
    // ids.
    .bind(
      Math.floor(Date.now() / 100) % 1_000_000_000,
      username,
      email,
      await hash,
      user.isSuperuser ? 1 : 0,
      user.isActive === false ? 0 : 1,
    )
    .first<{ id: number }>()
  if (!row) throw new Error('The user was not added.')
  await env.DB.prepare(
    'INSERT INTO email_address (user_id, address, verified_at, is_primary, created_at) VALUES (?, ?, 0, 1, 0)',
  )
    .bind(row.id, email)
    .run()
  return { id: row.id, username, email }
}

/** The content of a page's page-data. */
export interface Seen<Props = unknown> {
  response: Response
  html: string
  data: { page: string; props: Props; context: PageContext }
}

/** A minimal browser: keeps cookies, follows no redirects, and states where a request comes from as browsers do. */
export class Visitor {
  readonly cookies = new Map<string, string>()
  /** The token of the last page. */
  csrfToken = ''
  /** Each visitor has a separate address, because limits count addresses. */
  address = `198.51.${Math.floor(++visitors / 250)}.${visitors % 250}`
  origin = site

  /** A visitor who is logged in as the user, without using the form. */
  static async loggedInAs(user: { id: number }): Promise<Visitor> {
    const visitor = new Visitor()
    const { token } = await beginSession(env, user.id)
    visitor.cookies.set('session', token)
    return visitor
  }

  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers)
    const cookies = [...this.cookies].map(([name, value]) => `${name}=${value}`)
    if (cookies.length > 0 && !headers.has('cookie')) headers.set('cookie', cookies.join('; '))
    headers.set('cf-connecting-ip', this.address)
    const response = await exports.default.fetch(
      new Request(this.origin + path, { redirect: 'manual', ...init, headers }),
    )
    for (const cookie of response.headers.getSetCookie()) this.#keep(cookie)
    return response
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.fetch(path, { headers: { 'sec-fetch-site': 'none', accept: 'text/html', ...headers } })
  }

  async see<Props = unknown>(path: string): Promise<Seen<Props>> {
    return this.read<Props>(await this.get(path))
  }

  /** Reads a page from an answer; later requests send its token. */
  async read<Props = unknown>(response: Response): Promise<Seen<Props>> {
    const html = await response.text()
    const written = /<script type="application\/json" id="page-data">(.*?)<\/script>/s.exec(html)?.[1]
    if (written === undefined) throw new Error(`No page-data (${response.status}): ${html.slice(0, 300)}`)
    const data: Seen<Props>['data'] = JSON.parse(written)
    this.csrfToken = data.context.csrf_token
    return { response, html, data }
  }

  /** Submits a form of the last page. */
  submit(path: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> {
    return this.fetch(path, {
      method: 'POST',
      headers: { origin: this.origin, 'sec-fetch-site': 'same-origin', accept: 'text/html', ...headers },
      body: new URLSearchParams({ csrf_token: this.csrfToken, ...fields }),
    })
  }

  /** Makes a call as the pages' scripts do. `body` is sent as a form. */
  call(method: string, path: string, body?: Record<string, string> | URLSearchParams): Promise<Response> {
    return this.fetch(path, {
      method,
      headers: {
        origin: this.origin,
        'sec-fetch-site': 'same-origin',
        accept: 'application/json',
        'x-csrftoken': this.csrfToken,
      },
      ...(body === undefined ? {} : { body: new URLSearchParams(body) }),
    })
  }

  #keep(cookie: string): void {
    const [pair = '', ...attributes] = cookie.split(';')
    const at = pair.indexOf('=')
    const name = pair.slice(0, at)
    if (attributes.some((attribute) => attribute.trim().toLowerCase() === 'max-age=0')) this.cookies.delete(name)
    else this.cookies.set(name, pair.slice(at + 1))
  }
}

/** A browser of theirs that has a token. */
export async function browserOf(person: { id: number }): Promise<Visitor> {
  const visitor = await Visitor.loggedInAs(person)
  await visitor.see('/')
  return visitor
}

/** An unknown visitor's browser, with a token. */
export async function stranger(): Promise<Visitor> {
  const visitor = new Visitor()
  await visitor.see('/')
  return visitor
}
