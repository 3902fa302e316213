import { atEachCount, rowFigures } from './c-polling.ts'
import { addDescribed, KINDS, learnSubjects, refreshSections, type BenchSource } from './app/sources.ts'
import { startApp, type BenchApp } from './app/start-app.ts'
import { chooseSections } from './app/watches.ts'
import type { Figure, Part } from './report.ts'

const kinds = ['banner9', 'cuny', 'fose', 'rutgers', 'hcx']
const groupsPerSource = 20
const sectionsPerSource = 400
const watchCounts = [10_000, 100_000]

/** A source's requests in the last minute: one per group if a list returns no more, and a few for sessions. */
function requestsOf(app: BenchApp, { kind, name }: BenchSource, label: string): Figure {
  const value = app.world.world.requests.filter(({ service }) => service === name).length
  const note = `${sectionsPerSource} sections in ${groupsPerSource} groups`
  return { what: `${label} requests of a tick, ${kind}`, value, unit: '', atMost: 1.2 * groupsPerSource, note }
}

/** What a tick with very many watches costs at five sources of five kinds. */
export async function measureKinds(): Promise<Part> {
  const app = await startApp({ size: { subjects: groupsPerSource, sections: 40 } })
  try {
    const sources: BenchSource[] = []
    for (const one of KINDS.filter(({ kind }) => kinds.includes(kind))) sources.push(await addDescribed(app, one, 60))
    await app.db.prepare('UPDATE source SET requests_per_minute = 6000').run()
    const termId = await learnSubjects(app, sources)
    await refreshSections(app, termId)
    const size = { groups: groupsPerSource, sections: sectionsPerSource }
    const chosen = await Promise.all(sources.map(({ id }) => chooseSections(app, id, termId, size)))
    const sections = chosen.flat().map(({ id }) => id)
    const groups = groupsPerSource * sources.length
    const figures: Figure[] = []
    await atEachCount(app, sections, watchCounts, (counts, watches) => {
      const label = `${watches.toLocaleString('en-US')} watches:`
      figures.push(...sources.map((source) => requestsOf(app, source, label)))
      figures.push(...rowFigures(counts, watches, sections.length, groups))
    })
    return {
      name: `(x) A tick over ${sections.length} watched sections of five kinds of sources`,
      figures,
      notes: [
        'A quiet tick is all of a minute: the cron’s plans, every poll, the sweep. Rows are what D1 itself counts.',
      ],
    }
  } finally {
    await app.close()
  }
}
