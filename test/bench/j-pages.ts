import { startApp } from './app/start-app.ts'

import { fillDirectory } from './pages/fill-directory.ts'
import { fillTracker } from './pages/fill-tracker.ts'
import { prefix } from './pages/prefix.ts'
import { compareThroughput, type Target, throughputFigure } from './pages/throughput.ts'
import type { Figure, Part } from './report.ts'

/** The share of its bare throughput that a page must keep. */
const leastShare = 0.85
const pages: readonly { name: string; path: string; isForVisitors?: boolean }[] = [
  { name: 'home, a visitor', path: '/', isForVisitors: true },
  { name: 'home', path: '/' },
  { name: 'login form', path: '/accounts/login/', isForVisitors: true },
  { name: 'unapproved invites', path: '/classcords/unapproved-invites/' },
  { name: 'add classes', path: '/class_tracker/add_classes/' },
  { name: 'class alerts', path: '/class_tracker/class_alerts/' },
  { name: 'manage course list', path: '/class_tracker/manage_course_list/' },
]

/** The other main pages beside bare handlers. */
export async function measurePages(): Promise<Part> {
  const app = await startApp()
  try {
    const url = app.world.world.options.appUrl
    await fillDirectory(app.db)
    await fillTracker(app.db, Date.now())
    const cookie = await (await fetch(`${url}${prefix}/login`, { method: 'POST' })).text()
    const figures: Figure[] = []
    for (const { name, path, isForVisitors = false } of pages) {
      const headers: Record<string, string> = isForVisitors ? {} : { cookie }
      const bare: Target = { url: url + prefix + path, headers }
      figures.push(throughputFigure(`${name}: the bare handler against itself`, await compareThroughput(bare, bare)))
      const share = await compareThroughput({ url: url + path, headers }, bare)
      figures.push(throughputFigure(`${name}: the app`, share, leastShare))
    }
    return {
      name: '(j) Main pages',
      figures,
      notes: [
        'Requests a second beside a bare handler with the same reads and components; 20 blocks, by turns, 8 at once.',
        'Logged in as someone who is superuser and manager, where not said otherwise.',
      ],
    }
  } finally {
    await app.close()
  }
}
