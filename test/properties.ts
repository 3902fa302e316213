import fc from 'fast-check'
import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** The seed of every property test of this run. */
    seed: number
    /** How many times more runs than usual: 1 in `npm test`, more in `npm run deep`. */
    depth: number
  }
}

// Every commit is tested with other values; the seed that the run prints repeats it.
fc.configureGlobal({ seed: inject('seed'), numRuns: 100 * inject('depth') })
