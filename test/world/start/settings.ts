import { createServer } from 'node:net'
import { isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The repository's own folder, wherever the command was run. */
export const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** A problem that the person at the terminal can solve; its message is all they need to read. */
export class Problem extends Error {}

export interface Settings {
  port: number
  worldPort: number
  /** Absolute. */
  stateDir: string
  fresh: boolean
  verbose: boolean
  /** How often seats change automatically; null if they do not. */
  trafficMs: number | null
}

function portOf(env: NodeJS.ProcessEnv, name: string, usual: number): number {
  const given = env[name]
  if (given === undefined || given === '') return usual
  const port = Number(given)
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Problem(`${name} must be a port number, and is “${given}”.`)
  return port
}

/** Where the app listens: `PORT`, otherwise 8787. Throws `Problem` if it is not a port. */
export function appPort(env: NodeJS.ProcessEnv): number {
  return portOf(env, 'PORT', 8787)
}

/** Reads PORT, WORLD_PORT, STATE_DIR, WORLD_TRAFFIC, VERBOSE and `--fresh`. Throws `Problem` for invalid values. */
export function readSettings(words: readonly string[], env: NodeJS.ProcessEnv): Settings {
  const unknown = words.find((word) => word !== '--fresh')
  if (unknown !== undefined)
    throw new Problem(`Unknown option “${unknown}”. The only one is --fresh, which empties the local state first.`)
  const stateDir = env.STATE_DIR || '.wrangler/state'
  const settings: Settings = {
    port: appPort(env),
    worldPort: portOf(env, 'WORLD_PORT', 8788),
    stateDir: isAbsolute(stateDir) ? stateDir : join(ROOT, stateDir),
    fresh: words.includes('--fresh'),
    verbose: env.VERBOSE === '1',
    trafficMs: env.WORLD_TRAFFIC === '1' ? 3000 : null,
  }
  if (settings.port === settings.worldPort) throw new Problem('PORT and WORLD_PORT must differ.')
  return settings
}

function listens(port: number, host: string): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'))
    server.listen(port, host, () => server.close(() => resolve(null)))
  })
}

/** Throws `Problem` naming the port and the variable that changes it, if it is in use. */
export async function requireFreePort(port: number, variable: string): Promise<void> {
  for (const host of ['127.0.0.1', '::1']) {
    const trouble = await listens(port, host)
    if (trouble === 'EADDRINUSE')
      throw new Problem(
        `Port ${port} is taken by another program. Stop that program, or choose another port: ${variable}=${port + 10} npm start`,
      )
    if (trouble === 'EACCES')
      throw new Problem(`Port ${port} may not be used here. Choose another: ${variable}=8787 npm start`)
  }
}

/** Any port that is free now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() =>
        typeof address === 'object' && address ? resolve(address.port) : reject(new Error('no port')),
      )
    })
  })
}
