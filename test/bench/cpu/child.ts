import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Figure } from '../report.ts'
import { measureBannerCpu } from './banner.ts'
import { measureCunyCpu } from './cuny.ts'
import { measureKindCpu } from './kinds.ts'
import type { RecordedTerm } from './record-term.ts'
import { measureRutgersCpu } from './rutgers.ts'

const measures = { banner: measureBannerCpu, cuny: measureCunyCpu, rutgers: measureRutgersCpu }
type Measure = keyof typeof measures

/** The collector works on one thread, so that helper threads waiting for a busy machine are not counted as work. */
const COLLECTOR = '--single-threaded-gc'
/** The heap of a Worker. On a larger one garbage accumulates and is collected during the next measurement. */
const HEAP = ['--max-heap-size=128', '--max-semi-space-size=16']

/** Measures CPU in a separate process: nothing else is on its heap. */
export function measureInChild(what: Measure): Promise<Figure[]> {
  return figuresOf(what, fork(fileURLToPath(import.meta.url), [what], { execArgv: [COLLECTOR] }))
}

/** Measures a recorded term in a separate process, with the heap of a Worker. */
export function measureTermInChild(term: RecordedTerm): Promise<Figure[]> {
  const child = fork(fileURLToPath(import.meta.url), [], { execArgv: [COLLECTOR, ...HEAP], serialization: 'advanced' })
  child.send(term)
  return figuresOf(term.kind, child)
}

function figuresOf(what: string, child: ReturnType<typeof fork>): Promise<Figure[]> {
  return new Promise((resolve, reject) => {
    child.on('message', (figures) => resolve(figures as Figure[]))
    child.on('error', reject)
    child.on('exit', (code) => reject(new Error(`Measuring the CPU of ${what} ended with ${code}.`)))
  })
}

async function measure(what: string | undefined): Promise<Figure[]> {
  if (what === undefined) return measureKindCpu(await new Promise((resolve) => process.once('message', resolve)))
  if (what !== 'banner' && what !== 'cuny' && what !== 'rutgers')
    throw new Error(`There is nothing to measure of ${what}.`)
  return measures[what]()
}

if (import.meta.main) {
  process.send?.(await measure(process.argv[2]))
  process.disconnect()
}
