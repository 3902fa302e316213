export class TimedOut extends Error {}

/**
 * Runs `work` for at most `ms`; rejects with {@link TimedOut} then, or with the caller's reason when the caller aborts.
 * Work that ignores its signal is abandoned, so that a request that hangs never blocks us.
 */
export async function within<Value>(
  ms: number,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  outer?.throwIfAborted()
  const controller = new AbortController()
  const { promise: stopped, reject } = Promise.withResolvers<never>()
  const stop = (reason: unknown) => {
    reject(reason)
    controller.abort(reason)
  }
  const giveUp = () => stop(outer?.reason)
  const timer = setTimeout(() => stop(new TimedOut(`no answer within ${ms} ms`)), ms)
  outer?.addEventListener('abort', giveUp, { once: true })
  try {
    const running = work(controller.signal)
    running.catch(() => undefined)
    return await Promise.race([running, stopped])
  } finally {
    clearTimeout(timer)
    outer?.removeEventListener('abort', giveUp)
  }
}
