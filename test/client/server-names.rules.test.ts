import { describe, expect, test } from 'vitest'
import { schoolNameParts } from '../../client/components/school-name.ts'
import { cardAbout, serverNameParts } from '../../client/islands/classcords/server-names.ts'
import { course, server } from './classcords-samples.ts'

const shownOf = (display_name: string, ...schools: string[]) =>
  serverNameParts({ display_name, schools: schools.map((name, id) => ({ id, name })) }).shown

describe("a server's name in a list", () => {
  test.each([
    ['Queens College Calculus I', 'Queens College', 'Calculus I'],
    ['Northfield Tech Calculus I', 'Northfield Technical University', 'Calculus I'],
    ['Harbor State: Linear Algebra', 'Harbor State University', 'Linear Algebra'],
    ['harbor state university – bio', 'Harbor State University', 'bio'],
  ])('%s at %s is %s', (name, school, shown) => {
    expect(shownOf(name, school)).toBe(shown)
  })

  test.each([
    ['Calculus Crew', 'Queens College'],
    ['Boston Tea Party', 'Boston University'],
    ['Queens College', 'Queens College'],
    ['Harbor State Discord Server', 'Harbor State University'],
    ['Harbor State — 🔥', 'Harbor State University'],
    ['', 'Queens College'],
  ])('%s at %s stays whole', (name, school) => {
    expect(shownOf(name, school)).toBe(name)
  })

  test('omits whichever of its schools it names, and both parts make up the name', () => {
    const name = 'Queens College - Statistics  101'
    const parts = serverNameParts({
      display_name: name,
      schools: [
        { id: 1, name: 'Harbor State University' },
        { id: 2, name: 'Queens College' },
      ],
    })
    expect(parts).toEqual({ hidden: 'Queens College - ', shown: 'Statistics  101' })
  })
})

test.each([
  ['Harbor State University', 'Harbor State'],
  ['Texas A&M University', 'Texas A&M'],
  ['Yale University', 'Yale University'],
  ['New York University', 'New York University'],
  ['Northfield Technical University', 'Northfield Technical'],
  ['Queens College', 'Queens College'],
  ['University of Alaska', 'University of Alaska'],
  ['Virginia Polytechnic Institute and State University', 'Virginia Polytechnic Institute and State University'],
])('%s is shown as %s', (name, shown) => {
  const parts = schoolNameParts(name)
  expect([parts.shown, parts.shown + parts.hidden]).toEqual([shown, name])
})

describe("the text on a server's card", () => {
  const courses = [course({ title: 'Calculus I' }), course({ id: 2, title: 'Linear Algebra' })]
  const undescribed = { display_name: 'Calculus I crew', description: ' ', courses }

  test('is its description', () => {
    expect(cardAbout(server({ ...undescribed, description: 'Homework.' }))).toBe('Homework.')
  })

  test('is otherwise what its name does not say: courses, instructors, subjects', () => {
    expect(cardAbout(server(undescribed))).toBe('Linear Algebra')
    const [calculus] = courses
    const one = { ...undescribed, courses: calculus ? [calculus] : [] }
    expect(cardAbout(server({ ...one, instructors: [{ id: 1, name: 'Ada Lindqvist' }] }))).toBe('With Ada Lindqvist')
    const subjects = [
      { id: 1, name: 'Mathematics' },
      { id: 2, name: 'Physics' },
    ]
    expect(cardAbout(server({ ...one, courses: [], subjects }))).toBe('Mathematics, Physics')
    expect(cardAbout(server({ ...one, subjects }))).toBe('Physics')
    expect(cardAbout(server({ ...one, subjects, display_name: 'Physics: Calculus I' }))).toBe('')
  })
})
