import { ofQueue, queuesAddress } from '../../../client/islands/scheduler/addresses.ts'
import { Hono } from 'hono'
import type { QueueName, Schedule } from '../../jobs/job.ts'
import { queueEffects } from '../../jobs/paused-queues.ts'
import { showIsland } from '../../web/page/island.tsx'
import { offerExpiredForm } from '../../web/session/expired-form.ts'
import { contextOf, showPage } from '../../web/page/page.tsx'
import { formOf, textField } from '../../web/parse.ts'
import { conflict, notFound, Refusal } from '../../web/refusal.ts'
import type { SiteContext, SiteEnv } from '../../web/site.ts'
import { wantsJson } from '../../web/wants-json.ts'
import { pathQueue, followupOf } from '../path-parts.ts'
import { answerAct } from '../answer-act.ts'
import { askLedger } from '../ask-ledgers.ts'
import type { SettingsProps } from '../contract.ts'
import { showConfirm } from '../confirm.tsx'
import { sharedRead } from '../shared-read.ts'
import { changeSettings, setPaused, settingsOf, shownSettings } from './queue-acts.ts'
import { chartSpanOf, readQueues } from './read-queues.ts'
import { actOnSchedule, readSchedules, scheduleActs } from './schedules.ts'
import { SettingsPage, settingsTitle } from './settings-page.tsx'

/** The first page, and what can be done to whole queues and to schedules. */
export function queueRoutes(schedules: readonly Schedule[]): Hono<SiteEnv> {
  const routes = new Hono<SiteEnv>()

  routes.get('/', (c) => c.redirect(queuesAddress, 302))

  routes.get('/queues/', async (c) => {
    const props = await sharedRead(c, () => {
      const now = Date.now()
      return readQueues(c.env, readSchedules(c.env, schedules), chartSpanOf(c), now)
    })
    return showIsland(c, 'scheduler/queues', { page: 'Queues', title: 'Scheduler', props })
  })

  routes.get('/queues/:queue/pause/', async (c) => {
    const queue = pathQueue(c)
    const { stops, until } = queueEffects[queue]
    return showConfirm(c, {
      title: `pause ${queue}`,
      question: `Are you sure you want to pause the queue ${queue}?`,
      note: `${stops} while it is paused. ${until} Jobs are kept, and running jobs will finish.`,
      post: ofQueue(queue, 'pause'),
      sendsNames: false,
      props: { action: 'pause', job_names: [], next_url: followupOf(c, c.req.query('next_url') ?? '', queuesAddress) },
    })
  })

  for (const act of ['pause', 'resume'] as const) {
    routes.post(`/queues/:queue/${act}/`, async (c) => {
      const queue = pathQueue(c)
      const url = await nextUrl(c)
      const message = await setPaused(c, queue, act === 'pause')
      return answerAct(c, { messages: [{ level_tag: 'success', message }], url })
    })
  }

  routes.get('/queues/:queue/settings/', async (c) => {
    const queue = pathQueue(c)
    const expiredForm = await offerExpiredForm(c, ofQueue(queue, 'settings'))
    // Somebody who goes back from a question comes back to what they had typed.
    const asked = new URL(c.req.url).searchParams
    const typed = expiredForm ?? (asked.has('was') ? asked : null)
    const shown = typed ? { settings: typedIn(typed), was: valueOf(typed, 'was') } : await storedIn(c.env, queue)
    return showSettings(c, { queue, ...shown, errors: [] })
  })

  routes.post('/queues/:queue/settings/', async (c) => saveSettings(c, pathQueue(c)))

  routes.post('/schedules/:name/:act/', async (c) => {
    const schedule = schedules.find(({ name }) => name === c.req.param('name'))
    const act = scheduleActs.find((name) => name === c.req.param('act'))
    if (!schedule || !act) throw notFound('There is no such schedule or action.')
    return answerAct(c, { url: await nextUrl(c), messages: [await actOnSchedule(c, schedule, act)] })
  })

  return routes
}

const nextUrl = async (c: SiteContext) => followupOf(c, textField(await formOf(c), 'next_url'), queuesAddress)

type Typed = FormData | URLSearchParams
const valueOf = (typed: Typed, name: string): string => {
  const value = typed.get(name)
  return typeof value === 'string' ? value.trim() : ''
}
const typedIn = (typed: Typed): SettingsProps['settings'] => settingsOf((name) => valueOf(typed, name))

async function storedIn(env: Env, queue: QueueName): Promise<Pick<SettingsProps, 'settings' | 'was'>> {
  const stored = await askLedger(env, queue, (ledger) => ledger.settings())
  return { settings: settingsOf((name) => String(stored[name])), was: shownSettings(stored) }
}

async function saveSettings(c: SiteContext, queue: QueueName): Promise<Response> {
  const form = await formOf(c)
  const settings = typedIn(form)
  const sent = { typed: settings, was: textField(form, 'was'), isConfirmed: textField(form, 'confirmed') !== '' }
  const { status, errors, was, question } = await changeSettings(c, queue, sent)
  if (errors.length > 0 && wantsJson(c)) {
    throw new Refusal(
      status === 409 ? 409 : 422,
      errors.map(({ message }) => message),
    )
  }
  if (errors.length > 0) return showSettings(c, { queue, settings, errors, was }, status)
  const url = ofQueue(queue, 'settings')
  if (question !== '' && wantsJson(c)) throw conflict(question)
  if (question !== '') {
    return showConfirm(c, {
      title: `save settings of ${queue}`,
      question,
      note: 'Jobs beyond that are deleted within minutes, the ones that ended first. This cannot be undone.',
      post: url,
      sendsNames: false,
      fields: { ...settings, was, confirmed: '1' },
      props: { action: 'save', job_names: [], next_url: `${url}?${new URLSearchParams({ ...settings, was })}` },
    })
  }
  const message = `Settings for ${queue} saved.`
  return answerAct(c, { messages: [{ level_tag: 'success', message }], url })
}

function showSettings(c: SiteContext, props: SettingsProps, status: 200 | 409 | 422 = 200): Promise<Response> {
  const body = <SettingsPage props={props} context={contextOf(c)} />
  return showPage(c, { page: 'QueueSettings', title: settingsTitle(props.queue), props, body, status })
}
