import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * A sequencer that begins with the files that take the longest, so that no process is still busy when the others have
 * finished. The others follow as they come. One project comes after the other, because a process serves one: each change
 * starts another process, which for the Worker's tests starts a runtime and imports the whole app.
 * @param names parts of their paths, the longest first
 */
export const longestFirst = (names: readonly string[]): typeof BaseSequencer =>
  class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      const rank = ({ moduleId }: TestSpecification): number =>
        [...names, ''].findIndex((name) => moduleId.includes(name))
      const projects = Map.groupBy(await super.sort(files), ({ project }) => project.name)
      return [...projects.values()].flatMap((some) => some.toSorted((one, other) => rank(one) - rank(other)))
    }
  }
