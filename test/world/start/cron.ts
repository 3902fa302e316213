/** The longest that a tick may take; it only schedules, so it takes a moment. */
const PATIENCE = 50_000

/** Fires the app's cron handler once, as the platform does every minute. Throws if the app answers with an error. */
export async function fireCron(appUrl: string): Promise<void> {
  const response = await fetch(`${appUrl}/cdn-cgi/local/scheduled?cron=*+*+*+*+*`, {
    signal: AbortSignal.timeout(PATIENCE),
  })
  const body = await response.text()
  if (!response.ok) throw new Error(`the cron handler answered ${response.status}: ${body.slice(0, 200)}`)
}

/** Fires it at every full minute until stopped; `failed` is called for a failed tick. */
export function everyMinute(appUrl: string, failed: (error: unknown) => void): () => void {
  let timer: NodeJS.Timeout
  const wait = (): void => {
    timer = setTimeout(
      () => {
        fireCron(appUrl).catch(failed)
        wait()
      },
      60_000 - (Date.now() % 60_000),
    )
  }
  wait()
  return () => clearTimeout(timer)
}
