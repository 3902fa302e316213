import { spawn, type ChildProcess } from 'node:child_process'
import { delimiter, dirname, join } from 'node:path'
import { Problem, ROOT } from './settings.ts'

/** Every running wrangler, each the leader of its own process group. */
const running = new Set<ChildProcess>()

export const wranglerProgram = join(ROOT, 'node_modules/wrangler/bin/wrangler.js')

/** For a wrangler that makes no network requests, with this very Node first in its path. */
export function wranglerEnvironment(): NodeJS.ProcessEnv {
  return {
    ...process.env,
    PATH: [dirname(process.execPath), join(ROOT, 'node_modules/.bin'), process.env.PATH ?? ''].join(delimiter),
    CLOUDFLARE_CF_FETCH_ENABLED: 'false',
    WRANGLER_SEND_METRICS: 'false',
    WRANGLER_HIDE_BANNER: 'true',
  }
}

/** Starts wrangler in the repository, quiet and offline. */
export function spawnWrangler(words: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [wranglerProgram, ...words], {
    cwd: ROOT,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...wranglerEnvironment(),
      NODE_ENV: 'production',
      FORCE_COLOR: '0',
      NO_COLOR: '1',
    },
  })
  running.add(child)
  child.once('close', () => running.delete(child))
  return child
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, signal)
  } catch {
    // Gone already, or on a system without process groups.
    child.kill(signal)
  }
}

/** Ends a wrangler and everything it started; resolves when its output is closed, so that nothing of it is left. */
export async function stopWrangler(child: ChildProcess): Promise<void> {
  if (!running.has(child)) return
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  signalGroup(child, 'SIGTERM')
  const force = setTimeout(() => signalGroup(child, 'SIGKILL'), 4000)
  await closed
  clearTimeout(force)
}

export async function stopAllWranglers(): Promise<void> {
  await Promise.all([...running].map(stopWrangler))
}

/** Runs one wrangler command to its end and returns its output. Throws `Problem` with it if the command fails. */
export async function runWrangler(words: readonly string[], purpose: string): Promise<string> {
  const child = spawnWrangler(words)
  let output = ''
  let errors = ''
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve))
  if (code !== 0) throw new Problem(`${purpose} failed:\n${`${output}${errors}`.trim()}`)
  return output
}
