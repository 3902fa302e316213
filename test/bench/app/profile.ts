import * as z from 'zod'
import { percentile } from '../report.ts'

const Targets = z.array(z.object({ id: z.string(), webSocketDebuggerUrl: z.string() }))
const Answer = z.object({
  id: z.number(),
  result: z.optional(z.unknown()),
  error: z.optional(z.object({ message: z.string() })),
})
const Profile = z.object({
  nodes: z.array(z.object({ id: z.number(), callFrame: z.object({ functionName: z.string() }) })),
  samples: z.array(z.number()),
  /** µs between a sample and the previous one */
  timeDeltas: z.array(z.number()),
})
export type Profile = z.infer<typeof Profile>

/** µs. V8 reaches about 260. */
const INTERVAL = 200
/** V8's name for time in which an isolate ran nothing: it waited, or others ran. */
const isRest = (functionName: string): boolean => ['(idle)', '(program)', '(root)'].includes(functionName)

/** The debugger's end of one isolate of a runtime. */
export class Inspector {
  readonly #socket: WebSocket
  readonly #asked = new Map<number, PromiseWithResolvers<unknown>>()
  #last = 0

  constructor(socket: WebSocket) {
    this.#socket = socket
    socket.addEventListener('message', ({ data }) => {
      const answer = Answer.safeParse(JSON.parse(String(data)))
      // Events have no number.
      if (!answer.success) return
      const { id, result, error } = answer.data
      if (error) this.#asked.get(id)?.reject(new Error(error.message))
      else this.#asked.get(id)?.resolve(result)
      this.#asked.delete(id)
    })
  }

  /** The samples of V8's profiler during `work`. */
  async profile(work: () => Promise<void>): Promise<Profile> {
    await this.#ask('Profiler.enable')
    await this.#ask('Profiler.setSamplingInterval', { interval: INTERVAL })
    await this.#ask('Profiler.start')
    await work()
    return z.object({ profile: Profile }).parse(await this.#ask('Profiler.stop')).profile
  }

  #ask(method: string, params: object = {}): Promise<unknown> {
    const asked = Promise.withResolvers<unknown>()
    this.#last += 1
    this.#asked.set(this.#last, asked)
    this.#socket.send(JSON.stringify({ id: this.#last, method, params }))
    return asked.promise
  }
}

/**
 * The inspector of the Worker with this name.
 * @param port the runtime's `inspectorPort`
 */
export async function inspect(port: number, worker: string): Promise<Inspector> {
  const answer = await fetch(`http://127.0.0.1:${port}/json`)
  const target = Targets.parse(await answer.json()).find(({ id }) => id === `core:user:${worker}`)
  if (target === undefined) throw new Error(`No isolate runs ${worker}.`)
  const socket = new WebSocket(target.webSocketDebuggerUrl)
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true })
    socket.addEventListener('error', reject, { once: true })
  })
  return new Inspector(socket)
}

/**
 * How long an isolate ran, in ms: our code, what it called in the runtime, and garbage collection. While other
 * processes used the CPU, samples are far apart; such a gap counts as two usual ones.
 */
export function ranMs({ nodes, samples, timeDeltas }: Profile): number {
  const most = 2 * percentile(timeDeltas, 0.5)
  const rest = new Set(nodes.filter(({ callFrame }) => isRest(callFrame.functionName)).map(({ id }) => id))
  // A sample lasts until the next one.
  const lengths = samples.map((id, index) => (rest.has(id) ? 0 : Math.min(most, timeDeltas[index + 1] ?? 0)))
  return lengths.reduce((sum, length) => sum + length, 0) / 1000
}
