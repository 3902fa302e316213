import { and, desc, eq, gt, notInArray } from 'drizzle-orm'
import type { Handler } from 'hono'
import { createMiddleware } from 'hono/factory'
import * as z from 'zod/mini'
import { query, readFirst, write, writeTogether } from '../../db/query.ts'
import { waitingForm } from '../../db/schema/index.ts'
import { orWarn } from '../../lib/fallbacks.ts'
import { decryptJson, encryptJson } from '../../web/security/encryption.ts'
import { flash } from '../../web/session/flash.ts'
import { formOf } from '../../web/parse.ts'
import { forbidden } from '../../web/refusal.ts'
import type { SiteContext, SiteEnv } from '../../web/site.ts'
import { randomToken } from '../../web/security/signing.ts'
import { wantsJson } from '../../web/wants-json.ts'
import { withNext } from '../next.ts'
import { confirmAccessFirst, CONFIRMED_MS, ownerOf, whileLoggedIn } from '../owner.ts'
import { loggedIn } from '../roles.ts'
import { reauthenticatePath } from '../paths.ts'
import { LOGIN_SECONDS } from '../durations.ts'

/** Forms of one session that wait at the same time, one for each tab; the newest are kept. */
const MAX_WAITING_FORMS = 10
const purpose = 'reauthentication'
const Fields = z.array(z.tuple([z.string(), z.string()]))

type FormHandler = (c: SiteContext) => Promise<Response>

/** What carries out a form that waits, by its path. */
const handlers = new Map<string, FormHandler>()

/** Added to the path of a form: several forms of the same path may wait. */
const formMark = '?form='

interface Area {
  /** It must check who may do so, because no middleware of the area has run. */
  carryOut(c: SiteContext, path: string): Promise<Response>
  /** The page to show instead of `path`, which may accept only POST. */
  pageOf(path: string): string
}
/** Areas whose forms have keys in their paths, by the beginning of those paths. */
const areas = new Map<string, Area>()

/** Registers what carries out an area's forms, which {@link confirmFirst} stores. @param prefix with its slashes */
export function registerWaitingForms(prefix: string, area: Area): void {
  areas.set(prefix, area)
}

const areaOf = (path: string): Area | undefined => [...areas].find(([prefix]) => path.startsWith(prefix))?.[1]

/** Whether the user logged in or confirmed who they are within the last 300 s. */
export function isFresh(c: SiteContext): boolean {
  return Date.now() - ownerOf(c).confirmedAt <= CONFIRMED_MS
}

/**
 * For users who have just confirmed who they are. The form of others is stored, encrypted, until {@link carryOutWaitingForm}.
 * @param path where the form is sent to, with its slashes
 */
export function recentlyAuthenticated(path: string, handler: FormHandler): Handler<SiteEnv> {
  handlers.set(path, handler)
  return async function whenFresh(c) {
    return isFresh(c) ? handler(c) : confirmFirst(c, path)
  }
}

/** Stores this request's form, encrypted, and asks its sender to confirm access. @throws forbidden for an API call */
export async function confirmFirst(c: SiteContext, path: string): Promise<Response> {
  if (wantsJson(c)) throw forbidden(confirmAccessFirst)
  const next = `${path}${formMark}${randomToken()}`
  await storeWaitingForm(c, next)
  return c.redirect(withNext(reauthenticatePath, next), 303)
}

const withoutMark = (path: string): string => path.split(formMark)[0] ?? path

/** Where to go once access is confirmed and no form waits: it was carried out by an earlier click, or is too old. */
export function pageAfter(c: SiteContext, path: string): string {
  const page = withoutMark(path)
  if (page !== path) flash(c, 'info', 'Access is confirmed. If your change is not here, please make it again.')
  return areaOf(path)?.pageOf(page) ?? page
}

export const recentlyAuthenticatedPage = createMiddleware<SiteEnv>(async function recentlyAuthenticatedPage(c, next) {
  if (isFresh(c)) return next()
  const { pathname, search } = new URL(c.req.url)
  return c.redirect(withNext(reauthenticatePath, pathname + search), 302)
})

async function storeWaitingForm(c: SiteContext, path: string): Promise<void> {
  const fields = [...(await formOf(c))].filter((field): field is [string, string] => typeof field[1] === 'string')
  const sealed = await encryptJson(c.env, purpose, fields)
  const { idHash } = loggedIn(c).session
  const isSessions = eq(waitingForm.sessionIdHash, idHash)
  const newest = query
    .select({ path: waitingForm.path })
    .from(waitingForm)
    .where(isSessions)
    .orderBy(desc(waitingForm.expiresAt))
    .limit(MAX_WAITING_FORMS)
  await writeTogether(c.env.DB, [
    whileLoggedIn(ownerOf(c)),
    query
      .insert(waitingForm)
      .values({ sessionIdHash: idHash, path, sealedForm: sealed, expiresAt: Date.now() + LOGIN_SECONDS * 1000 }),
    query.delete(waitingForm).where(and(isSessions, notInArray(waitingForm.path, newest))),
  ])
}

/**
 * Null when no form waits for this session here. One statement takes it, so that it is carried out once. If it fails, it
 * waits again.
 */
export async function carryOutWaitingForm(c: SiteContext, path: string): Promise<Response | null> {
  const isOwn = eq(waitingForm.sessionIdHash, loggedIn(c).session.idHash)
  const isWaiting = and(isOwn, eq(waitingForm.path, path), gt(waitingForm.expiresAt, Date.now()))
  const row = await readFirst(c.env.DB, query.delete(waitingForm).where(isWaiting).returning())
  const area = areaOf(path)
  const handler = area ? () => area.carryOut(c, withoutMark(path)) : handlers.get(withoutMark(path))
  const fields = row && (await decryptJson(c.env, purpose, row.sealedForm, Fields))
  if (!fields || !handler) return null
  const form = new FormData()
  for (const [name, value] of fields) form.append(name, value)
  c.set('form', Promise.resolve(form))
  try {
    return await handler(c)
  } catch (error) {
    // Only this row has what was typed.
    await orWarn(write(c.env.DB, query.insert(waitingForm).values(row)), { event: 'waiting form lost' }, null)
    throw error
  }
}
