import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { app } from '../../src/app.tsx'
import { rows } from './rows.ts'
import { addUser, goodPassword, site, Visitor } from './visitor.ts'

let people = 0

/** What a new user types into the sign-up form. */
export function newcomer(fields: Record<string, string> = {}) {
  const username = `newcomer${++people}`
  return { username, email: `${username}@example.org`, password1: goodPassword, password2: goodPassword, ...fields }
}

export async function signUp(fields: Record<string, string>, visitor = new Visitor()) {
  await visitor.see('/accounts/signup/')
  return { visitor, response: await visitor.submit('/accounts/signup/', fields) }
}

/** The result of a login from a new browser: status, location, and whether it has a session. */
export async function loginStatus(login: string, password = goodPassword) {
  const visitor = new Visitor()
  await visitor.see('/accounts/login/')
  const response = await visitor.submit('/accounts/login/', { login, password })
  return [response.status, response.headers.get('location'), visitor.cookies.has('session')]
}

export const logsIn = async (login: string, password: string) => (await loginStatus(login, password))[2] === true
export const isLoggedIn = async (visitor: Visitor) => (await visitor.see('/')).data.context.user.is_authenticated

/** The email addresses of a user, oldest first. */
export const addressesOf = (userId: number) =>
  rows(
    'SELECT address, verified_at IS NOT NULL AS is_verified, is_primary FROM email_address WHERE user_id = ? ORDER BY id',
    userId,
  )

/** The page, or waiting form, that follows once access is confirmed. @param detour where a form was redirected to */
export const nextOf = (detour: string | null) => new URL(detour ?? '', site).searchParams.get('next') ?? ''

/** A user with an account, at a page of it. */
export async function personAt(path: string) {
  const user = await addUser()
  const visitor = await Visitor.loggedInAs(user)
  await visitor.see(path)
  return { user, visitor }
}

const cookiesOf = (visitor: Visitor) => [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')

/** Opens a page of a Worker with other bindings. */
export async function getWith(bindings: object, visitor: Visitor, path: string): Promise<Response> {
  const headers = { cookie: cookiesOf(visitor) }
  return app.request(site + path, { headers }, { ...env, ...bindings }, createExecutionContext())
}

/** Submits a form of the visitor's last page to a Worker with other bindings. */
export async function submitWith(
  bindings: object,
  visitor: Visitor,
  path: string,
  fields: Record<string, string>,
): Promise<Response> {
  const headers = {
    origin: site,
    cookie: cookiesOf(visitor),
    'cf-connecting-ip': visitor.address,
  }
  const body = new URLSearchParams({ csrf_token: visitor.csrfToken, ...fields })
  return app.request(site + path, { method: 'POST', headers, body }, { ...env, ...bindings }, createExecutionContext())
}

/** A second press of a form's button, before the answer to the first one. Returns both answers. */
type Press = (first: Visitor, path: string, fields: Record<string, string>) => Promise<[Response[], second: Visitor]>

/** The ways to press a button twice. The second request has the cookies of the first one. */
export const presses: [string, Press][] = [
  [
    'a simultaneous second press',
    async (first, path, fields) => {
      const second = sameBrowser(first)
      return [await Promise.all([first, second].map((visitor) => visitor.submit(path, fields))), second]
    },
  ],
  [
    'a later second press',
    async (first, path, fields) => {
      const second = sameBrowser(first)
      return [[await first.submit(path, fields), await second.submit(path, fields)], second]
    },
  ],
]

function sameBrowser({ cookies, csrfToken, address }: Visitor): Visitor {
  const visitor = new Visitor()
  for (const [name, value] of cookies) visitor.cookies.set(name, value)
  return Object.assign(visitor, { csrfToken, address })
}
