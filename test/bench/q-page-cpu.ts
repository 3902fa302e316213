import { freePort } from '../world/start/settings.ts'
import { inspect, type Inspector, ranMs } from './app/profile.ts'
import { startApp } from './app/start-app.ts'
import { fillDirectory } from './pages/fill-directory.ts'
import { fillWatches } from './pages/fill-watches.ts'
import { prefix } from './pages/prefix.ts'
import { percentile, type Figure, type Part } from './report.ts'

const warmUp = 200
const rounds = 10
const requestsARound = 20

interface Page {
  name: string
  path: string
  /** ms */
  atMost?: number
  /** KB of HTML */
  mostKb?: number
}

const pages: Page[] = [
  { name: 'Add Classes, 50 recipients × 20 sections', path: '/class_tracker/add_classes/', atMost: 12, mostKb: 250 },
  { name: 'Class Alerts', path: '/class_tracker/class_alerts/', atMost: 8 },
  { name: 'Manage Course List', path: '/class_tracker/manage_course_list/' },
  { name: 'unapproved invites', path: '/classcords/unapproved-invites/' },
  { name: 'all listings', path: '/classcords/all/' },
  { name: 'queues', path: '/scheduler/queues/' },
  { name: 'sections in the admin', path: '/admin/sections/' },
]

/** Bytes of the page after this many sequential requests. */
async function ask(url: string, cookie: string, times: number): Promise<number> {
  let bytes = 0
  for (let asked = 0; asked < times; asked += 1) {
    const response = await fetch(url, { headers: { cookie, accept: 'text/html' } })
    bytes = (await response.arrayBuffer()).byteLength
    if (!response.ok) throw new Error(`${url} answered ${response.status}`)
  }
  return bytes
}

async function measurePage(inspector: Inspector, page: Page, url: string, cookie: string): Promise<Figure[]> {
  const bytes = await ask(url + page.path, cookie, warmUp)
  const times: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const profile = await inspector.profile(async () => {
      await ask(url + page.path, cookie, requestsARound)
    })
    times.push(ranMs(profile) / requestsARound)
  }
  return [
    {
      what: `${page.name}: of the processor`,
      value: Math.min(...times),
      unit: 'ms',
      note: `median ${percentile(times, 0.5).toFixed(1)}, slowest ${Math.max(...times).toFixed(1)}`,
      ...(page.atMost !== undefined && { atMost: page.atMost }),
    },
    {
      what: `${page.name}: HTML`,
      value: bytes / 1000,
      unit: 'KB',
      ...(page.mostKb !== undefined && { atMost: page.mostKb }),
    },
  ]
}

/** The CPU time that the Worker itself takes to answer a page, by V8's profiler. */
export async function measurePageCpu(): Promise<Part> {
  const inspectorPort = await freePort()
  const app = await startApp({}, 'measured-worker', { inspectorPort })
  try {
    const url = app.world.world.options.appUrl
    await fillDirectory(app.db)
    await fillWatches(app.db, Date.now())
    const cookie = await (await fetch(`${url}${prefix}/login`, { method: 'POST' })).text()
    const inspector = await inspect(inspectorPort, 'bench')
    const figures: Figure[] = []
    for (const page of pages) figures.push(...(await measurePage(inspector, page, url, cookie)))
    return {
      name: '(q) What a page takes of the processor in the Worker',
      figures,
      notes: [
        `The fastest of ${rounds} rounds of ${requestsARound} requests, one at a time, after ${warmUp}: what else the machine does only adds. Logged in as superuser and manager.`,
        'Counted: our code, what it calls of the runtime and garbage. Not counted: the database, the network, other Workers of the process.',
      ],
    }
  } finally {
    await app.close()
  }
}
