import { desc, eq, sql } from 'drizzle-orm'
import { kept, query, readFirst } from '../db/query.ts'
import { emailAddress } from '../db/schema/index.ts'
import { writeCookie } from '../web/cookies.ts'
import { flash } from '../web/flash.ts'
import { startSession } from '../web/session.ts'
import type { SiteContext } from '../web/site.ts'
import type { SignInUser } from './find-user.ts'
import { rememberBrowser } from './known-browser.ts'
import { keepSecondStep, stepSeconds } from './two-factor/second-step.ts'
import { confirmationMessage, sendConfirmation } from './email/send-confirmation.ts'

export type SignInMethod = 'password' | 'code' | 'discord'

/** Somebody who has shown who they are, by whatever method; with what was stored of their password at that moment. */
export type Arrival = SignInUser

export interface Way {
  method: SignInMethod
  /** Whether the browser should still be signed in after it was closed. */
  remember: boolean
  /** Where to go: a checked path of this site. */
  to: string
  /** Said on arrival; `Successfully signed in as …` when absent, nothing when null. */
  greeting?: string | null
}

/** Lets somebody on (null) or answers where they have to go instead. */
type Stage = (c: SiteContext, arrival: Arrival, way: Way) => Promise<string | null> | string | null

/** What everybody passes, in order, before there is a session. */
const stages: Stage[] = [mustBeActive, mustHaveVerifiedAddress, mustShowSecondFactor]

/** Where every method of signing in ends. Answers where to redirect to: `way.to` as somebody, or what still has to be done. */
export async function signInUser(c: SiteContext, arrival: Arrival, way: Way): Promise<string> {
  for (const stage of stages) {
    const elsewhere = await stage(c, arrival, way)
    if (elsewhere !== null) return elsewhere
  }
  return enter(c, arrival, way)
}

/** Begins the session of somebody who has passed every stage. Answers where to go. */
export async function enter(c: SiteContext, arrival: Arrival, way: Way): Promise<string> {
  if (!(await startSession(c, arrival, way.remember))) {
    flash(c, 'error', 'The password was changed meanwhile. Please log in again.')
    return '/accounts/login/'
  }
  await rememberBrowser(c, arrival)
  const { greeting = `Successfully signed in as ${arrival.username}.` } = way
  if (greeting !== null) flash(c, 'success', greeting)
  return way.to
}

function mustBeActive(_c: SiteContext, arrival: Arrival): string | null {
  return arrival.is_active ? null : '/accounts/inactive/'
}

const bestAddress = kept(() =>
  query
    .select({ address: emailAddress.address, verified_at: emailAddress.verifiedAt })
    .from(emailAddress)
    .where(eq(emailAddress.userId, sql.placeholder('userId')))
    .orderBy(sql`${emailAddress.verifiedAt} IS NOT NULL DESC`, desc(emailAddress.isPrimary))
    .limit(1),
)

async function mustHaveVerifiedAddress(c: SiteContext, arrival: Arrival): Promise<string | null> {
  const row = await readFirst(c.env.DB, bestAddress({ userId: arrival.id }))
  if (row && row.verified_at !== null) return null
  await rememberBrowser(c, arrival)
  if (row) {
    const result = await sendConfirmation(c, { userId: arrival.id, address: row.address }, Date.now())
    flash(c, ...confirmationMessage(result, row.address))
  }
  return '/accounts/confirm-email/'
}

async function mustShowSecondFactor(c: SiteContext, arrival: Arrival, way: Way): Promise<string | null> {
  const token = await keepSecondStep(c.env, arrival, way, Date.now())
  if (token === null) return null
  writeCookie(c, 'second_step', token, stepSeconds)
  return '/accounts/2fa/authenticate/'
}
