import { bulkAddress, listAddress, ofQueue, searchText } from '../../../client/islands/scheduler/addresses.ts'
import { listTitle } from '../../../client/islands/scheduler/texts.ts'
import { Hono } from 'hono'
import { counted } from '../../lib/text.ts'
import { flash } from '../../web/session/flash.ts'
import { showIsland } from '../../web/page/island.tsx'
import { optionalField, positiveInteger, queryId, queryPage } from '../../web/parse.ts'
import { notFound } from '../../web/refusal.ts'
import type { SiteContext, SiteEnv } from '../../web/site.ts'
import { wantsJson } from '../../web/wants-json.ts'
import { pathQueue, pathRegistry } from '../path-parts.ts'
import { answerAct } from '../answer-act.ts'
import { joinedNotes, returnNote } from '../notes.ts'
import { showConfirm } from '../confirm.tsx'
import { chartSpanOf } from '../queues/read-queues.ts'
import { sharedRead } from '../shared-read.ts'
import { searchOf } from './list-search.ts'
import { readList } from './read-list.ts'
import { actOf, actOnSet, previewAct, registryAction, type JobSet } from './registry-acts.ts'
import { actOnSelection, nothingChosen, selectionOf } from './selection.ts'

export const listRoutes = new Hono<SiteEnv>()

/** Any action except `jobs`, which is the list's own URL and only reads. */
const actionPath = '/queues/:queue/:registry/:action{(?!jobs$)[^/]+}/'

listRoutes.post('/queues/:queue/confirm-action/', async (c) => {
  const queue = pathQueue(c)
  const { action, jobs, nextUrl } = await selectionOf(c, queue, '_selected_action')
  if (jobs.length === 0) return answerAct(c, nothingChosen(nextUrl))
  return showConfirm(c, {
    title: `${action} ${counted(jobs.length, 'job')}`,
    question: `Are you sure you want to ${action} the ${counted(jobs.length, 'selected job')} of ${queue}?`,
    note: joinedNotes(action === 'delete' ? 'This cannot be undone.' : '', returnNote(queue, action)),
    post: ofQueue(queue, 'actions'),
    sendsNames: true,
    // What a colleague does with them meanwhile is left alone.
    fields: { at: String(Date.now()) },
    props: { action, job_names: jobs, next_url: nextUrl },
  })
})

listRoutes.post('/queues/:queue/actions/', async (c) => {
  const queue = pathQueue(c)
  return answerAct(c, await actOnSelection(c, queue, await selectionOf(c, queue, 'job_names')))
})

listRoutes.get('/queues/:queue/:registry/jobs', async (c) => {
  const set = pathSet(c)
  const { queue, registry } = set
  const place = { ...set, page: queryPage(c), cursor: queryId(c, 'cursor'), span: chartSpanOf(c) }
  const props = await sharedRead(c, () => readList(c.env, place, Date.now()))
  const title = listTitle(props.queue.counts[registry], registry, queue)
  return showIsland(c, 'scheduler/job-list', { page: 'RegistryJobs', title, props })
})

listRoutes.get(actionPath, async (c) => {
  const set = pathSet(c)
  const { queue, registry, search } = set
  const action = registryAction(registry, c.req.param('action'))
  if (!action) return noSuchAction(c, set)
  const now = Date.now()
  const { question, names, note } = await previewAct(c, set, action, now)
  const back = listAddress(queue, registry, searchText(search))
  return showConfirm(c, {
    title: `${action} ${registry} jobs of ${queue}`,
    question,
    note: joinedNotes(
      actOf(action) === 'delete' ? 'This cannot be undone.' : '',
      returnNote(queue, action, registry),
      note,
    ),
    post: bulkAddress(queue, registry, action, searchText(search)),
    sendsNames: false,
    // Jobs that are added later are left alone.
    fields: { at: String(now) },
    props: { action, job_names: names, next_url: back },
  })
})

listRoutes.post(actionPath, async (c) => {
  const set = pathSet(c)
  const action = registryAction(set.registry, c.req.param('action'))
  if (!action) return noSuchAction(c, set)
  const now = Date.now()
  const asked = positiveInteger(await optionalField(c, 'at'))
  return answerAct(c, await actOnSet(c, set, action, Math.min(now, asked ?? now)))
})

function pathSet(c: SiteContext): JobSet {
  const registry = pathRegistry(c)
  return { queue: pathQueue(c), registry, search: searchOf(c, registry) }
}

function noSuchAction(c: SiteContext, { queue, registry, search }: JobSet): Response {
  const message = `This cannot be done with all ${registry} jobs.`
  if (wantsJson(c)) throw notFound(message)
  flash(c, 'warning', message)
  return c.redirect(listAddress(queue, registry, searchText(search)), 302)
}
