import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Reporter, TestCase, TestModule } from 'vitest/node'

/** The results of one vitest project in a run. */
export interface Part {
  name: string
  files: number
  tests: number
  seconds: number
  /** Tests that did not run. */
  skipped: string[]
  /** Tests that passed after a failure, each with its error. */
  retried: string[]
}

/** Writes the parts of a run as JSON into the file that `PART_REPORT` names. */
export default class PartReporter implements Reporter {
  readonly #startedAt = new Map<string, number>()
  readonly #endedAt = new Map<string, number>()

  onTestModuleStart({ project }: TestModule): void {
    if (!this.#startedAt.has(project.name)) this.#startedAt.set(project.name, performance.now())
  }

  onTestModuleEnd({ project }: TestModule): void {
    this.#endedAt.set(project.name, performance.now())
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const path = process.env['PART_REPORT']
    if (path === undefined) return
    const byProject = Map.groupBy(modules, ({ project }) => project.name)
    const parts = [...byProject].map(([name, ofPart]): Part => {
      const tests = ofPart.flatMap((module) => [...module.children.allTests()])
      const milliseconds = (this.#endedAt.get(name) ?? 0) - (this.#startedAt.get(name) ?? 0)
      return {
        name,
        files: ofPart.filter((module) => module.children.size > 0).length,
        tests: tests.length,
        seconds: Math.round(milliseconds / 1000),
        skipped: tests.filter((test) => !hasRun(test)).map(nameOf),
        retried: tests.filter(isRetried).map((test) => `${nameOf(test)}\n    ${firstErrorOf(test)}`),
      }
    })
    writeFileSync(path, JSON.stringify(parts))
  }
}

function hasRun(test: TestCase): boolean {
  const { state } = test.result()
  return state === 'passed' || state === 'failed'
}

function isRetried(test: TestCase): boolean {
  return test.result().state === 'passed' && (test.diagnostic()?.retryCount ?? 0) > 0
}

function nameOf(test: TestCase): string {
  return `${test.module.relativeModuleId} > ${test.fullName}`
}

/** The beginning of its message, and the lines of code that led to it. */
function firstErrorOf(test: TestCase): string {
  const [error] = test.result().errors ?? []
  if (error === undefined) return 'an error it does not name'
  const message = error.message.split('\n').slice(0, 3).join(' ')
  const places = (error.stacks ?? []).map(({ file, line }) => `${relative(process.cwd(), file)}:${line}`)
  return [message, ...places.slice(0, 5)].join('\n      ')
}
