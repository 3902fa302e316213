import { readFileSync } from 'node:fs'
import { describe, expect, it, test } from 'vitest'
import { searchDirectory, parseDirectory, systemName, whyNotRead } from '../../src/sources/schools/directory.ts'
import { hasSchools } from '../../src/sources/source.ts'
import { sources } from '../../src/sources/sources.ts'
import { isTimeZone } from '../../src/lib/time.ts'

const text = readFileSync(new URL('../../src/sources/schools/schools.json', import.meta.url), 'utf8')
const directory = parseDirectory(text)
const doubled = (values: readonly string[]) => values.filter((value, index) => values.indexOf(value) !== index)
const namesOf = (typed: string) => searchDirectory(directory, typed).map(({ name }) => name)

describe('the directory of schools', () => {
  it('has one entry per line, in the order of their ids', () => {
    const lines = text.trimEnd().split('\n').slice(1, -1)
    expect(lines.map((line) => JSON.parse(line.replace(/,$/, '')) as unknown)).toEqual(directory)
    const ids = directory.map(({ id }) => id)
    expect(ids).toEqual(ids.toSorted())
    expect(directory.length).toBeGreaterThan(800)
  })

  it('names every school, and every address, once', () => {
    expect(doubled(directory.map(({ id }) => id))).toEqual([])
    expect(doubled(directory.map(({ name }) => name.toLowerCase()))).toEqual([])
    const places = directory.map(({ url, school, settings }) => `${url} ${school} ${JSON.stringify(settings)}`)
    expect(doubled(places)).toEqual([])
  })

  it('says where each school is, and what its system is called', () => {
    for (const school of directory) {
      expect(school.id, school.id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
      expect(school.name.trim(), school.id).toBe(school.name)
      expect([school.country, school.state].join(' '), school.id).toMatch(/^[A-Z]{2} [A-Z]{2}$/)
      expect(isTimeZone(school.time_zone), school.id).toBe(true)
      expect(school.as_of, school.id).toMatch(/^20\d\d-\d\d-\d\d$/)
      expect(URL.parse(school.url)?.protocol, school.id).toBe('https:')
      expect(school.url.endsWith('/'), school.id).toBe(false)
      expect(systemName({ kind: school.kind }), school.id).not.toBe(school.kind)
      for (const note of school.notes ?? []) expect(note.trim(), school.id).not.toBe('')
    }
  })

  it('follows the address rules of each readable system', () => {
    for (const school of directory) {
      const source = sources.get(school.kind)
      if (!source) continue
      expect(source.checkAddress(school.url), school.id).toBeNull()
      expect(school.school !== '', school.id).toBe(hasSchools(source))
    }
  })

  it('contains no secrets', () => {
    for (const { id, url } of directory) {
      const { username, password, search } = new URL(url)
      expect([username, password, search], id).toEqual(['', '', ''])
    }
  })

  it('knows which schools can be read', () => {
    const readable = directory.filter((school) => whyNotRead(school) === null)
    for (const { kind, settings } of readable) {
      expect([...sources.keys()]).toContain(kind)
      for (const name of Object.keys(settings)) {
        expect(sources.get(kind)?.settings.map((setting) => setting.name)).toContain(name)
      }
    }
    const [first] = directory
    if (!first) throw new Error('The directory is empty.')
    expect(whyNotRead({ ...first, kind: 'newest' })).toBe("We can't read newest yet.")
    expect(whyNotRead({ ...first, kind: 'own' })).toContain('a system of its own')
    expect(whyNotRead({ ...first, kind: 'collegescheduler' })).toContain('does not say which seats are reserved')
    expect(whyNotRead({ ...first, kind: 'banner9', settings: { planet: 'Mars' } })).toContain('tell theirs apart')
    expect(whyNotRead({ ...first, kind: 'banner9', url: 'https://10.0.0.1/StudentRegistrationSsb/ssb' })).toContain(
      'private network',
    )
  })
})

describe('finding a school', () => {
  test('by the beginnings of its words, in any order, without accents and punctuation', () => {
    expect(namesOf('hunter')[0]).toBe('Hunter College')
    expect(namesOf('COLL hunt')).toContain('Hunter College')
    expect(namesOf('st. johns')).toEqual(namesOf("St John's"))
    expect(namesOf('unter')).not.toContain('Hunter College')
  })

  test('by its initials, and within a state', () => {
    expect(namesOf('kcc')).toContain('Kingsborough Community College')
    expect(namesOf('ccny')).not.toEqual([])
    const inVirginia = searchDirectory(directory, 'community va')
    expect(inVirginia.map(({ state, name }) => state === 'VA' || / va/i.test(name))).not.toContain(false)
    expect(inVirginia.length).toBeGreaterThan(10)
  })

  test('puts names that begin with the words first; an empty search finds everything', () => {
    const [first] = namesOf('university of')
    expect(first).toMatch(/^University of /)
    expect(namesOf('  ')).toHaveLength(directory.length)
    expect(namesOf('no such school anywhere')).toEqual([])
    expect(namesOf('🎓')).toEqual([])
    expect(namesOf('...')).toEqual([])
  })
})
