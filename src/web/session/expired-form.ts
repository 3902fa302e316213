import { dropCookie, readCookie, writeCookie } from '../security/cookies.ts'
import { decrypt, encrypt } from '../security/encryption.ts'
import { signatureOf } from '../security/signing.ts'
import { flash } from './flash.ts'
import { formOf, hasForm } from '../parse.ts'
import { Refusal } from '../refusal.ts'
import type { SiteContext } from '../site.ts'

const purpose = 'kept form'
const accountPurpose = 'account'
/** How long going back to the form may take, with a login in between. */
const KEPT_SECONDS = 900
/** Longer than any session. */
const ACCOUNT_SECONDS = 90 * 24 * 60 * 60
/** A browser refuses a cookie over 4 KB with its name; only a very long text in a non-Latin script exceeds this. */
const MAX_COOKIE_BYTES = 4000

/** Plain forms by the path they are sent to: the fields to keep, or null for all. Never passwords or codes. */
const expirableForms: readonly { path: RegExp; fields: readonly string[] | null }[] = [
  { path: /^\/accounts\/login\/$/, fields: ['login', 'remember', 'next'] },
  { path: /^\/accounts\/signup\/$/, fields: ['email', 'username', 'next'] },
  { path: /^\/accounts\/login\/code\/$/, fields: ['email', 'next'] },
  { path: /^\/accounts\/password\/reset\/$/, fields: ['email'] },
  { path: /^\/accounts\/email\/$/, fields: ['email', 'action_add'] },
  { path: /^\/accounts\/3rdparty\/signup\/$/, fields: ['email'] },
  { path: /^\/class_tracker\/login_view\/$/, fields: ['username', 'next'] },
  { path: /^\/class_tracker\/schools\/ask\/$/, fields: ['address'] },
  { path: /^\/classcords\/referrals\/$/, fields: ['max_uses_choice', 'expiry_timeframe'] },
  { path: /^\/classcords\/server\/\d+\/report\/$/, fields: ['reason'] },
  { path: /^\/r\/[^/]+\/$/, fields: null },
  { path: /^\/scheduler\/queues\/[^/]+\/settings\/$/, fields: null },
  { path: /^\/admin\/[^/]+\/[^/]+\/$/, fields: null },
]

/** Remembers who is logged in, because a session that has ended no longer says whose it was. */
export async function rememberAccount(c: SiteContext, userId: number): Promise<void> {
  const account = await signatureOf(c.env, accountPurpose, String(userId))
  if (readCookie(c, 'account') !== account) writeCookie(c, 'account', account, ACCOUNT_SECONDS)
}

/** Keeps what was typed into a form that is refused because its token has expired: in this browser, encrypted. */
export async function keepExpiredForm(c: SiteContext): Promise<void> {
  const path = withSlash(new URL(c.req.url).pathname)
  const kept = expirableForms.find((one) => one.path.test(path))
  if (kept === undefined || !hasForm(c)) return
  const typed = await typedInto(c, kept.fields)
  if (typed === '') return
  const user = c.get('user')
  const account =
    user === null ? (readCookie(c, 'account') ?? '') : await signatureOf(c.env, accountPurpose, String(user.id))
  const sealed = await encrypt(c.env, purpose, [path, account, typed].join('\n'))
  if (sealed.length <= MAX_COOKIE_BYTES) writeCookie(c, 'kept_form', sealed, KEPT_SECONDS)
}

/** Urlencoded; '' if nothing was typed or it cannot be read: the sender must learn that the token expired. */
async function typedInto(c: SiteContext, fields: readonly string[] | null): Promise<string> {
  const texts = new URLSearchParams()
  try {
    for (const [name, value] of await formOf(c)) {
      const isKept = fields === null ? name !== 'csrf_token' : fields.includes(name)
      if (isKept && typeof value === 'string') texts.append(name, value)
    }
  } catch (error) {
    if (error instanceof Refusal) return ''
    throw error
  }
  return [...texts.values()].some((text) => text.trim() !== '') ? texts.toString() : ''
}

/** Returns what was typed into the form for `path` and forgets it; null if nothing was kept, or by another user. */
export async function takeExpiredForm(c: SiteContext, path: string): Promise<FormData | null> {
  const sealed = readCookie(c, 'kept_form')
  const text = sealed === undefined ? null : await decrypt(c.env, purpose, sealed)
  const [keptPath, account, typed] = text?.split('\n') ?? []
  if (keptPath !== path) return null
  dropCookie(c, 'kept_form')
  const user = c.get('user')
  if (user !== null && account !== (await signatureOf(c.env, accountPurpose, String(user.id)))) return null
  const form = new FormData()
  for (const [name, value] of new URLSearchParams(typed)) form.append(name, value)
  return form
}

/** The same, with a message that asks to send the form again. */
export async function offerExpiredForm(c: SiteContext, path: string): Promise<FormData | null> {
  const form = await takeExpiredForm(c, path)
  if (form) flash(c, 'warning', 'This form had expired, so nothing was sent. Check it and send it again.')
  return form
}

const withSlash = (path: string): string => (path.endsWith('/') ? path : `${path}/`)
