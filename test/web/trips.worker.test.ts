import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeAll, expect, it, vi } from 'vitest'
import { forgetVersions, KEPT_VERSION_MS } from '../../src/web/edge/site-version.ts'
import worker from '../../src/worker.ts'
import { type Delays, farBindings, Journey, farthestChain } from '../bench/app/far-away.ts'
import { makeAnotherSection, makeGroup, makeRecipient } from '../worker/catalog.ts'
import { addPerson, emptyDirectory, makePending, makeSchool, makeServer } from '../worker/directory.ts'
import { browserOf, site, Visitor } from '../worker/visitor.ts'

/** Long enough that simultaneous trips overlap on a busy machine. */
const delays: Delays = { primary: 60, replica: 15, object: 60, kv: 5, cache: 0 }

let school: number
let server: number
let invite: number
const people: Record<string, Visitor> = {}

beforeAll(async () => {
  await emptyDirectory()
  const made = await makeSchool()
  school = made.school_id
  const shown = await makeServer({ name: 'Calculus friends', schools: [school], courses: [made.course_id] })
  server = shown.id
  invite = shown.invite
  people['visitor'] = new Visitor()
  people['member'] = await browserOf(await addPerson({ school }))
  people['staff'] = await browserOf(await addPerson({ school, role: 'manager', isSuperuser: true }))
  // Counts that do not exist yet are made for the first viewer.
  await waysOf('staff', 'GET', '/admin/')
  await waysOf('staff', 'GET', '/class_tracker/class_alerts/')
})

/** The longest chain of trips before the answer, as text. */
async function waysOf(who: string, method: string, path: string): Promise<string> {
  const visitor = people[who] ?? new Visitor()
  const journey = new Journey(delays)
  const context = createExecutionContext()
  const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const isCall = method !== 'GET' || path.includes('/ajax/')
  const response = await worker.fetch(
    new Request(site + path, {
      method,
      redirect: 'manual',
      headers: {
        cookie,
        origin: site,
        accept: isCall ? 'application/json' : 'text/html',
        'x-csrftoken': visitor.csrfToken,
        'cf-connecting-ip': visitor.address,
      },
    }) as Parameters<typeof worker.fetch>[0],
    farBindings(env, journey),
    context,
  )
  const way = farthestChain(journey.trips).map(({ to }) => to)
  const answer = await response.text()
  expect(response.status, `${path}: ${answer.slice(0, 200)}`).toBeLessThan(400)
  await waitOnExecutionContext(context)
  return way.join(' → ')
}

it.each(['/classcords/', '/classcords/all/', '/classcords/all/?page=1', '/classcords/ajax/subjects/'])(
  'a visitor’s %s costs no trip while its version is kept, and one to the nearest copy after that',
  async (path) => {
    await waysOf('visitor', 'GET', path)
    expect(await waysOf('visitor', 'GET', path)).toBe('')
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + KEPT_VERSION_MS + 1 })
    try {
      expect(await waysOf('visitor', 'GET', path)).toBe('replica')
      expect(await waysOf('visitor', 'GET', path)).toBe('')
    } finally {
      vi.useRealTimers()
      forgetVersions()
    }
  },
)

it("an uncached visitor's page reads the nearest copy", async () => {
  for (const path of [`/classcords/server/${server}/`, `/classcords/ajax/servers/${server}/invites/`])
    expect(await waysOf('visitor', 'GET', path), path).toBe('replica')
})

it.each([
  ['member', '/', 'primary → replica'],
  ['staff', '/', 'primary → object'],
  ['member', '/classcords/', 'primary → replica'],
  ['member', '/classcords/all/', 'primary → replica'],
  ['member', '/classcords/all/?q=calculus', 'primary → replica → replica'],
  ['member', '/classcords/profile/', 'primary → replica'],
  ['member', '/classcords/notices/', 'primary → replica'],
  ['member', '/classcords/referrals/', 'primary → replica'],
  ['member', '/classcords/ajax/notices/', 'primary → replica'],
  ['member', '/accounts/', 'primary → replica'],
  ['member', '/accounts/sessions/', 'primary → replica'],
  ['staff', '/classcords/unapproved-invites/', 'primary → replica'],
  ['staff', '/class_tracker/', 'primary → object'],
  ['staff', '/class_tracker/add_classes/', 'primary → object'],
  ['staff', '/class_tracker/class_alerts/', 'primary → object'],
  ['staff', '/class_tracker/manage_course_list/', 'primary → object'],
  ['staff', '/scheduler/queues/', 'primary → object'],
  ['staff', '/scheduler/queues/polls/finished/jobs', 'primary → object'],
  ['staff', '/scheduler/workers/', 'primary → object'],
  ['staff', '/admin/servers/', 'primary → replica'],
  ['staff', '/admin/', 'primary → replica'],
])('a %s’s %s costs %s', async (who, path, way) => {
  expect(await waysOf(who, 'GET', path)).toBe(way)
})

it('a call costs at most two trips to the primary', async () => {
  const { id: pending } = await makePending({ school })
  const watch = `${await makeRecipient()}/${await makeAnotherSection(await makeGroup())}`
  const ways = [
    await waysOf('member', 'PUT', `/classcords/ajax/invites/${invite}/track-usage/`),
    await waysOf('member', 'POST', '/classcords/ajax/notices/read/'),
    await waysOf('staff', 'POST', `/classcords/ajax/invites/${pending}/approve/`),
    await waysOf('staff', 'POST', `/class_tracker/add_watched_section/${watch}`),
    await waysOf('staff', 'POST', `/class_tracker/remove_watched_section/${watch}`),
  ]
  expect(ways).toEqual([
    'primary → replica',
    'primary → primary',
    'primary → primary',
    'primary → primary',
    'primary → primary',
  ])
})

it('a form and the page it leads to cost no more than separately', async () => {
  people['leaving'] = await browserOf(await addPerson({ school }))
  expect(await waysOf('leaving', 'POST', '/accounts/logout/')).toBe('primary → primary → kv')
  // Its cookie has not been removed here: a cached page checks once whether the visitor is logged in.
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    await waysOf('visitor', 'GET', '/')
    expect(await waysOf('leaving', 'GET', '/')).toBe('primary')
  } finally {
    vi.useRealTimers()
  }
})
