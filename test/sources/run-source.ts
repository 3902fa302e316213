import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { vi } from 'vitest'
import { runSource } from '../../src/sources/source-command.cli.ts'

export interface Ended {
  code: number | null
  out: string
  err: string
}

/** Runs `npm run source` with these words in this process, which takes a tenth of the time of a new one. */
export async function runHere(words: readonly string[]): Promise<Ended> {
  const [log, error] = [vi.spyOn(console, 'log'), vi.spyOn(console, 'error')].map((spy) => spy.mockReturnValue())
  try {
    const code = await runSource(words)
    const printed = (spy: typeof log) => (spy?.mock.calls ?? []).map(([line]) => `${line}\n`).join('')
    return { code, out: printed(log), err: printed(error) }
  } finally {
    log?.mockRestore()
    error?.mockRestore()
  }
}

/** The same in a process of its own, as people run it. */
export function runAlone(words: readonly string[]): Promise<Ended> {
  const program = fileURLToPath(new URL('../../src/sources/source.cli.ts', import.meta.url))
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...words], { stdio: ['ignore', 'pipe', 'pipe'] })
    let [out, err] = ['', '']
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()))
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, out, err }))
  })
}
