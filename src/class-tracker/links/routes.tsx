import { eq } from 'drizzle-orm'
import { Hono } from 'hono'
import { type Database, query, readFirst } from '../../db/query.ts'
import { delivery } from '../../db/schema/index.ts'
import { enqueue } from '../../jobs/enqueue.ts'
import { orWarn } from '../../lib/fallbacks.ts'
import { isPushSetUp } from '../../notify/channels.ts'
import { type Actor, actorOf } from '../../web/audit.ts'
import { flash } from '../../web/session/flash.ts'
import { appManifestOf } from '../../web/page/app-manifest.ts'
import { contextOf, showPage } from '../../web/page/page.tsx'
import { formOf, hasForm, textField } from '../../web/parse.ts'
import { type DeadEndForm, forbidden, notFound, Refusal } from '../../web/refusal.ts'
import type { SiteContext, SiteEnv } from '../../web/site.ts'
import { pausedText } from './pages/alert-acts.tsx'
import { AlertLinkPage } from './pages/alert-link.tsx'
import { isLinkCode, LINK_CODE_LENGTH } from '../deliveries/link-code.ts'
import { reportChange } from '../deliveries/report-change.ts'
import { sweepAlerts } from '../deliveries/sweep-alerts.ts'
import { countMiss, takeChange } from '../recipients/change-limit.ts'
import { endWatch, markOpened, markSeen, passSeat, stopAll, watchAgain } from './answer-link.ts'
import { nameOf } from '../courses/section-row.ts'
import { alertLinkProps, findLink, findLinkPage, type LinkRow } from './find-link.ts'

const removedContact =
  'The phone number or address that got this message was removed or changed, so its link no longer changes anything.'

/** The page of one message. Opening it changes nothing, because email filters open every link. */
export const linkRoutes = new Hono<SiteEnv>()

/** A page to type the code in. */
linkRoutes.get('/', async (c) => {
  const code = linkCodeIn(c.req.query('code') ?? '')
  if (code !== '') return c.redirect(`/s/${encodeURIComponent(code)}`)
  throw await invalidLink(c.env.DB, '')
})

linkRoutes.get('/:code', async (c) => {
  const now = Date.now()
  const found = await guarded(c, (code) => findLinkPage(c.env.DB, code, now))
  const { rows } = found
  const code = c.req.param('code')
  const pushKey = isPushSetUp(c.env) ? c.env.VAPID_PUBLIC_KEY : null
  const props = alertLinkProps(rows, pushKey !== null)
  const body = <AlertLinkPage {...found} code={code} now={now} context={contextOf(c)} pushKey={pushKey} />
  const [only, ...others] = rows
  const title = only && others.length === 0 ? nameOf(only) : `${rows.length} classes`
  const manifest = `/s/${code}/app.webmanifest`
  return showPage(c, { page: 'AlertLink', title, props, body, script: 'alert-link', manifest })
})

/**
 * Tells nothing about a message, so it needs no look at the database. An app made from a message's page opens an error
 * page once the link has expired.
 */
linkRoutes.get('/:code/app.webmanifest', (c) => {
  const code = c.req.param('code')
  if (!isLinkCode(code)) throw notFound()
  return appManifestOf(c, `/s/${code}`)
})

linkRoutes.post('/:code/got_it', async (c) => {
  const row = await answeredRow(c)
  await endWatch(c.env.DB, row, answeredBy(c), Date.now())
  if (row.is_fair) await releaseNextWave(c)
  flash(c, 'success', `Congratulations! We no longer watch ${nameOf(row)} for you.`)
  return back(c)
})

linkRoutes.post('/:code/watch_again', async (c) => {
  const row = await answeredRow(c)
  if (!row.is_watched) await takeChange(c.env, 'change_by_alert_link', row.recipient_id)
  await watchAgain(c.env.DB, row, answeredBy(c), Date.now())
  const obstacle = obstacleFor(c, row)
  const text = `We’re watching ${nameOf(row)} for you again${obstacle === '' ? '' : `, but ${obstacle}`}.`
  flash(c, obstacle === '' ? 'success' : 'warning', text)
  return back(c)
})

linkRoutes.post('/:code/pass', async (c) => {
  const row = await answeredRow(c)
  await passSeat(c.env.DB, row, Date.now())
  if (row.is_fair) await releaseNextWave(c)
  const obstacle = obstacleFor(c, row)
  const promise = obstacle === '' ? ' and will message you when the next seat opens' : `, but ${obstacle}`
  flash(c, 'success', `Thanks for telling us.${row.is_watched ? ` We keep watching${promise}.` : ''}`)
  return back(c)
})

linkRoutes.post('/:code/stop_all', async (c) => {
  const row = await firstRow(c)
  const now = Date.now()
  const stopped = await stopAll(c.env.DB, row, answeredBy(c), now)
  if (stopped > 0)
    c.executionCtx.waitUntil(
      reportChange(c.env, row.recipient_id, { change: 'stopped', at: now, exceptId: row.contact_id }),
    )
  flash(c, 'success', stopped === 0 ? 'All messages were already stopped.' : 'Done. We’ve stopped all messages.')
  return back(c)
})

