import { CUNY_SOURCE } from '../world/schools/roster.ts'
import type { StatementCount } from './app/counted-database.ts'
import { addSource, learnSubjects, refreshSections, type BenchSource } from './app/sources.ts'
import { startApp, type BenchApp } from './app/start-app.ts'
import { addWatches, chooseSections } from './app/watches.ts'
import type { Figure, Part } from './report.ts'
import { tableOf } from './write-counts.ts'

const groupsPerSource = 50
/** Two Banner schools (one answers a search of everything, one requires a filter) and CUNY. */
const sourceNames = ['Harbor State University', 'Cedar Valley Community College', CUNY_SOURCE]
const watchedPerSource = [667, 667, 666]
const watchCounts = [2000, 10_000, 100_000]

const total = (counts: readonly StatementCount[], of: 'rows_read' | 'rows_written'): number =>
  counts.reduce((sum, count) => sum + count[of], 0)

/** The next tick polls again, however recent the last poll was. */
async function forgetAsking(app: BenchApp): Promise<void> {
  await app.db.prepare('UPDATE section_group SET asked_at = 0').run()
}

/** One minute of the cron with everything it starts: plan, polls, sweep. */
async function quietMinute(app: BenchApp): Promise<StatementCount[]> {
  await app.counts()
  app.world.world.requests.length = 0
  await app.tick()
  // Polls are delayed by up to a second, so that sources do not all start together.
  await new Promise((resolve) => setTimeout(resolve, 1500))
  await app.rest()
  return app.counts()
}

/** A source's requests in the last minute, against its protocol's limit. */
function requestsOf(app: BenchApp, source: BenchSource): Figure {
  const requests = app.world.world.requests.filter(({ service }) => service === source.name)
  const count = (part: string): number => requests.filter(({ path }) => path.includes(part)).length
  const what = `requests a round: ${source.name}`
  const value = requests.length
  if (source.kind === 'cuny') {
    const pairs = app.world.world.catalog.schools.filter((school) => school.source === source.name).length
    const note = `${groupsPerSource} groups + ${pairs} pairs of college and term`
    return { what, value, unit: '', atMost: groupsPerSource + pairs, note }
  }
  const searches = count('/searchResults')
  const sessions = count('/term/search')
  const note = `2 × ${searches} searches + ${sessions} sessions, for ${groupsPerSource} groups`
  return { what, value, unit: '', atMost: 2 * searches + sessions, note }
}

/** Adds watches of the sections, evenly, up to each count in turn, and runs a minute without changes at each. */
export async function atEachCount(
  app: BenchApp,
  sections: readonly number[],
  watchCounts: readonly number[],
  measured: (counts: StatementCount[], watches: number) => void,
): Promise<void> {
  let watchers = 0
  for (const watches of watchCounts) {
    const more = watches / sections.length - watchers
    const pairs = sections.flatMap((id) => Array.from({ length: more }, (_, index) => [index, id] as const))
    await addWatches(app, more, pairs)
    watchers += more
    // The first round stores the sources' health; the second is one without changes.
    await quietMinute(app)
    await forgetAsking(app)
    measured(await quietMinute(app), watches)
  }
}

/** What polling 2 000 watched sections in 150 groups costs the schools and the database, for any number of watchers. */
export async function measurePolling(): Promise<Part> {
  const app = await startApp({ size: { subjects: groupsPerSource, sections: 26 } })
  try {
    const sources: BenchSource[] = []
    for (const name of sourceNames) sources.push(await addSource(app, name, 60))
    await app.db.prepare('UPDATE source SET requests_per_minute = 6000').run()
    const termId = await learnSubjects(app, sources)
    await refreshSections(app, termId)
    const chosen = await Promise.all(
      sources.map(({ id }, index) =>
        chooseSections(app, id, termId, { groups: groupsPerSource, sections: watchedPerSource[index] ?? 0 }),
      ),
    )
    const sections = chosen.flat().map(({ id }) => id)
    const groups = groupsPerSource * sources.length
    const figures: Figure[] = []
    await atEachCount(app, sections, watchCounts, (counts, watches) => {
      if (watches === watchCounts[0]) figures.push(...sources.map((source) => requestsOf(app, source)))
      figures.push(...rowFigures(counts, watches, sections.length, groups))
    })
    return {
      name: `(c) Polling ${sections.length} watched sections in ${groups} groups of ${sources.length} sources`,
      figures,
      notes: [
        'A quiet tick is all of a minute: the cron’s plans, every poll, the sweep. Rows are what D1 itself counts.',
      ],
    }
  } finally {
    await app.close()
  }
}

/** Rows of a minute without changes with this many watches, sections and groups. */
export function rowFigures(counts: StatementCount[], watches: number, sections: number, groups: number): Figure[] {
  const isPoll = ({ sql }: StatementCount): boolean => /^update "?section_group\b/i.test(sql)
  const polls = counts.filter(isPoll)
  const others = counts.filter((count) => !isPoll(count) && count.rows_written > 0)
  const largest = counts.toSorted((one, other) => other.rows_read - one.rows_read).slice(0, 3)
  const label = `${watches.toLocaleString('en-US')} watches:`
  return [
    {
      what: `${label} rows read in a quiet tick`,
      value: total(counts, 'rows_read'),
      unit: '',
      atMost: 1.2 * sections + 2 * groups,
      note: `most: ${largest.map(({ sql, rows_read }) => `${rows_read} ${placeOf(sql)}`).join(', ')}`,
    },
    {
      what: `${label} rows written by an unchanged poll`,
      value: total(polls, 'rows_written'),
      unit: '',
      atMost: groups,
      note: `and by the rest of the tick: ${others.map(({ sql, rows_written }) => `${rows_written} ${tableOf(sql)}`).join(', ') || 'none'}`,
    },
  ]
}

/** Verb and last table of a statement, for people. */
function placeOf(sql: string): string {
  const tables = [...sql.matchAll(/\b(?:FROM|JOIN|UPDATE|INTO) "?(\w+)/gi)].map(([, table]) => table)
  return `${sql.split(' ')[0]?.toLowerCase()} ${tables.includes('json_each') ? tables[0] : tables.at(-1)}`
}
