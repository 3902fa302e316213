import { join } from 'node:path'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare'
import { unstable_getMiniflareWorkerOptions } from 'wrangler'
import { ROOT } from '../world/start/settings.ts'
import { appName, type RuntimeSettings } from './app.ts'

/**
 * The deployed bundle in the local runtime, over state on disk, until it is ended: its settings come as JSON in a message. There is
 * no `wrangler dev` around it, whose own proxy keeps about 50 KB of every request it passes on.
 */
process.once('message', async ({ port, stateDir, script, bindings }: RuntimeSettings) => {
  Object.assign(process.env, bindings, { CLOUDFLARE_CF_FETCH_ENABLED: 'false' })
  const { workerOptions } = unstable_getMiniflareWorkerOptions(join(ROOT, 'wrangler.toml'))
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: '127.0.0.1',
      port,
      log: new Log(LogLevel.ERROR),
      unsafeTriggerHandlers: true,
      resourcePersistencePath: join(stateDir, 'v3'),
      // The app's line for every request is not read here; what goes wrong is.
      handleStructuredLogs: ({ level, message }) => {
        if (level === 'error') console.error(message)
      },
      workers: [
        {
          ...workerOptions,
          name: appName,
          modules: [{ type: 'ESModule', path: 'worker.js', contents: script }],
          bindings: { ...Object(workerOptions.bindings), ...bindings },
        },
      ],
    }),
  )
  await miniflare.ready
})
