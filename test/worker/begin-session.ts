import { createSession } from '../../src/accounts/sessions/start-session.ts'

type Env = Parameters<typeof createSession>[0]
type NewSession = Parameters<typeof createSession>[1]

/** Signs a user in without the login page, from no known browser. @param other what differs from that */
export async function beginSession(
  env: Env,
  userId: number,
  other: Partial<NewSession> = {},
): ReturnType<typeof createSession> {
  const found = env.DB.prepare('SELECT password_hash FROM user WHERE id = ?').bind(userId)
  const user = await found.first<{ password_hash: string | null }>()
  return createSession(env, {
    userId,
    passwordHash: user?.password_hash ?? null,
    isPersistent: false,
    kind: 'http',
    browser: { ipAddress: null, userAgent: null, country: null },
    replaces: null,
    now: Date.now(),
    ...other,
  })
}
