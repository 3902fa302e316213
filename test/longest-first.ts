import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * A sequencer that begins with the files that take the longest, so that no process is still busy when the others have
 * finished. The others follow as they come.
 * @param names parts of their paths, the longest first
 */
export const longestFirst = (names: readonly string[]): typeof BaseSequencer =>
  class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      const rank = ({ moduleId }: TestSpecification): number =>
        [...names, ''].findIndex((name) => moduleId.includes(name))
      return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other))
    }
  }
