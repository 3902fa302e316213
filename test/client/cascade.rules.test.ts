import { expect, test } from 'vitest'
import { choose, nothingChosen, recalled, type Choice } from '../../client/islands/class-tracker/use-cascade.ts'
import { courseSection } from './samples.ts'

const school = { id: 1, name: 'Baruch College' }
const term = { id: 2, full_term_name: '2026 Fall Term' }
const subject = { id: 3, name: 'CIS' }
const whole: Choice = { school, term, subject, section: courseSection() }

test('changing a level resets only the levels below it', () => {
  const other = { id: 9, name: 'Other' }
  expect(choose(whole, { level: 'school', to: other })).toEqual({ ...nothingChosen, school: other })
  const spring = { id: 8, full_term_name: '2027 Spring Term' }
  expect(choose(whole, { level: 'term', to: spring })).toEqual({ school, term: spring, subject: null, section: null })
  expect(choose(whole, { level: 'subject', to: other })).toEqual({ ...whole, subject: other, section: null })
  expect(choose(whole, { level: 'section', to: null })).toEqual({ ...whole, section: null })
})

test('selecting the same value keeps everything', () => {
  expect(choose(whole, { level: 'school', to: { ...school } })).toBe(whole)
})

test('clearing a level also resets the levels below it', () => {
  expect(choose(whole, { level: 'school', to: null })).toEqual(nothingChosen)
})

test('a remembered choice is restored as far as it still exists', () => {
  const last = { school: 1, term: 2, subject: 3 }
  expect(recalled(last, [school], [term])).toEqual({ ...nothingChosen, school, term })
  expect(recalled(last, [school], [])).toEqual({ ...nothingChosen, school })
  expect(recalled(last, [], [term])).toEqual(nothingChosen)
  expect(recalled(null, [school], [term])).toEqual(nothingChosen)
})
