import { startApp } from './app/start-app.ts'

import { fillDirectory } from './pages/fill-directory.ts'
import { prefix } from './pages/prefix.ts'
import { compareThroughput, costFigure, type Target, throughputFigure } from './pages/throughput.ts'
import type { Figure, Part } from './report.ts'

/** The share of its bare throughput that a page must keep. */
const leastShare = 0.85
const directory = [
  ['welcome', '/classcords/'],
  ['explore', '/classcords/all/'],
] as const

/**
 * The directory's two public pages with 5 000 servers: for visitors, for visitors with a referral (rendered), for
 * members.
 */
export async function measureDirectory(): Promise<Part> {
  const app = await startApp()
  try {
    const url = app.world.world.options.appUrl
    await fillDirectory(app.db)
    const cookie = await (await fetch(`${url}${prefix}/login`, { method: 'POST' })).text()
    const figures: Figure[] = []
    for (const [name, path] of directory) {
      const at = (place: string, headers: Record<string, string> = {}): Target => ({ url: url + place, headers })
      const referred = `${path}?referral=bench`
      const bare = at(`${prefix}${path}`)
      figures.push(throughputFigure(`${name}: the bare handler against itself`, await compareThroughput(bare, bare)))
      const visitor = await compareThroughput(at(path), bare)
      figures.push(throughputFigure(`${name}: a visitor, from the edge`, visitor, leastShare))
      const rendered = await compareThroughput(at(referred), at(`${prefix}${referred}`))
      figures.push(throughputFigure(`${name}: a visitor, rendered`, rendered, leastShare))
      const member = await compareThroughput(at(path, { cookie }), at(prefix + path, { cookie }))
      figures.push(throughputFigure(`${name}: a member`, member, leastShare))
      const text = at(`${prefix}/finished${path}`)
      figures.push(
        costFigure(`${name}: from the edge, over the finished string`, await compareThroughput(at(path), text)),
      )
      figures.push(
        costFigure(`${name}: rendered, over the finished string`, await compareThroughput(at(referred), text)),
      )
    }
    return {
      name: '(i) Welcome and explore with 5 000 servers',
      figures,
      notes: [
        'Requests a second beside a bare handler with the same reads and components; 20 blocks, by turns, 8 at once.',
      ],
    }
  } finally {
    await app.close()
  }
}
