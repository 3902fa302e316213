import type { BenchApp } from './start-app.ts'

const password = 'correct horse battery'

/** Makes a superuser and signs in. @returns the Cookie header of the session */
export async function signInSuperuser(app: BenchApp): Promise<string> {
  const url = app.world.world.options.appUrl
  const hash = await app.ask<string>(`/_bench/hash?password=${encodeURIComponent(password)}`)
  await app.db.batch([
    app.db
      .prepare(
        `INSERT INTO user (username, email, password_hash, is_superuser, created_at) VALUES ('operator', 'operator@example.com', ?, 1, 0)`,
      )
      .bind(hash),
    app.db.prepare(
      `INSERT INTO email_address (user_id, address, verified_at, is_primary, created_at)
       SELECT id, email, 0, 1, 0 FROM user WHERE username = 'operator'`,
    ),
  ])
  const page = await fetch(`${url}/accounts/login/`)
  const token = /name="csrf_token" value="([^"]+)"/.exec(await page.text())?.[1] ?? ''
  const answer = await fetch(`${url}/accounts/login/`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: cookiesOf(page), origin: url },
    body: new URLSearchParams({ csrf_token: token, login: 'operator', password }),
  })
  if (answer.status !== 303 && answer.status !== 302) throw new Error(`Signing in answered ${answer.status}.`)
  return cookiesOf(answer)
}

function cookiesOf(response: Response): string {
  const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0])
  return cookies.join('; ')
}
