import { Agent, get } from 'node:http'
import { type Figure, medianInterval, percentile } from '../report.ts'

/** A page as a user requests it. */
export interface Target {
  url: string
  headers: Record<string, string>
}

export interface Throughput {
  /** Median of the blocks' ratios of requests a second, and its 95 % interval. */
  median: number
  low: number
  high: number
  /** Median requests a second. */
  one: number
  other: number
}

const blocks = 20
const atOnce = 8
const blockMs = 500
const agent = new Agent({ keepAlive: true, maxSockets: atOnce })

/** Bytes of the page. @throws unless it answers 200 */
function ask({ url, headers }: Target): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent, headers: { accept: 'text/html', ...headers } }, (response) => {
      let bytes = 0
      response.on('data', (chunk: Buffer) => (bytes += chunk.byteLength))
      response.on('error', reject)
      response.on('end', () => {
        if (response.statusCode === 200) resolve(bytes)
        else reject(new Error(`${url} answered ${response.statusCode}`))
      })
    })
    request.on('error', reject)
  })
}

/** Seconds until this many requests are answered, `atOnce` at a time. */
async function secondsFor(target: Target, requests: number): Promise<number> {
  let left = requests
  const began = performance.now()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (left-- > 0) await ask(target)
    }),
  )
  return (performance.now() - began) / 1000
}

/** Requests that fill a block, found while the compiler warms up. */
async function requestsPerBlock(target: Target): Promise<number> {
  await secondsFor(target, 100)
  const requests = 200
  const seconds = await secondsFor(target, requests)
  return Math.max(2 * atOnce, Math.round((requests * blockMs) / 1000 / seconds))
}

/**
 * Requests per second of `one` as a share of those of `other`, in blocks that alternate and change who begins, so that
 * other load on the machine affects both.
 */
export async function compareThroughput(one: Target, other: Target): Promise<Throughput> {
  const [oneRequests, otherRequests] = [await requestsPerBlock(one), await requestsPerBlock(other)]
  const ones: number[] = []
  const others: number[] = []
  const measureOne = async () => ones.push(oneRequests / (await secondsFor(one, oneRequests)))
  const measureOther = async () => others.push(otherRequests / (await secondsFor(other, otherRequests)))
  for (let block = 0; block < blocks; block += 1) {
    for (const measure of block % 2 === 0 ? [measureOne, measureOther] : [measureOther, measureOne]) await measure()
  }
  const ratios = ones.map((rate, block) => rate / (others[block] ?? NaN))
  return { ...medianInterval(ratios), one: percentile(ones, 0.5), other: percentile(others, 0.5) }
}

/** A comparison as a figure. */
export function throughputFigure(
  what: string,
  { median, low, high, one, other }: Throughput,
  atLeast?: number,
): Figure {
  const note = `95 %: ${low.toFixed(2)}–${high.toFixed(2)}; ${one.toFixed(0)} a second against ${other.toFixed(0)}`
  return { what, value: median, unit: '×', note, ...(atLeast !== undefined && { atLeast }) }
}

/** What one request costs more than another, in ms of a saturated server. */
export function costFigure(what: string, { one, other }: Throughput): Figure {
  const note = `${(1000 / one).toFixed(2)} ms against ${(1000 / other).toFixed(2)}`
  return { what, value: 1000 / one - 1000 / other, unit: 'ms', note }
}
