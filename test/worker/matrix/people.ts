import { env } from 'cloudflare:workers'
import { beginSession } from '../begin-session.ts'
import { randomToken, signatureOf } from '../../../src/web/security/signing.ts'
import { addPerson, makeSchool } from '../directory.ts'
import { addUser, Visitor } from '../visitor.ts'

export const roles = ['nobody', 'plain', 'regular', 'manager', 'disabled', 'superuser'] as const
export type Role = (typeof roles)[number]

interface LoggedIn {
  token: string
  idHash: string
}

/** A user of each role, and all their data that others must not see. */
export class People {
  readonly #users: ReadonlyMap<Role, { id: number; email: string }>
  readonly #sessions = new Map<Role, LoggedIn>()
  readonly #secrets = new Set<string>()

  static async make(): Promise<People> {
    const { school_id: school } = await makeSchool()
    const emailOf = async (id: number) =>
      (await env.DB.prepare('SELECT email FROM user WHERE id = ?').bind(id).first<string>('email')) ?? ''
    const regular = await addPerson({ school })
    const manager = await addPerson({ school, role: 'manager' })
    return new People(
      new Map<Role, { id: number; email: string }>([
        ['plain', await addUser()],
        ['regular', { id: regular.id, email: await emailOf(regular.id) }],
        ['manager', { id: manager.id, email: await emailOf(manager.id) }],
        ['disabled', await addUser({ isActive: false })],
        ['superuser', await addUser({ isSuperuser: true })],
      ]),
    )
  }

  private constructor(users: ReadonlyMap<Role, { id: number; email: string }>) {
    this.#users = users
  }

  /** A browser with a separate address. `isFresh`: with an unshared session, for requests that may end it. */
  async visitor(role: Role, isFresh: boolean): Promise<Visitor> {
    const visitor = new Visitor()
    const user = this.#users.get(role)
    if (!user) {
      const value = randomToken()
      visitor.cookies.set('csrf', value)
      visitor.csrfToken = await signatureOf(env, 'csrf', `anonymous:${value}`)
      this.#secrets.add(value)
      return visitor
    }
    const known = isFresh ? undefined : this.#sessions.get(role)
    const { token, idHash } = known ?? (await this.#logIn(role, user.id))
    visitor.cookies.set('session', token)
    visitor.csrfToken = await signatureOf(env, 'csrf', `session:${idHash}`)
    return visitor
  }

  /** Email addresses of everyone but this role. */
  othersEmails(role: Role): string[] {
    return [...this.#users].flatMap(([other, { email }]) => (other === role ? [] : [email]))
  }

  /** Every cookie's value so far, and what it is stored under: none may appear in the log. */
  secrets(): string[] {
    return [...this.#secrets]
  }

  async #logIn(role: Role, userId: number): Promise<LoggedIn> {
    const { token, session } = await beginSession(env, userId)
    const loggedIn = { token, idHash: session.idHash }
    this.#secrets.add(token).add(session.idHash)
    if (!this.#sessions.has(role)) this.#sessions.set(role, loggedIn)
    return loggedIn
  }
}
