import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { isSignedBySvix } from '../../notify/email/svix-signature.ts'
import { parseJson } from '../../lib/text.ts'
import { smsKeyword } from '../../notify/sms/keywords.ts'
import { isSignedByTwilio } from '../../notify/sms/signature.ts'
import { formOf } from '../../web/parse.ts'
import { conflict, forbidden, tooLarge } from '../../web/refusal.ts'
import type { SiteContext, SiteEnv } from '../../web/site.ts'
import { recordWithOthers } from './gather-reports.ts'
import { handleReply } from './opt-out.ts'
import { isTooEarly, MailEvent, recordMailEvent } from './record-mail-event.ts'
import { reportedMessage } from './message.ts'
import { askToUnsubscribe, unsubscribe } from './unsubscribe.tsx'

/** The most bytes in a report; real ones have one or two thousand. */
const MAX_EVENT = 100_000

/** Limited while the body is read, because anyone may call. */
const limitEvent = bodyLimit({
  maxSize: MAX_EVENT,
  onError: () => {
    throw tooLarge()
  },
})

/** Callbacks of providers and links in messages. None needs a session: each call is signed. */
export const notifyRoutes = new Hono<SiteEnv>()

notifyRoutes.post('/sms/inbound', async (c) => {
  const fields = await signedFields(c)
  // How Twilio took the reply, if its account has keywords of its own (Twilio, "Advanced Opt-Out"); it then answers itself.
  const taken = fields.get('OptOutType')
  const keyword = smsKeyword(taken ?? fields.get('Body') ?? '')
  const isAnswered = keyword === null || (keyword === 'help' && taken !== undefined)
  const answer = isAnswered ? '' : await handleReply(c.env.DB, fields.get('From') ?? '', keyword, Date.now())
  return c.body(`<?xml version="1.0" encoding="UTF-8"?><Response>${answer}</Response>`, 200, {
    'content-type': 'text/xml; charset=utf-8',
  })
})

notifyRoutes.post('/sms/status', async (c) => {
  const fields = await signedFields(c)
  const report = {
    sid: fields.get('MessageSid') ?? '',
    status: fields.get('MessageStatus') ?? '',
    error_code: fields.get('ErrorCode') ?? null,
    message: reportedMessage(c.req.query('delivery')),
  }
  await recordWithOthers(c.env.DB, report, (promise) => c.executionCtx.waitUntil(promise))
  c.set('isLogged', true)
  return c.body(null, 204)
})

notifyRoutes.post('/email/events', limitEvent, async (c) => {
  const header = (name: string) => c.req.header(`svix-${name}`) ?? ''
  const headers = { id: header('id'), timestamp: header('timestamp'), signature: header('signature') }
  if (headers.signature === '') throw forbidden('Forbidden: this call is not signed.')
  const body = await c.req.text()
  if (!(await isSignedBySvix(headers, body, c.env.RESEND_WEBHOOK_SECRET ?? '', Date.now()))) {
    throw forbidden('Forbidden: the signature of this call is wrong.')
  }
  const event = MailEvent.safeParse(parseJson(body))
  if (event.success) {
    // Resend repeats an event that is not accepted, first after 5 s (Resend, "Webhooks: retries and replays").
    if (await isTooEarly(c.env.DB, event.data))
      throw conflict('This email is still being sent. Please try again later.')
    await recordMailEvent(c.env.DB, event.data, Date.now())
  }
  return c.body(null, 204)
})

notifyRoutes.get('/unsubscribe/:token', (c) => askToUnsubscribe(c, c.req.param('token')))
notifyRoutes.post('/unsubscribe/:token', (c) => unsubscribe(c, c.req.param('token')))

/** The posted fields, if Twilio signed them together with our public callback address. @throws forbidden */
async function signedFields(c: SiteContext): Promise<Map<string, string>> {
  const signature = c.req.header('x-twilio-signature') ?? null
  if (signature === null) throw forbidden('Forbidden: this call is not signed.')
  const form = await formOf(c)
  const fields = Array.from(form).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' ? [[name, value]] : [],
  )
  const { pathname, search } = new URL(c.req.url)
  const url = `${c.env.APP_URL}${pathname}${search}`
  if (!(await isSignedByTwilio(url, fields, signature, c.env.TWILIO_AUTH_TOKEN ?? ''))) {
    throw forbidden('Forbidden: the signature of this call is wrong.')
  }
  return new Map(fields)
}
