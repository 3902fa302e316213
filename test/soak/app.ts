import { fork } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { answers } from '../world/start/app.ts'
import type { RuntimeOptions } from '../world/start/runtime.ts'

/** As in `wrangler.toml`: the runtime's folders are named after it. */
const name = 'class-cords'

interface Settings extends Omit<RuntimeOptions, 'name' | 'statePath'> {
  stateDir: string
}

export interface SoakedApp {
  /** Its process group. */
  group: number
  /** Resolves when it ends on its own. */
  ended: Promise<void>
  /** Ends it and everything it started like a power cut: nothing is saved first. */
  kill(): Promise<void>
}

const firstAnswerMs = 60_000

/**
 * Every garbage collection is a full one, and the young generation keeps its initial size. Otherwise that space grows
 * for minutes, along with memory outside the heap that its objects hold (requests, streams, rows), which would look
 * like a leak.
 */
const v8Flags = '--gc-global --max-semi-space-size=2'

/** Starts the app in a separate process group. @throws unless it answers within a minute */
export async function startSoaked({ stateDir, ...settings }: Settings): Promise<SoakedApp> {
  const child = fork(join(import.meta.dirname, 'runtime.ts'), {
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, MINIFLARE_WORKERD_V8_FLAGS: v8Flags },
  })
  const { pid } = child
  if (pid === undefined) throw new Error('The runtime did not start.')
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const app: SoakedApp = {
    group: pid,
    ended,
    async kill() {
      try {
        process.kill(-pid, 'SIGKILL')
      } catch {
        // Ended already.
      }
      await ended
    },
  }
  const options: RuntimeOptions = { ...settings, name, statePath: join(stateDir, 'v3') }
  child.send(options)
  const deadline = Date.now() + firstAnswerMs
  while (!(await answers(`http://127.0.0.1:${settings.port}/`))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      await app.kill()
      throw new Error('The runtime gave no answer.')
    }
    await pause(100)
  }
  return app
}
