import { accountScreens } from './account-screens.ts'
import { adminScreens } from './admin-screens.ts'
import { directoryScreens } from './directory-screens.ts'
import { schedulerScreens } from './scheduler-screens.ts'
import type { Scene, Screen } from './screen.ts'
import { trackerScreens } from './tracker-screens.ts'

/** Every screen of the product, by the data it needs. An account's second factor stays on, so accounts come last. */
export const allScreens: readonly [Extract<Scene, 'tracker' | 'directory'>, readonly Screen[]][] = [
  ['tracker', [...schedulerScreens, ...adminScreens, ...trackerScreens, ...accountScreens]],
  ['directory', directoryScreens],
]
