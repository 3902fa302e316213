import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { stripVTControlCharacters } from 'node:util'
import { freePort, Problem } from './settings.ts'
import { spawnWrangler, stopWrangler } from './wrangler.ts'

export interface RunningApp {
  url: string
  /** Resolves when it ends on its own. */
  ended: Promise<void>
  stop(): Promise<void>
}

const FIRST_ANSWER_MS = 120_000
const FAILURE = /✘|\[ERROR\]|Build failed|failed to (?:start|build)|Running custom build .* failed/i

/** Prints errors, with their indented lines; everything if `verbose`. */
function errorFilter(verbose: boolean): (line: string) => boolean {
  let inError = false
  return (line) => {
    inError = FAILURE.test(line) || /^\s*Uncaught/.test(line) || (inError && /^(\s+\S|[)}\]])/.test(line))
    return verbose || inError
  }
}

/** Whether there is an answer without an error status. */
export async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(3000) })
    await response.arrayBuffer()
    return response.status < 500
  } catch {
    return false
  }
}

/**
 * Watches wrangler's output until the app gives its first successful answer. After a failed first build wrangler holds
 * every request forever, so the output decides: throws `Problem` with it.
 */
async function waitForFirstAnswer(child: ChildProcess, url: string, lines: string[]): Promise<void> {
  const deadline = Date.now() + FIRST_ANSWER_MS
  while (Date.now() < deadline) {
    const failed = child.exitCode !== null || lines.some((line) => FAILURE.test(line))
    if (failed) {
      // The lines that explain follow right after.
      await new Promise((resolve) => setTimeout(resolve, 700))
      throw new Problem(`The app could not be started. wrangler said:\n\n${lines.join('\n').trim()}`)
    }
    if (await answers(url)) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Problem(
    `The app gave no answer within ${FIRST_ANSWER_MS / 1000} seconds. wrangler said:\n\n${lines.join('\n').trim()}`,
  )
}

/** Starts `wrangler dev` on `port` with the state in `stateDir`. Throws `Problem` if it does not start. */
export async function startApp(settings: {
  port: number
  stateDir: string
  envFile: string
  vars: Record<string, string>
  verbose: boolean
}): Promise<RunningApp> {
  const { port, stateDir, envFile, vars, verbose } = settings
  const options = {
    port,
    'inspector-port': await freePort(),
    'persist-to': stateDir,
    'env-file': envFile,
    'show-interactive-dev-session': false,
    // Stacks of jobs and errors are read here as they are.
    minify: false,
  }
  const flags = Object.entries(options).map(([name, value]) => `--${name}=${value}`)
  const child = spawnWrangler([
    'dev',
    ...flags,
    ...Object.entries(vars).flatMap(([name, value]) => ['--var', `${name}:${value}`]),
  ])
  const url = `http://localhost:${port}`
  const lines: string[] = []
  let up = false
  const isShown = errorFilter(verbose)
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue
    createInterface({ input: stream }).on('line', (line) => {
      const plain = stripVTControlCharacters(line)
      if (!up) lines.push(plain)
      if (isShown(plain) && (up || verbose)) console.error(plain)
    })
  }
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  try {
    await waitForFirstAnswer(child, `${url}/`, lines)
  } catch (error) {
    await stopWrangler(child)
    throw error
  }
  up = true
  return { url, ended, stop: () => stopWrangler(child) }
}
