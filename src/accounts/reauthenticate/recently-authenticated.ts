import { and, desc, eq, gt, notInArray } from 'drizzle-orm'
import type { Handler } from 'hono'
import { createMiddleware } from 'hono/factory'
import { query, readFirst, writeTogether } from '../../db/query.ts'
import { waitingForm } from '../../db/schema/index.ts'
import { decrypt, encrypt } from '../../web/encryption.ts'
import { flash } from '../../web/flash.ts'
import { formOf } from '../../web/parse.ts'
import { forbidden } from '../../web/refusal.ts'
import type { SiteContext, SiteEnv } from '../../web/site.ts'
import { randomToken } from '../../web/signing.ts'
import { wantsJson } from '../../web/wants-json.ts'
import { signedIn } from '../require-sign-in.ts'

/** django-allauth's ACCOUNT_REAUTHENTICATION_TIMEOUT. */
const windowMs = 300_000
/** A form waits this long for its sender: as long as a whole sign-in may take. */
const stashMs = 900_000
/** Forms of one session that wait at once, the newest: a tab each. */
const MAX_WAITING_FORMS = 10
const purpose = 'reauthentication'

type FormHandler = (c: SiteContext) => Promise<Response>

/** The forms that can be resumed, by their path. */
const resumable = new Map<string, FormHandler>()

/** In the query of the path: tells forms of one area from each other, since several may wait for the same address. */
const formMark = '?form='

interface Area {
  /** Carries out the form that was sent to `path`. Who may is its own question: no middleware of the area ran. */
  carryOut(c: SiteContext, path: string): Promise<Response>
  /** A page to look at in place of `path`, which may take forms alone. */
  pageOf(path: string): string
}
/** Areas whose forms have keys in their paths, by what their paths begin with. */
const areas = new Map<string, Area>()

/** Makes the forms of an area resumable: those that {@link confirmFirst} puts aside. @param prefix with its slashes */
export function resumableUnder(prefix: string, area: Area): void {
  areas.set(prefix, area)
}

const areaOf = (path: string): Area | undefined => [...areas].find(([prefix]) => path.startsWith(prefix))?.[1]

/** Whether the person behind the session showed who they are within the last 300 s. */
export function isFresh(c: SiteContext): boolean {
  return Date.now() - signedIn(c).session.authenticatedAt <= windowMs
}

/**
 * The handler of a form that only somebody may send who has just shown who they are. For others the form is put aside, encrypted,
 * and resumed by {@link resume} once they have.
 * @param path where the form is sent to, with its slashes
 */
export function recentlyAuthenticated(path: string, handler: FormHandler): Handler<SiteEnv> {
  resumable.set(path, handler)
  return async function whenFresh(c) {
    return isFresh(c) ? handler(c) : confirmFirst(c, path)
  }
}

/** Puts the form of this request aside, encrypted, and asks its sender who they are. A call is only refused. @throws forbidden */
export async function confirmFirst(c: SiteContext, path: string): Promise<Response> {
  if (wantsJson(c)) throw forbidden('Confirm access first, at /accounts/reauthenticate/. It lasts 5 minutes.')
  const next = areaOf(path) ? `${path}${formMark}${randomToken()}` : path
  await stash(c, next)
  return c.redirect(`/accounts/reauthenticate/?${new URLSearchParams({ next })}`, 303)
}

const withoutMark = (path: string): string => path.split(formMark)[0] ?? path

/** Where to go once access is confirmed and no form waits at `path`: it may have been carried out by the click before. */
export function pageAfter(c: SiteContext, path: string): string {
  const area = areaOf(path)
  if (!area) return path
  flash(c, 'info', 'Access is confirmed. If your change is not here, please make it again.')
  return area.pageOf(withoutMark(path))
}

/** Lets somebody open a page who has just shown who they are, and others once they have. */
export const recentlyAuthenticatedPage = createMiddleware<SiteEnv>(async function recentlyAuthenticatedPage(c, next) {
  if (isFresh(c)) return next()
  const { pathname, search } = new URL(c.req.url)
  return c.redirect(`/accounts/reauthenticate/?${new URLSearchParams({ next: pathname + search })}`, 302)
})

async function stash(c: SiteContext, path: string): Promise<void> {
  const fields = [...(await formOf(c))].filter((field): field is [string, string] => typeof field[1] === 'string')
  const sealed = await encrypt(c.env, purpose, JSON.stringify(fields))
  const { idHash } = signedIn(c).session
  const content = { sealedForm: sealed, expiresAt: Date.now() + stashMs }
  const isSessions = eq(waitingForm.sessionIdHash, idHash)
  const newest = query
    .select({ path: waitingForm.path })
    .from(waitingForm)
    .where(isSessions)
    .orderBy(desc(waitingForm.expiresAt))
    .limit(MAX_WAITING_FORMS)
  await writeTogether(c.env.DB, [
    query
      .insert(waitingForm)
      .values({ sessionIdHash: idHash, path, ...content })
      .onConflictDoUpdate({ target: [waitingForm.sessionIdHash, waitingForm.path], set: content }),
    query.delete(waitingForm).where(and(isSessions, notInArray(waitingForm.path, newest))),
  ])
}

/**
 * Carries out the form that waits for this session at this path; null when none does. It is taken by one statement, so that it
 * is carried out once.
 */
export async function resume(c: SiteContext, path: string): Promise<Response | null> {
  const row = await readFirst(
    c.env.DB,
    query
      .delete(waitingForm)
      .where(
        and(
          eq(waitingForm.sessionIdHash, signedIn(c).session.idHash),
          eq(waitingForm.path, path),
          gt(waitingForm.expiresAt, Date.now()),
        ),
      )
      .returning({ sealedForm: waitingForm.sealedForm }),
  )
  const area = areaOf(path)
  const handler = area ? () => area.carryOut(c, withoutMark(path)) : resumable.get(path)
  const text = row ? await decrypt(c.env, purpose, row.sealedForm) : null
  if (text === null || !handler) return null
  const form = new FormData()
  for (const [name, value] of JSON.parse(text) as [string, string][]) form.append(name, value)
  c.set('form', Promise.resolve(form))
  return handler(c)
}
