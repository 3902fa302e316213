import { beforeEach, describe, expect, it } from 'vitest'
import { type Courses, ExploreAllListingsProps, Schools, Subjects } from '../../src/classcords/contract.ts'
import { forgetVersions } from '../../src/web/edge/site-version.ts'
import type { MadeGroup } from '../worker/catalog.ts'
import { addPerson, emptyDirectory, makeSchool, makeServer } from '../worker/directory.ts'
import { rows } from '../worker/rows.ts'
import { strict } from '../worker/strict.ts'
import { browserOf, Visitor } from '../worker/visitor.ts'

/** Explore beyond one's own school: the filter All schools, one school, and other orders. */

let own: MadeGroup
let other: MadeGroup
let member: Visitor

beforeEach(async () => {
  await emptyDirectory()
  forgetVersions()
  own = await makeSchool()
  other = await makeSchool()
  member = await browserOf(await addPerson({ school: own.school_id }))
})

async function explore(query = '', visitor = member) {
  const { data } = await visitor.see(`/classcords/all/${query}`)
  const props = strict(ExploreAllListingsProps).parse(data.props)
  return { ...props, names: props.servers.map(({ name }) => name) }
}

const at = (school: MadeGroup) => ({ schools: [school.school_id], subjects: [school.subject_id] })

describe('a member of a school with servers', () => {
  beforeEach(async () => {
    await makeServer({ name: 'Zebra own', ...at(own) })
    await makeServer({ name: 'Zebra own private', privacy: 'private', ...at(own) })
    await makeServer({ name: 'Alpha other', ...at(other) })
    await makeServer({ name: 'Alpha other private', privacy: 'private', ...at(other) })
    await makeServer({ name: 'Both', schools: [own.school_id, other.school_id] })
  })

  it("sees only those by default, and with All schools first those, then other schools' public ones, each once", async () => {
    const mine = ['Both', 'Zebra own', 'Zebra own private']
    expect(await explore()).toMatchObject({ names: mine, school_id: null, server_count: 3 })
    expect(await explore('?school_id=0')).toMatchObject({
      names: [...mine, 'Alpha other'],
      school_id: 0,
      server_count: 4,
    })
    expect((await explore('?school_id=0&q=zebra')).names).toEqual(['Zebra own', 'Zebra own private'])
    expect((await explore('?school_id=0&q=alpha')).names).toEqual(['Alpha other'])
    expect((await explore(`?school_id=0&subject_id=${other.subject_id}`)).names).toEqual(['Alpha other'])
    expect((await explore('?q=alpha')).names).toEqual([])
    expect(await explore('?q=!!!')).toMatchObject({ names: [], school_id: null })
  })

  it('sees the same of another school as a visitor, and never less than a visitor', async () => {
    expect((await explore(`?school_id=${other.school_id}`)).names).toEqual(['Alpha other', 'Both'])
    expect((await explore(`?school_id=${other.school_id}`, new Visitor())).names).toEqual(['Alpha other', 'Both'])
    const visitors = (await explore('', new Visitor())).names
    const members = (await explore('?school_id=0')).names
    expect(visitors.filter((name) => !members.includes(name))).toEqual([])
    expect((await explore('?school_id=999999')).names).toEqual([])
  })

  it('selects among schools with public servers, and subjects of the selected one', async () => {
    const { schools } = strict(Schools).parse(await (await member.call('GET', '/classcords/ajax/schools/')).json())
    expect(schools.map(({ id }) => id)).toEqual([own.school_id, other.school_id])
    const path = `/classcords/ajax/subjects/?school_id=${other.school_id}`
    const { subjects } = strict(Subjects).parse(await (await member.call('GET', path)).json())
    expect(subjects.map(({ id }) => id)).toEqual([other.subject_id])
  })
})

