import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { rutgers } from '../../../src/sources/rutgers/rutgers.ts'
import { groupOf } from '../../sources/lanes.ts'

const MEGABYTE = 1e6
const SAMPLE_MS = 5
/** Until garbage of the start has been collected. */
const REST_MS = 500

/** What reading a whole term takes in a separate process. */
export interface Memory {
  sections: number
  /** The peak of heap and buffers in use, including garbage, above the idle level, MB: what a Worker's limit counts. */
  in_use: number
  /** Largest resident memory above the idle level, MB. */
  resident: number
}

/**
 * The heap of a Worker. A larger one lets garbage accumulate: Node begins to collect after 16 MB of it, however little
 * is used.
 */
const HEAP = '--max-heap-size=128'

/**
 * Reads a term from a school at `url` in a separate process, by the adapter or by `JSON.parse` of the whole text.
 * Collector and allocator run without helper threads, whose buffers on a busy machine do not belong to the reading.
 */
export function measureMemory(how: 'adapter' | 'text', url: string, term: string): Promise<Memory> {
  const child = fork(fileURLToPath(import.meta.url), [how, url, term], {
    execArgv: ['--expose-gc', '--single-threaded-gc', HEAP],
    env: { ...process.env, MALLOC_ARENA_MAX: '1' },
  })
  return new Promise((resolve, reject) => {
    child.on('message', (memory) => resolve(memory as Memory))
    child.on('error', reject)
    child.on('exit', (code) => reject(new Error(`Measuring memory ended with ${code}.`)))
  })
}

async function readByAdapter(url: string, term: string): Promise<number> {
  const tools = { fetch, budget: () => Promise.resolve(), now: Date.now, timeout_ms: 60_000 }
  const lane = rutgers.openLane({ url, settings: {} }, tools)
  let sections = 0
  for await (const page of lane.wholeTerm?.(groupOf({ term, school: 'NB', subject: '' })) ?? []) {
    if (!page.known) throw new Error(page.why)
    sections += page.value.sections.length
  }
  return sections
}

async function readAsText(url: string): Promise<number> {
  const response = await fetch(`${url}/courses.json`)
  const courses = JSON.parse(await response.text()) as { sections: unknown[] }[]
  return courses.reduce((sum, course) => sum + course.sections.length, 0)
}

if (import.meta.main) {
  const [how, url = '', term = ''] = process.argv.slice(2)
  // The memory of a process's first request belongs to its idle level.
  await (await fetch(`${url}/openSections.json`)).text()
  globalThis.gc?.()
  await new Promise((resolve) => setTimeout(resolve, REST_MS))
  const rest = process.memoryUsage()
  const peak = { inUse: 0, resident: 0 }
  const look = (): void => {
    const { heapUsed, external, rss } = process.memoryUsage()
    peak.inUse = Math.max(peak.inUse, heapUsed + external - rest.heapUsed - rest.external)
    peak.resident = Math.max(peak.resident, rss - rest.rss)
  }
  const timer = setInterval(look, SAMPLE_MS)
  const sections = how === 'adapter' ? await readByAdapter(url, term) : await readAsText(url)
  look()
  clearInterval(timer)
  process.send?.({ sections, in_use: peak.inUse / MEGABYTE, resident: peak.resident / MEGABYTE })
  process.disconnect()
}
