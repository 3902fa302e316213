import { measureBanner } from './a-banner.ts'
import { measureCuny } from './b-cuny.ts'
import { measurePolling } from './c-polling.ts'
import { measureOpenings } from './d-openings.ts'
import { measureLogin } from './e-log-in.ts'
import { measureDirectory } from './i-directory.ts'
import { measurePages } from './j-pages.ts'
import { measurePageCpu } from './q-page-cpu.ts'
import { measureAdmin } from './k-admin.ts'
import { measureHundredThousand } from './g-hundred-thousand.ts'
import { measureThroughput } from './f-throughput.ts'
import { measureLive } from './h-live.ts'
import { measureNotifications } from './n-notifications.ts'
import { measureSecondLook } from './l-second-look.ts'
import { measureFarReaders } from './m-far-readers.ts'
import { measureTermAtOnce } from './r-term-at-once.ts'
import { measureAnswerTimes } from './t-answer-times.ts'
import { measureStartUp } from './u-start-up.ts'
import { measureSeen } from './v-seen.ts'
import { measureFairTurns } from './w-fair-turns.ts'
import { measureKinds } from './x-kinds.ts'
import { measureIngest } from './z-ingest.ts'
import { measureSeatToPhone } from './y-seat-to-phone.ts'
import { measureJoins } from './o-joins.ts'
import { measurePaces, measureSending } from './p-sending.ts'
import { keeps, printPart, type Part } from './report.ts'

/** `npm run bench`: measures the promises that have figures. `npm run bench -- a c` measures some of them. */
const parts: Record<string, () => Promise<Part>> = {
  a: measureBanner,
  b: measureCuny,
  c: measurePolling,
  d: measureOpenings,
  e: measureLogin,
  f: measureThroughput,
  g: measureHundredThousand,
  h: measureLive,
  i: measureDirectory,
  j: measurePages,
  k: measureAdmin,
  l: measureSecondLook,
  m: measureFarReaders,
  n: measureNotifications,
  t: measureAnswerTimes,
  u: measureStartUp,
  o: measureJoins,
  p: measurePaces,
  q: measurePageCpu,
  r: measureTermAtOnce,
  s: measureSending,
  v: measureSeen,
  w: measureFairTurns,
  x: measureKinds,
  y: measureSeatToPhone,
  z: measureIngest,
}

const words = process.argv.slice(2)
const stranger = words.find((word) => !(word in parts))
if (stranger !== undefined) {
  console.error(`There is no part “${stranger}”. The parts are ${Object.keys(parts).join(', ')}.`)
  process.exit(2)
}

let isGood = true
for (const [name, measure] of Object.entries(parts)) {
  if (words.length > 0 && !words.includes(name)) continue
  const part = await measure()
  printPart(part)
  isGood &&= part.figures.every(keeps)
}
console.log(isGood ? '\n✓ every bound is kept' : '\n✗ a bound is broken')
process.exit(isGood ? 0 : 1)
