import { startApp, type BenchApp } from './app/start-app.ts'
import { percentile, type Figure, type Part } from './report.ts'

const jobs = 1000
const rounds = 3
/** Simultaneous callers, as many as four consumers have lanes. */
const lanes = 24

async function rate(app: BenchApp, path: string, asked: object): Promise<number> {
  const rates: number[] = []
  for (let round = 0; round <= rounds; round += 1) {
    const ms = await app.ask<number>(`/_ledger/${path}`, { ...asked, count: jobs })
    // The first round warms up.
    if (round > 0) rates.push((jobs * 1000) / ms)
  }
  return percentile(rates, 0.5)
}

/** Jobs per second through one ledger: with everything around it, and only its own calls. */
export async function measureThroughput(): Promise<Part> {
  const app = await startApp({}, 'ledger-worker')
  try {
    const throughQueue = await rate(app, 'through', {})
    const alone = await rate(app, 'thrice', { queue: 'refresh', lanes })
    const figures: Figure[] = [
      {
        what: 'enqueue → start → finish, jobs a second',
        value: throughQueue,
        unit: '',
        note: 'empty jobs through ledger, queue and consumer: claims, leases, results, counters, minute figures',
      },
      {
        what: 'the ledger’s three calls alone, jobs a second',
        value: alone,
        unit: '',
        note: `${lanes} callers at once, one RPC a call`,
      },
    ]
    return {
      name: `(f) One ledger: ${jobs} jobs, enqueued, started and finished`,
      figures,
      notes: [
        `Median of ${rounds} rounds after one that warms up. Storage is in memory where the system has a folder there.`,
      ],
    }
  } finally {
    await app.close()
  }
}
