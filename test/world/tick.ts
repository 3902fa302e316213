import { fireCron } from './start/cron.ts'
import { appPort, Problem } from './start/settings.ts'

/** `npm run tick`: runs the cron handler now, instead of at the next full minute. */
try {
  const url = `http://localhost:${appPort(process.env)}`
  await fireCron(url).catch((error: unknown) => {
    throw new Problem(
      `The app at ${url} did not take the tick: ${error instanceof Error ? error.message : String(error)}. Is it started (npm start)?`,
    )
  })
  console.log('The cron handler ran.')
} catch (error) {
  console.error(error instanceof Problem ? error.message : error)
  process.exitCode = 1
}
