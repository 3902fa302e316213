import { startRuntime, type RuntimeOptions } from '../world/start/runtime.ts'

/**
 * The deployed bundle in the local runtime, with state on disk, until it is ended: its settings come as JSON in a
 * message. It runs without `wrangler dev`, whose own proxy keeps about 50 KB of every request.
 */
process.once('message', async (options: RuntimeOptions) => {
  await startRuntime(options)
})
