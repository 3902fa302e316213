import type { BenchApp } from './start-app.ts'

const password = 'correct horse battery'

/** Users of these names with the same password, each with a verified address `{name}@example.com`. */
export async function addPeople({ ask, db }: BenchApp, names: readonly string[]): Promise<void> {
  const hash = await ask<string>(hashPath)
  await db.batch([
    db
      .prepare(
        `INSERT INTO user (username, email, password_hash, created_at)
         SELECT value, value || '@example.com', ?, 0 FROM json_each(?)`,
      )
      .bind(hash, JSON.stringify(names)),
    db.prepare(
      `INSERT INTO email_address (user_id, address, verified_at, is_primary, created_at) SELECT id, email, 0, 1, 0 FROM user`,
    ),
  ])
}

/** The bench's own address that hashes their password. */
export const hashPath = `/_bench/hash?password=${encodeURIComponent(password)}`

/** A browser with a form in front of it. */
export interface OpenForm {
  cookies: string
  token: string
}

/** @param url with the form's path */
export async function openForm(url: string, headers: Record<string, string> = {}): Promise<OpenForm> {
  const response = await fetch(url, { headers: { accept: 'text/html', ...headers } })
  const token = /name="csrf_token" value="([^"]+)"/.exec(await response.text())?.[1]
  if (token === undefined) throw new Error(`There is no form at ${url}.`)
  return { cookies: cookiesOf(response), token }
}

/** Logs in one of {@link addPeople}. @returns the Cookie header of the session */
export async function logIn(
  url: string,
  { cookies, token }: OpenForm,
  login: string,
  headers: Record<string, string> = {},
): Promise<string> {
  const response = await fetch(`${url}/accounts/login/`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: cookies, origin: url, ...headers },
    body: new URLSearchParams({ csrf_token: token, login, password }),
  })
  await response.arrayBuffer()
  if (response.status !== 303 && response.status !== 302) throw new Error(`Logging in answered ${response.status}.`)
  return cookiesOf(response)
}

/** Makes a superuser and logs in. @returns the Cookie header of the session */
export async function logInSuperuser(app: BenchApp): Promise<string> {
  const url = app.world.world.options.appUrl
  await addPeople(app, ['operator'])
  await app.db.prepare('UPDATE user SET is_superuser = 1').run()
  return logIn(url, await openForm(`${url}/accounts/login/`), 'operator')
}

function cookiesOf(response: Response): string {
  const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0])
  return cookies.join('; ')
}
