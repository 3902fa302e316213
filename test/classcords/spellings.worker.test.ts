import { beforeEach, describe, expect, it } from 'vitest'
import { ExploreAllListingsProps } from '../../src/classcords/contract.ts'
import { forgetVersions } from '../../src/web/edge/site-version.ts'
import type { MadeGroup } from '../worker/catalog.ts'
import { emptyDirectory, makeSchool, makeServer } from '../worker/directory.ts'
import { rows } from '../worker/rows.ts'
import { strict } from '../worker/strict.ts'
import { Visitor } from '../worker/visitor.ts'

let school: MadeGroup

beforeEach(async () => {
  await emptyDirectory()
  forgetVersions()
  school = await makeSchool()
})

async function found(q: string): Promise<string[]> {
  const { data } = await new Visitor().see(`/classcords/all/?${new URLSearchParams({ q })}`)
  return strict(ExploreAllListingsProps)
    .parse(data.props)
    .servers.map(({ name }) => name)
}

const spellings = ['CS101', 'cs 101', 'CS-101', 'CS_101', '101 cs', 'CS 10', 'cs10']

describe('a course code is found in any spelling', () => {
  it.each(['CS101 Study Group', 'Intro CS 101', 'CS-101 (Fall)', 'CS101A', 'CS 101A'])(
    'in the name %s',
    async (name) => {
      await makeServer({ name })
      await makeServer({ name: 'CS 202' })
      for (const q of spellings) expect([q, await found(q)]).toEqual([q, [name]])
      for (const q of ['CS1011', 'S101', 'CS 102']) expect([q, await found(q)]).toEqual([q, []])
    },
  )

  it('of a course with punctuation in its code or number', async () => {
    await rows("UPDATE course SET code = 'CS-UY', level = '1114-L' WHERE id = ?", school.course_id)
    await makeServer({ name: 'Intro', courses: [school.course_id] })
    for (const q of ['CS-UY 1114', 'CSUY1114', 'CS-UY1114', 'CS UY-1114L', 'uy1114', 'CS-UY 1114-L', 'csuy1114l'])
      expect([q, await found(q)]).toEqual([q, ['Intro']])
  })
})

it.each([
  ['Łódź Chemistry', 'lodz'],
  ['Bjørn’s Statistics', 'Bjorn'],
  ['Đà Nẵng Exchange', 'da nang'],
])('%s is found as %j', async (name, q) => {
  await makeServer({ name })
  expect(await found(q)).toEqual([name])
  expect(await found(name)).toEqual([name])
})
