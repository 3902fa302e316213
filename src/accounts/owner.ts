import { forbidden } from '../web/refusal.ts'
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
  /** When they last logged in or confirmed who they are, ms since epoch. */
  confirmedAt: number
}

export function ownerOf(c: SiteContext): AccountOwner {
  const { user, session } = loggedIn(c)
  return { userId: user.id, confirmedAt: session.authenticatedAt }
}

/** @throws forbidden unless the owner has just logged in or confirmed who they are */
export function refuseUnlessConfirmed(by: AccountOwner): void {
  if (Date.now() - by.confirmedAt > CONFIRMED_MS + REQUEST_MS) throw forbidden(confirmAccessFirst)
}
