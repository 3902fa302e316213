import { createMiddleware } from 'hono/factory'
import * as z from 'zod/mini'
import { truncated } from '../../lib/text.ts'
import { Message, type MessageLink } from '../../lib/contract.ts'
import { dropCookie, readCookie, writeCookie } from '../security/cookies.ts'
import { signText, verifyText } from '../security/signing.ts'
import type { SiteContext, SiteEnv } from '../site.ts'

const purpose = 'flash'
/** A browser drops a cookie over 4 KB entirely, and with it every message. */
const MAX_COOKIE_BYTES = 3500
const MAX_MESSAGE_LENGTH = 500

/** Shown by the next page: this one if not yet rendered, else the one after a redirect. @param links listed after it */
export function flash(
  c: SiteContext,
  level: Message['level_tag'],
  message: string,
  links: readonly MessageLink[] = [],
): void {
  const places = links.map(({ text, href }) => `${text} (${href})`).join(', ')
  const whole = places === '' ? message : `${message}: ${places}`
  const added: Message = {
    level_tag: level,
    message: truncated(whole, MAX_MESSAGE_LENGTH),
    ...(places !== '' && { links: [...links] }),
  }
  c.set('messages', [...c.get('messages'), added])
}

/** Reads the waiting messages before a request, and afterwards keeps those that no page has shown. */
export const flashMessages = createMiddleware<SiteEnv>(async function flashMessages(c, next) {
  const sealed = readCookie(c, 'flash')
  const waiting = sealed === undefined ? [] : await readMessages(c, sealed)
  c.set('messages', waiting)
  await next()
  const kept = c.get('areMessagesShown') ? [] : c.get('messages')
  if (kept.length === 0) {
    if (sealed !== undefined) dropCookie(c, 'flash')
  } else if (kept !== waiting) {
    writeCookie(c, 'flash', await sealMessages(c, kept), null)
  }
})

/** The newest messages that fit into a cookie; if the last one alone is too long, with fewer links. */
async function sealMessages(c: SiteContext, messages: readonly Message[]): Promise<string> {
  const sealed = await signText(c.env, purpose, JSON.stringify(messages))
  const [oldest, ...newer] = messages
  if (sealed.length <= MAX_COOKIE_BYTES || oldest === undefined) return sealed
  if (newer.length > 0) return sealMessages(c, newer)
  const { links = [] } = oldest
  return links.length === 0 ? sealed : sealMessages(c, [{ ...oldest, links: links.slice(0, -1) }])
}

async function readMessages(c: SiteContext, sealed: string): Promise<Message[]> {
  const text = await verifyText(c.env, purpose, sealed)
  if (text === null) return []
  const messages = z.array(Message).safeParse(JSON.parse(text))
  return messages.success ? messages.data : []
}
