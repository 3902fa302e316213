import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseDirectory, whyNotRead } from '../../src/sources/schools/directory.ts'
import { sources } from '../../src/sources/sources.ts'
import { alterationsOf } from './alterations.ts'
import { KINDS } from './kinds.ts'
import { LIES } from './lies.ts'
import { WORLD_SCHOOLS } from './world-schools.ts'

/** The table of protocols in the instructions: its figures are those of the directory and of the tests. */

const textOf = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const contributing = textOf('.github/CONTRIBUTING.md')
const directory = parseDirectory(textOf('src/sources/schools/schools.json'))

const table = new Map(
  contributing
    .slice(contributing.indexOf('### The protocols'), contributing.indexOf('_listed_:'))
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => {
      const [, kind = '', , , listed, simulated, altered, lies] = line.split('|').map((cell) => cell.trim())
      return [kind.replaceAll('`', ''), [listed, simulated, altered, lies].map(Number)] as const
    }),
)

describe('the table of protocols', () => {
  it('has a row for each kind of the directory, with its entries', () => {
    const entries = Map.groupBy(directory, ({ kind }) => kind)
    expect([...table.keys()].toSorted()).toEqual([...new Set([...entries.keys(), ...sources.keys()])].toSorted())
    for (const [kind, [listed]] of table) expect(listed, kind).toBe(entries.get(kind)?.length ?? 0)
  })

  it.each(KINDS)('counts the tests of $source.kind', ({ source, altered, files }) => {
    const alterations = altered.reduce((sum, name) => sum + alterationsOf(files[name] ?? '').length, 0)
    const simulated = WORLD_SCHOOLS.filter((school) => school.source === source).length
    expect(table.get(source.kind)?.slice(1)).toEqual([simulated, alterations, LIES[source.kind]?.length])
  })

  it('says how many schools of the directory can be read, as the changelog does', () => {
    const readable = directory.filter((school) => whyNotRead(school) === null).length
    expect(contributing).toContain(`${readable} of ${directory.length} can be read`)
    expect(textOf('.github/CHANGELOG.md')).toContain(`A directory of ${directory.length} schools, ${readable} of which`)
    expect(textOf('README.md')).toContain(`a directory of ${directory.length}`)
  })
})
