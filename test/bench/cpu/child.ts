import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Figure } from '../report.ts'
import { measureBannerCpu } from './banner.ts'
import { measureCunyCpu } from './cuny.ts'
import { measureKindsCpu } from './kinds.ts'
import { measureRutgersCpu } from './rutgers.ts'

const measures = { banner: measureBannerCpu, cuny: measureCunyCpu, rutgers: measureRutgersCpu, kinds: measureKindsCpu }
type Measure = keyof typeof measures

/**
 * Measures CPU in a process of its own: nothing else is on its heap, and its collector works on one thread, so that helpers
 * waiting for a busy machine are not counted as work.
 */
export function measureInChild(what: Measure): Promise<Figure[]> {
  const child = fork(fileURLToPath(import.meta.url), [what], { execArgv: ['--single-threaded-gc'] })
  return new Promise((resolve, reject) => {
    child.on('message', (figures) => resolve(figures as Figure[]))
    child.on('error', reject)
    child.on('exit', (code) => reject(new Error(`Measuring the CPU of ${what} ended with ${code}.`)))
  })
}

if (import.meta.main) {
  const what = process.argv[2]
  if (what !== 'banner' && what !== 'cuny' && what !== 'rutgers' && what !== 'kinds')
    throw new Error(`There is nothing to measure of ${what}.`)
  const figures = await measures[what]()
  process.send?.(figures)
  process.disconnect()
}