/** Records that the number was copied, so the message was seen. */
linkRoutes.post('/:code/copied', async (c) => {
  await markSeen(c.env.DB, await firstRow(c), Date.now())
  return c.body(null, 204)
})

linkRoutes.post('/:code/opened', async (c) => {
  await markOpened(c.env.DB, await firstRow(c), Date.now())
  return c.body(null, 204)
})

/** Notifies the next people in line now; if this fails, the sweep does so within a minute. */
async function releaseNextWave(c: SiteContext): Promise<void> {
  const queued = enqueue(c.env, sweepAlerts, {}, { key: `sweep:${crypto.randomUUID()}`, priority: 10 })
  await orWarn(queued, { event: 'wave_not_queued' }, null)
}

/** The alert about a form's class; without one, the message's only. @throws notFound; otherwise as {@link rowsOf} */
async function answeredRow(c: SiteContext): Promise<LinkRow> {
  const rows = await rowsOf(c)
  const sectionId = hasForm(c) ? Number(textField(await formOf(c), 'section_id')) : 0
  const isNamed = sectionId > 0 || rows.length > 1
  const row = isNamed ? rows.find(({ section_id }) => section_id === sectionId) : rows[0]
  if (!row) throw notFound('This message was not about that class.')
  return row
}

/** Why the person gets no message about the class now; '' if they do. */
function obstacleFor(c: SiteContext, { can_be_messaged, opted_out_at, paused_until }: LinkRow): string {
  if (!can_be_messaged) return opted_out_at === null ? 'no message can reach you' : 'your messages are stopped'
  return paused_until === null ? '' : `your messages are ${pausedText(paused_until, c.get('timeZone'))}`
}

function answeredBy(c: SiteContext): Actor {
  return { ...actorOf(c), who: c.get('user')?.username ?? 'link in a message' }
}

function back(c: SiteContext): Response {
  return c.redirect(`/s/${c.req.param('code')}`, 303)
}

async function firstRow(c: SiteContext): Promise<LinkRow> {
  const [row] = await rowsOf(c)
  if (!row) throw await invalidLink(c.env.DB, c.req.param('code') ?? '')
  return row
}

/**
 * The alerts behind a link that changes something.
 * @throws notFound for an unknown or old link; tooMany after many of them; forbidden once its contact was removed
 * or got another address
 */
async function rowsOf(c: SiteContext): Promise<LinkRow[]> {
  const { rows } = await guarded(c, async (code) => ({ rows: await findLink(c.env.DB, code, Date.now()) }))
  if (rows.some(({ contact_id }) => contact_id === null)) throw forbidden(removedContact)
  return rows
}

/**
 * What a link leads to. Only wrong codes are counted and refused, because many people may share an IP address.
 * @throws as {@link rowsOf}
 */
async function guarded<Found extends { rows: LinkRow[] }>(
  c: SiteContext,
  find: (code: string) => Promise<Found>,
): Promise<Found> {
  c.header('x-robots-tag', 'noindex')
  const code = c.req.param('code') ?? ''
  const found = await find(code)
  if (found.rows.length > 0) return found
  await countMiss(c)
  throw await invalidLink(c.env.DB, code)
}

const deadEndForm: DeadEndForm = {
  action: '/s/',
  name: 'code',
  label: 'Link in your newest message',
  help: `Paste it, or type the ${LINK_CODE_LENGTH} letters and digits after /s/.`,
  button: 'Open',
}

const dead = (title: string, ...messages: string[]): Refusal =>
  new Refusal(404, messages, { headers: { 'x-robots-tag': 'noindex' }, deadEnd: { title, form: deadEndForm } })

/** Why a link shows nothing: it is incomplete, too old, or unknown. */
async function invalidLink(db: Database, code: string): Promise<Refusal> {
  if (code === '')
    return dead('Open your message', 'Every message we send has a link that shows the class as it is now.')
  if (!isLinkCode(code))
    return dead(
      'This link is incomplete',
      `Part of this link is missing. Our links end in ${LINK_CODE_LENGTH} letters and digits.`,
    )
  const known = await readFirst(
    db,
    query.select({ id: delivery.id }).from(delivery).where(eq(delivery.linkCode, code)).limit(1),
  )
  if (known)
    return dead('This link has expired', 'Links work for 30 days. Open the newest message, or wait for the next one.')
  return dead('We don’t know this link', 'Check the link for typos. Links also stop working after 30 days.')
}

/** The code in what a person typed or pasted: the end of a link, or the code alone. */
function linkCodeIn(typed: string): string {
  const [, code = typed.trim()] = /\/s\/([^/\s?#]*)/.exec(typed) ?? []
  return code
}
