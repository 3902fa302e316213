import { startRuntime, type RuntimeOptions } from '../world/start/runtime.ts'

/**
 * The deployed bundle in the local runtime, over state on disk, until it is ended: its settings come as JSON in a message. There is
 * no `wrangler dev` around it, whose own proxy keeps about 50 KB of every request it passes on.
 */
process.once('message', async (options: RuntimeOptions) => {
  await startRuntime(options)
})
