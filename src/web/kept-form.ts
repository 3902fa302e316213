import { dropCookie, readCookie, writeCookie } from './cookies.ts'
import { decrypt, encrypt } from './encryption.ts'
import { formOf, hasForm, textField } from './parse.ts'
import { Refusal } from './refusal.ts'
import type { SiteContext } from './site.ts'

const purpose = 'kept form'
/** How long a login may take. */
const KEPT_SECONDS = 900
/**
 * A browser refuses a cookie over 4 KB including its name. Only a very long text in a non-Latin script exceeds this; it
 * is not kept.
 */
const MAX_COOKIE_BYTES = 4000

/**
 * The forms whose text is worth keeping, by the path they are sent to: one field, or all of them (null). They also work
 * without scripts.
 */
const keptForms: readonly { path: RegExp; field: string | null }[] = [
  { path: /^\/classcords\/server\/\d+\/report\/?$/, field: 'reason' },
  { path: /^\/admin\/[^/]+\/(?!act\/?$)[^/]+\/?$/, field: null },
]

/** Keeps what was typed into a form that is refused because its session has ended: in this browser, encrypted. */
export async function keepForm(c: SiteContext): Promise<void> {
  const path = new URL(c.req.url).pathname
  const kept = keptForms.find((one) => one.path.test(path))
  if (kept === undefined || !hasForm(c)) return
  const typed = await typedInto(c, kept.field)
  if (typed.trim() === '') return
  const sealed = await encrypt(c.env, purpose, `${withSlash(path)}\n${typed}`)
  if (sealed.length <= MAX_COOKIE_BYTES) writeCookie(c, 'kept_form', sealed, KEPT_SECONDS)
}

/** What was typed; '' if the form cannot be read: its sender must learn that the session has ended. */
async function typedInto(c: SiteContext, field: string | null): Promise<string> {
  try {
    const form = await formOf(c)
    return field === null ? allOf(form) : textField(form, field)
  } catch (error) {
    if (error instanceof Refusal) return ''
    throw error
  }
}

function allOf(form: FormData): string {
  const texts = new URLSearchParams()
  for (const [name, value] of form) if (typeof value === 'string' && name !== 'csrf_token') texts.append(name, value)
  return texts.toString()
}

/** Returns what was typed into the form for `path` and forgets it; null if nothing was kept. */
export async function takeKeptForm(c: SiteContext, path: string): Promise<string | null> {
  const sealed = readCookie(c, 'kept_form')
  const text = sealed === undefined ? null : await decrypt(c.env, purpose, sealed)
  if (text === null || !text.startsWith(`${path}\n`)) return null
  dropCookie(c, 'kept_form')
  return text.slice(path.length + 1)
}

const withSlash = (path: string): string => (path.endsWith('/') ? path : `${path}/`)
