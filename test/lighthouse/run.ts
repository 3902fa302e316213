import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launchChromium } from '../browser/chromium.ts'
import { parseOptions } from '../command-options.ts'
import { startWorld } from '../world/server.ts'
import { fireCron } from '../world/start/cron.ts'
import { peek } from '../world/start/peek.ts'
import { prepare, SMS_FROM, TWILIO } from '../world/start/prepare.ts'
import { freePort } from '../world/start/settings.ts'
import { stopAllWranglers } from '../world/start/wrangler.ts'
import { addLinks, links } from './add-links.ts'
import { auditPage, bounds, categories, type PageScores } from './audit-page.ts'
import { pages } from './pages.ts'

/**
 * `npm run lighthouse [-- --runs N] [-- PATH …]`: audits every public page of the production build as a throttled
 * phone, with the median of several runs (default: 5). Exits with 1 if a page scores below the minimum.
 */
const { values, positionals } = parseOptions(
  { options: { runs: { type: 'string', default: '5' }, state: { type: 'string' } }, allowPositionals: true },
  `npm run lighthouse -- [--runs N] [--state FOLDER] [PATH ...]
Scores every public page, or those at the paths, as a slow phone sees them: the median of 5 runs.`,
)
const runs = Number(values.runs)
if (!Number.isInteger(runs) || runs < 1) {
  console.error(`--runs is a whole number from 1, and is “${values.runs}”.`)
  process.exit(2)
}

const stateDir = values.state ?? (await mkdtemp(join(tmpdir(), 'class-cords-lighthouse-')))
const cleanups: (() => Promise<unknown>)[] = [stopAllWranglers]
if (values.state === undefined) cleanups.unshift(() => rm(stateDir, { recursive: true, force: true }))

async function measure(): Promise<PageScores[]> {
  const [port, worldPort, browserPort] = [await freePort(), await freePort(), await freePort()]
  const appUrl = `http://localhost:${port}`
  // A small catalog: pages are measured, and the directory's do not grow with it.
  const size = { subjects: 3, sections: 10 }
  const world = await startWorld({ port: worldPort, appUrl, ...TWILIO, smsFrom: SMS_FROM, size })
  cleanups.push(() => world.close())
  const { start } = await prepare({ stateDir, appUrl, worldUrl: world.url, verbose: false })
  addLinks(stateDir)
  const app = await start(port)
  await fireCron(app.url)
  const idOf = (query: string): number => Number(peek(stateDir, query)?.id)
  const school = idOf('SELECT school_id AS id FROM server_school ORDER BY server_id LIMIT 1')
  const server = idOf("SELECT id FROM discord_server WHERE privacy_level = 'public' ORDER BY id LIMIT 1")
  const browser = await launchChromium(`--remote-debugging-port=${browserPort}`)
  cleanups.push(() => browser.close())
  const results: PageScores[] = []
  const all = pages({ school, server, ...links })
  const asked = all.filter(({ path }) => positionals.length === 0 || positionals.includes(path))
  const others = positionals.filter((path) => all.every((page) => page.path !== path)).map((path) => ({ path }))
  for (const one of [...asked, ...others]) {
    const page = await auditPage(app.url, one, browserPort, runs)
    print(page)
    results.push(page)
  }
  return results
}

const isGood = ({ scores }: PageScores) => categories.every((category) => scores[category] >= bounds[category])

function print(page: PageScores): void {
  const { path, scores, largestPaintMs, blockedMs, layoutShift, machine, found } = page
  const figures = categories.map((category) => String(scores[category]).padStart(category.length))
  const times = `${(largestPaintMs / 1000).toFixed(1)} s  ${Math.round(blockedMs)} ms  ${layoutShift.toFixed(3)}  ${Math.round(machine)}`
  console.log(`${isGood(page) ? '✓' : '✗'} ${path.padEnd(30)} ${figures.join('  ')}   ${times}`)
  for (const complaint of found) console.log(`    ${complaint}`)
}

async function end(code: number): Promise<void> {
  for (const cleanup of cleanups.toReversed()) await cleanup()
  process.exit(code)
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void end(1))

let code = 1
try {
  console.log(`  ${'page'.padEnd(30)} ${categories.join('  ')}   largest paint, blocked, layout shift, machine`)
  const results = await measure()
  const good = results.filter(isGood).length
  console.log(`${good} of ${results.length} pages reach ${categories.map((category) => bounds[category]).join('/')}`)
  code = good === results.length ? 0 : 1
} catch (error) {
  console.error(error)
}
await end(code)
