import { sql } from 'drizzle-orm'
import { Hono } from 'hono'
import { absoluteText } from '../../../client/components/time-text.ts'
import { query, readFirst } from '../../db/query.ts'
import { contact, delivery } from '../../db/schema/index.ts'
import { iso } from '../../lib/time.ts'
import { isPushSetUp } from '../../notify/channels.ts'
import { subscriptionOf } from '../../notify/push/push-address.ts'
import { actorOf } from '../../web/audit.ts'
import { flash } from '../../web/session/flash.ts'
import { offerExpiredForm } from '../../web/session/expired-form.ts'
import { appManifestOf } from '../../web/page/app-manifest.ts'
import { contextOf, showPage } from '../../web/page/page.tsx'
import { formOf, textField } from '../../web/parse.ts'
import { limitReads } from '../../web/limits/limits.ts'
import { badRequest, notFound, Refusal } from '../../web/refusal.ts'
import type { SiteContext, SiteEnv } from '../../web/site.ts'
import { isLinkAlive, isSentToContact } from '../deliveries/link-code.ts'
import { reportChange } from '../deliveries/report-change.ts'
import { reportedMessage } from '../deliveries/message.ts'
import { countMiss, takeChange } from '../recipients/change-limit.ts'
import { ownToken } from '../recipients/own-link.ts'
import { idIn } from '../recipients/signed-id.ts'
import { addDevice, deviceOf, moveDevice, recordReceipt } from './devices.ts'
import { OwnPage } from './own-page.tsx'
import { type Changed, ownActOf } from './own-changes.ts'
import { type Owner, ownerOf, readOwner, readOwnPage } from './read-own-page.ts'

/** A recipient's own page. Its address is the only credential. */
export const ownPageRoutes = new Hono<SiteEnv>()

ownPageRoutes.get('/:token', limitReads, async (c) => {
  const token = c.req.param('token')
  return showOwnPage(c, token, { form: await offerExpiredForm(c, `/r/${token}/`), error: null })
})

ownPageRoutes.post('/:token', async (c) => {
  const token = c.req.param('token')
  const owner = await ownerOf(c.env, token)
  const form = await formOf(c)
  const act = ownActOf(form)
  if (act === undefined) throw badRequest()
  const now = Date.now()
  let changed: Changed
  try {
    if (!act.endsMessages) await takeChange(c.env, 'change_on_own_page', owner.id)
    changed = await act.run(c.env.DB, { owner, actor: actorOf(c), now }, form)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return showOwnPage(c, token, { error, form })
  }
  const { message, reported, switchedOff } = changed
  if (reported) c.executionCtx.waitUntil(reportChange(c.env, owner.id, { change: reported, at: now, switchedOff }))
  const after = await readOwner(c.env.DB, owner.id)
  const obstacle = act.beginsMessages ? obstacleTo(after, c.get('timeZone'), now) : ''
  flash(c, obstacle === '' ? 'success' : 'warning', [message, obstacle].filter(Boolean).join(' '))
  return c.redirect(`/r/${await ownToken(c.env, after)}#${act.part}`, 303)
})

/** Why messages do not arrive now; '' if they do. */
function obstacleTo({ can_be_reached, paused_until }: Owner, timeZone: string, now: number): string {
  if (!can_be_reached) return 'No message can reach you.'
  if (paused_until === null || paused_until <= now) return ''
  return `Messages are paused until ${absoluteText(iso(paused_until), timeZone)}.`
}

ownPageRoutes.get('/:token/app.webmanifest', limitReads, async (c) => {
  const token = c.req.param('token')
  await ownerOf(c.env, token)
  return appManifestOf(c, `/r/${token}`)
})

/** Calls of devices and of the pages on which they are added. */
export const pushRoutes = new Hono<SiteEnv>()

pushRoutes.post('/subscribe', async (c) => {
  const form = await formOf(c)
  const sent = {
    endpoint: textField(form, 'endpoint'),
    p256dh: textField(form, 'p256dh'),
    auth: textField(form, 'auth'),
  }
  const subscription = subscriptionOf(sent, c.env.PUSH_SERVICE_URL)
  if (subscription === null) throw badRequest('This is not a subscription to a known push service.')
  const known = c.req.header('x-device-token')
  if (known !== undefined) return c.json({ token: await moveDevice(c.env, known, subscription) })
  if (!isPushSetUp(c.env)) throw notFound('Notifications are not set up here.')
  const change = { owner: await subscriberOf(c, form), actor: actorOf(c), now: Date.now() }
  const isByOwnLink = textField(form, 'code') === ''
  await takeChange(c.env, isByOwnLink ? 'change_on_own_page' : 'change_by_alert_link', change.owner.id)
  const token = await addDevice(c.env, change, subscription, { name: textField(form, 'device'), isByOwnLink })
  c.executionCtx.waitUntil(
    reportChange(c.env, change.owner.id, { change: 'device_added', at: change.now, exceptId: idIn(token) }),
  )
  flash(c, 'success', 'Notifications are on for this browser.')
  return c.json({ token })
})

pushRoutes.post('/seen', async (c) => {
  const device = await deviceOf(c.env, c.req.header('x-device-token') ?? '')
  const form = await formOf(c)
  const message = reportedMessage(textField(form, 'delivery'))
  const event = textField(form, 'event')
  if (message === null || (event !== 'shown' && event !== 'opened')) throw badRequest()
  await recordReceipt(c.env.DB, device.id, message, event, Date.now())
  return c.body(null, 204)
})

/** The recipient whose device is added: by the token of their own page, or the code of a message they received. */
async function subscriberOf(c: SiteContext, form: FormData): Promise<Owner> {
  const code = textField(form, 'code')
  if (code === '') return ownerOf(c.env, textField(form, 'token'))
  const found = await readFirst(
    c.env.DB,
    query
      .select({ recipient_id: delivery.recipientId })
      .from(delivery)
      .innerJoin(contact, isSentToContact)
      .where(sql`${delivery.linkCode} = ${code} AND ${isLinkAlive(Date.now())}`),
  )
  if (found === null) {
    await countMiss(c)
    throw notFound('This link has expired.')
  }
  return readOwner(c.env.DB, found.recipient_id)
}

async function showOwnPage(
  c: SiteContext,
  token: string,
  { form, error }: { form: FormData | null; error: Refusal | null },
): Promise<Response> {
  const now = Date.now()
  const props = await readOwnPage(c.env, token, now)
  c.header('x-robots-tag', 'noindex')
  const messages = error?.messages ?? []
  return showPage(c, {
    page: 'OwnPage',
    title: 'My class alerts',
    props,
    status: error?.status ?? 200,
    errors: messages.map((message) => ({ message })),
    manifest: `/r/${token}/app.webmanifest`,
    script: 'push',
    body: <OwnPage token={token} view={{ props, context: contextOf(c), now, sent: form, error: messages[0] ?? '' }} />,
  })
}
