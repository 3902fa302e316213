import { expect } from 'vitest'
import { allScreens } from '../screens/all-screens.ts'
import type { Role, Screen } from '../screens/screen.ts'
import { enter, seeds } from '../screens/stage.ts'
import { measuredLooks, take } from '../screens/take.ts'
import { journey, type Scene } from './journey.ts'
import type { Visit } from './visit.ts'

/** Opens each screen: nothing may be wider than the window or its dialog, also at 200 %. */
async function zoomEvery(screens: readonly Screen[], scene: Scene): Promise<void> {
  const visits = new Map<Role, Visit>()
  const found: string[] = []
  for (const screen of screens) {
    const visit = visits.get(screen.role) ?? (await enter(screen.role, scene))
    visits.set(screen.role, visit)
    const { wide, problems } = await take(screen, visit, scene.app, { folder: null, those: measuredLooks })
    found.push(...[...wide, ...problems].map((finding) => `${screen.name}: ${finding}`))
  }
  expect(found).toEqual([])
}

/** Shown without any difficult name by another journey, which measures them as `Visit.inspectScreen`. */
const inspected: ReadonlySet<string> = new Set([
  'tracker/home',
  'tracker/not found',
  'tracker/index for anyone',
  'tracker/index',
  'tracker/log in',
  'tracker/log out',
  'tracker/alert link unknown',
  'directory/home for anyone',
  'directory/login',
  'scheduler/question before a pause',
  'scheduler/empty',
  'scheduler/workers',
  'scheduler/worker',
])

for (const [scene, screens] of allScreens) {
  // Those of accounts are measured by the journeys through them.
  const unvisited = screens.filter(({ name }) => !name.startsWith('accounts/') && !inspected.has(name))
  journey(`every screen of the ${scene} fits, also at 200 % zoom`, seeds[scene], (stage) => zoomEvery(unvisited, stage))
}