it("the filters of all schools offer what one's own school's private servers have, and nothing of others'", async () => {
  const third = await makeSchool()
  const of = (group: MadeGroup) => ({ ...at(group), courses: [group.course_id] })
  await makeServer({ name: 'Own', privacy: 'private', ...of(own) })
  await makeServer({ name: 'Other', ...of(other) })
  await makeServer({ name: 'Hidden', privacy: 'private', ...of(third) })
  const offered = async (path: string, visitor: Visitor) => {
    const answer = await visitor.call('GET', `/classcords/ajax/subjects/${path}?school_id=0`)
    const { subjects = [], courses = [] } = await answer.json<Partial<Subjects & Courses>>()
    return [...subjects, ...courses].map(({ id }) => id)
  }
  const stranger = await browserOf(await addPerson({ school: third.school_id }))
  for (const [visitor, groups] of [
    [member, [own, other]],
    [stranger, [other, third]],
    [new Visitor(), [other]],
  ] as const) {
    expect(await offered('', visitor)).toEqual(groups.map(({ subject_id }) => subject_id))
    for (const group of [own, other, third]) {
      const found = groups.includes(group) ? [group.course_id] : []
      expect(await offered(`${group.subject_id}/courses/`, visitor)).toEqual(found)
    }
  }
})

it("a member of a school without servers sees all schools' public ones by default", async () => {
  await makeServer({ name: 'Alpha other', ...at(other) })
  await makeServer({ name: 'Hidden', privacy: 'private', ...at(other) })
  expect(await explore()).toMatchObject({ names: ['Alpha other'], school_id: 0, server_count: 1 })
  expect((await explore('?q=alpha')).names).toEqual(['Alpha other'])
})

it('pages of all schools are consistent, including the last one and beyond', async () => {
  for (let number = 10; number < 50; number += 1)
    await makeServer({ name: `Server ${number}`, ...at(number % 3 === 0 ? own : other) })
  const pages = await Promise.all([1, 2, 3, 99].map((page) => explore(`?school_id=0&page=${page}`)))
  expect(pages.map(({ names }) => names.length)).toEqual([15, 15, 10, 10])
  expect(pages[3]?.pagination).toEqual(pages[2]?.pagination)
  const all = pages.slice(0, 3).flatMap(({ names }) => names)
  expect(new Set(all).size).toBe(40)
  const isOwn = (name: string) => Number(name.slice(-2)) % 3 === 0
  expect(all.map(isOwn)).toEqual(all.map(isOwn).toSorted((one, two) => Number(two) - Number(one)))
})

it('only pages of the whole list in its own order have canonical addresses of their own', async () => {
  for (let number = 10; number < 26; number += 1) await makeServer({ name: `Server ${number}`, ...at(own) })
  const canonical = async (query: string) => {
    const { html } = await new Visitor().see(`/classcords/all/?${query}`)
    return /<link rel="canonical" href="[^"]*(\/classcords\/all\/[^"]*)"/.exec(html)?.[1]
  }
  expect(await canonical('page=2')).toBe('/classcords/all/?page=2')
  expect(await canonical('school_id=0&page=2')).toBe('/classcords/all/?page=2')
  expect(await canonical(`school_id=${own.school_id}&page=2`)).toBe('/classcords/all/')
  expect(await canonical('sort=newest&page=2')).toBe('/classcords/all/')
})

it('servers can be sorted by age and by members, also by visitors', async () => {
  for (const [name, createdAt, members] of [
    ['A', 2, 50],
    ['B', 3, 10],
    ['C', 1, 900],
  ] as const) {
    const { id } = await makeServer({ name, createdAt, ...at(own) })
    await rows('UPDATE discord_server SET member_count = ? WHERE id = ?', members, id)
  }
  for (const visitor of [member, new Visitor()]) {
    expect((await explore('', visitor)).names).toEqual(['A', 'B', 'C'])
    expect((await explore('?sort=newest', visitor)).names).toEqual(['B', 'A', 'C'])
    expect((await explore('?sort=members', visitor)).names).toEqual(['C', 'A', 'B'])
    expect((await explore(`?sort=members&subject_id=${own.subject_id}`, visitor)).names).toEqual(['C', 'A', 'B'])
    expect(await explore('?sort=nonsense', visitor)).toMatchObject({ names: ['A', 'B', 'C'], sort: 'relevance' })
  }
})
