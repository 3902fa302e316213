import { and, eq, gt, sql } from 'drizzle-orm'
import { query, refuseUnless } from '../db/query.ts'
import { session as sessions, user as users } from '../db/schema/index.ts'
import { forbidden, loggedOut } from '../web/refusal.ts'
import type { SiteContext } from '../web/site.ts'
import { loggedIn } from './roles.ts'

/** django-allauth's ACCOUNT_REAUTHENTICATION_TIMEOUT. */
export const CONFIRMED_MS = 300_000
/** Allowed on top when the change is made, because the request itself takes time. */
const REQUEST_MS = 60_000

export const confirmAccessFirst = 'Confirm access first, at /accounts/reauthenticate/. It lasts 5 minutes.'

/** A logged-in person who changes their own account. An operation that takes an owner changes no one else's rows. */
export interface AccountOwner {
  userId: number
  /** Of the session that asks. */
  idHash: string
  /** When they last logged in or confirmed who they are, ms since epoch. */
  confirmedAt: number
}

export function ownerOf(c: SiteContext): AccountOwner {
  const { user, session } = loggedIn(c)
  return { userId: user.id, idHash: session.idHash, confirmedAt: session.authenticatedAt }
}

const isTheirSession = ({ idHash }: AccountOwner) =>
  and(eq(sessions.idHash, idHash), gt(sessions.expiresAt, Date.now()))

/** For a batch that changes an account: undoes it if the session was ended while the request was under way. */
export const whileLoggedIn = (by: AccountOwner) =>
  refuseUnless(sql`EXISTS ${query.select({ id: sessions.idHash }).from(sessions).where(isTheirSession(by))}`, loggedOut)

/** For a superuser's batch: undoes it if their session was ended, or they were demoted, while the request was under way. */
export const whileSuperuser = (by: AccountOwner) =>
  refuseUnless(
    sql`EXISTS ${query
      .select({ id: sessions.idHash })
      .from(sessions)
      .innerJoin(users, eq(users.id, sessions.userId))
      .where(and(isTheirSession(by), eq(users.isSuperuser, true), eq(users.isActive, true)))}`,
    'You were logged out or are no longer a superuser, so nothing was changed.',
  )

/**
 * Checks an owner before their account is changed. Returns {@link whileLoggedIn}, which belongs in the batch of the change.
 * @throws forbidden unless the owner has just logged in or confirmed who they are
 */
export function refuseUnlessConfirmed(by: AccountOwner): ReturnType<typeof whileLoggedIn> {
  if (Date.now() - by.confirmedAt > CONFIRMED_MS + REQUEST_MS) throw forbidden(confirmAccessFirst)
  return whileLoggedIn(by)
}
