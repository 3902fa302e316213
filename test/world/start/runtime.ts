import { join } from 'node:path'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare, Response } from 'miniflare'
import { unstable_getMiniflareWorkerOptions } from 'wrangler'
import { ROOT } from './settings.ts'

export interface RuntimeOptions {
  /** Folders of stored state are named after it. */
  name: string
  port: number
  /** The bundle. */
  script: string
  /** A module around the bundle, which is its only import: `./worker.js`. */
  around?: string
  /** The location that requests have; default: invented by the local runtime. */
  timeZone?: string
  /** The Worker's settings beyond `wrangler.toml`, including its secret. */
  bindings: Record<string, string>
  /** Where state is stored; default: a folder that is deleted with the runtime. */
  statePath?: string
  /** Uncached public answers for each address a minute; default: as in `wrangler.toml`. */
  readLimit?: number
  /** The script of a second Worker, which shares the app's database and is found at `unsafeGetDirectURL('beside')`. */
  beside?: string
  /** The script of a Worker that receives every outgoing request of the app; default: the app sends them itself. */
  outbound?: string
  /** Called with everything that is logged as an error; default: it is printed. */
  onError?: (message: string) => void
  /**
   * Another port of the app, which leads straight to one of its script's exports, and the binding `STRAIGHT_OUT`, which
   * sends its requests straight to the network.
   */
  straight?: { port: number; entrypoint: string }
  /** The port on which debuggers find the runtime's isolates. Default: none. */
  inspectorPort?: number
}

const entryOfBundle = `export * from './worker.js'
export { default } from './worker.js'`

/** A bundle in the local runtime without `wrangler dev`. */
export async function startRuntime(options: RuntimeOptions): Promise<Miniflare> {
  const { name, port, script, around, timeZone, bindings, statePath, readLimit, inspectorPort, beside, outbound } =
    options
  const { straight, onError = console.error } = options
  // A required secret is read from the variables of the process.
  Object.assign(process.env, bindings, { CLOUDFLARE_CF_FETCH_ENABLED: 'false' })
  const { workerOptions } = unstable_getMiniflareWorkerOptions(join(ROOT, 'wrangler.toml'))
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: '127.0.0.1',
      port,
      log: new Log(LogLevel.ERROR),
      unsafeTriggerHandlers: true,
      // What the entry imports. As a part of its configuration, every start would copy the bundle some eighty times.
      unsafeModuleFallbackService: () => Response.json({ name: 'worker.js', esModule: script }),
      ...(timeZone !== undefined && { cf: { timezone: timeZone } }),
      ...(inspectorPort !== undefined && { inspectorPort }),
      ...(statePath !== undefined && { resourcePersistencePath: statePath }),
      // The app's line for every request is not read here; errors are.
      handleStructuredLogs: ({ level, message }) => {
        if (level === 'error') onError(message)
      },
      workers: [
        {
          ...workerOptions,
          name,
          modules: [{ type: 'ESModule', path: 'entry.js', contents: around ?? entryOfBundle }],
          unsafeUseModuleFallbackService: true,
          bindings: { ...Object(workerOptions.bindings), ...bindings },
          ...(outbound !== undefined && { outboundService: 'outbound' }),
          ...(straight !== undefined && {
            unsafeDirectSockets: [{ host: '127.0.0.1', ...straight }],
            serviceBindings: {
              ...Object(workerOptions.serviceBindings),
              STRAIGHT_OUT: { network: { allow: ['public', 'private'] } },
            },
          }),
          ...(readLimit !== undefined && {
            ratelimits: {
              ...Object(workerOptions.ratelimits),
              READ_LIMIT: { type: 'ratelimit', namespace_id: '1002', simple: { limit: readLimit, period: 60 } },
            },
          }),
        },
        ...(beside === undefined
          ? []
          : [
              {
                name: 'beside',
                modules: [{ type: 'ESModule' as const, path: 'beside.js', contents: beside }],
                compatibilityFlags: ['unsafe_module'],
                d1Databases: Object(workerOptions.d1Databases),
                unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
              },
            ]),
        ...(outbound === undefined
          ? []
          : [
              {
                name: 'outbound',
                modules: [{ type: 'ESModule' as const, path: 'outbound.js', contents: outbound }],
              },
            ]),
      ],
    }),
  )
  await miniflare.ready
  return miniflare
}
