import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import runtime from 'workerd'
import { bundle } from '../world/start/bundle.ts'
import { freePort } from '../world/start/settings.ts'
import { medianInterval, percentile, type Figure, type Part } from './report.ts'

const MAX_KIB = 500
const rounds = 21
const ledgers = ['Ledger', 'Limiter', 'Pacer'] as const
const empty = `export default { fetch: () => new Response('') }\n${ledgers.map((name) => `export class ${name} {}`).join('\n')}`

interface Start {
  /** From the first instruction of the runtime to the last byte of the first page. */
  ms: number
  /** The CPU time of all of its threads until then; NaN if the system does not report it. */
  cpuMs: number
}

/** A Worker without services: the login page needs no database. */
function configurationOf(file: string, port: number): string {
  const bindings = ledgers.map((name) => `(name = "${name.toUpperCase()}", durableObjectNamespace = "${name}")`)
  const namespaces = ledgers.map((name) => `(className = "${name}", uniqueKey = "${name}")`)
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .app)],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")]
);
const app :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "${file}")],
  compatibilityDate = "2026-10-01",
  bindings = [(name = "SECRET_KEY", text = "start-up-secret-key-of-more-than-32-characters"),
    (name = "APP_URL", text = "http://127.0.0.1:${port}"), ${bindings.join(', ')}],
  durableObjectNamespaces = [${namespaces.join(', ')}],
  durableObjectStorage = (inMemory = void)
);
`
}

/** Reads Linux's statistics of a process. */
async function cpuMsOf({ pid }: ChildProcess): Promise<number> {
  try {
    const threads = await readdir(`/proc/${pid}/task`)
    const accounts = await Promise.all(threads.map((one) => readFile(`/proc/${pid}/task/${one}/schedstat`, 'utf8')))
    return accounts.reduce((sum, account) => sum + Number(account.split(' ')[0]) / 1e6, 0)
  } catch {
    return NaN
  }
}

async function start(folder: string, file: string): Promise<Start> {
  const port = await freePort()
  const configuration = join(folder, `${file}.capnp`)
  await writeFile(configuration, configurationOf(file, port))
  const began = performance.now()
  const child = spawn(runtime.default, ['serve', '--experimental', '--control-fd=3', configuration], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  try {
    await new Promise<void>((resolve, reject) => {
      child.stdio[3]?.once('data', () => resolve())
      child.once('error', reject).once('exit', (code) => reject(new Error(`The runtime ended with ${code}.`)))
    })
    const response = await fetch(`http://127.0.0.1:${port}/accounts/login/`)
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`The first answer was ${response.status}.`)
    return { ms: performance.now() - began, cpuMs: await cpuMsOf(child) }
  } finally {
    child.removeAllListeners('exit')
    child.kill('SIGKILL')
  }
}

/** The size of the Worker, and the time from its start to its first page, alternating with an empty one. */
export async function measureStartUp(): Promise<Part> {
  const other = process.env['BESIDE']
  const scripts = new Map([
    ['an empty Worker', empty],
    ['the app', await bundle()],
    ...(other === undefined ? [] : [[`the app in ${other}`, await readFile(other, 'utf8')] as const]),
  ])
  const folder = await mkdtemp(join(tmpdir(), 'class-cords-start-up-'))
  try {
    const starts = new Map<string, Start[]>()
    const named = [...scripts].map(([name, script], index) => ({ name, script, file: `worker-${index}.js` }))
    await Promise.all(named.map(({ file, script }) => writeFile(join(folder, file), script)))
    for (let round = 0; round <= rounds; round += 1) {
      for (const { name, file } of round % 2 === 0 ? named : named.toReversed()) {
        const measured = await start(folder, file)
        // The first round only warms the disk's cache.
        if (round > 0) starts.set(name, [...(starts.get(name) ?? []), measured])
      }
    }
    return {
      name: '(u) Start-up',
      figures: named.flatMap(({ name, script }) => figuresOf(name, script, starts)),
      notes,
    }
  } finally {
    await rm(folder, { recursive: true })
  }
}

const notes = [
  `From the start of the runtime to the whole login page; ${rounds} rounds, by turns, one at a time.`,
  'BESIDE=FILE measures another bundle (`wrangler deploy --dry-run --outdir FOLDER`) in the same rounds.',
]

function figuresOf(name: string, script: string, starts: Map<string, Start[]>): Figure[] {
  const measured = starts.get(name) ?? []
  const { median, low, high } = medianInterval(measured.map(({ ms }) => ms))
  const cpuMs = measured.map((one) => one.cpuMs)
  const times: Figure[] = [
    { what: `${name}: first answer`, value: median, unit: 'ms', note: `${low.toFixed(0)} … ${high.toFixed(0)}` },
    { what: `${name}: of the processor`, value: percentile(cpuMs, 0.5), unit: 'ms' },
  ]
  if (script === empty) return times
  const kib = gzipSync(script).length / 1024
  const size: Figure = {
    what: `${name}: gzip`,
    value: kib,
    unit: 'KiB',
    ...(name === 'the app' && { atMost: MAX_KIB }),
  }
  return [size, ...times]
}
