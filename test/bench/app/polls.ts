import type { BenchApp } from './start-app.ts'

const giveUpMs = 90_000

/** Fires the cron now, and then at every full minute until the returned function is called. */
export function startCron(app: BenchApp): () => void {
  let timer: NodeJS.Timeout | undefined
  const cron = (): void => {
    timer = setTimeout(cron, 60_000 - (Date.now() % 60_000))
    app.tick().catch((error: unknown) => console.error('the cron failed:', error))
  }
  cron()
  return () => clearTimeout(timer)
}

/** Right after every source was polled, for the longest possible wait. */
export async function awaitPolls(app: BenchApp): Promise<void> {
  const since = Date.now()
  for (;;) {
    const left = await app.db
      .prepare('SELECT count(*) AS n FROM section_group WHERE watch_count > 0 AND coalesce(read_at, 0) < ?')
      .bind(since)
      .first<number>('n')
    if (left === 0) return
    if (Date.now() > since + giveUpMs) throw new Error('The sources are not polled.')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
