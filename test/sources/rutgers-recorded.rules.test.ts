import { describe, expect, it } from 'vitest'
import { readOpenList } from '../../src/sources/rutgers/open-list.ts'
import { rutgers } from '../../src/sources/rutgers/rutgers.ts'
import { believed, collected, groupOf, openCounted } from './lanes.ts'
import { recordedOpenSections, recordedRutgersCourses, type RecordedRutgersCourse } from './recorded.ts'
import { rutgersFixtures } from './rutgers/fixtures.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)
const ownText = rutgersFixtures.files['courses.json'] ?? ''
/** Our own fixtures beside the recorded ones, so that the rules are always tested. */
const LISTS = [
  { name: 'our own', bytes: bytesOf(ownText), courses: JSON.parse(ownText) as RecordedRutgersCourse[] },
  ...recordedRutgersCourses(),
]
const OPEN = [
  { name: 'our own', bytes: bytesOf(rutgersFixtures.files['openSections.json'] ?? '') },
  ...recordedOpenSections(),
]

/** A lane to a school that answers with these bytes, in pieces as from a network. */
function open(courses: Uint8Array<ArrayBuffer>, openSections: string) {
  const inPieces = (bytes: Uint8Array<ArrayBuffer>) =>
    new ReadableStream<Uint8Array<ArrayBuffer>>({
      start(controller) {
        for (let at = 0; at < bytes.length; at += 60_000) controller.enqueue(bytes.slice(at, at + 60_000))
        controller.close()
      },
    })
  const fetch = (input: string) =>
    Promise.resolve(new Response(input.includes('openSections') ? openSections : inPieces(courses)))
  return openCounted(rutgers, rutgersFixtures.address, { fetch }).lane
}

describe.each(LISTS)('a recorded list of Rutgers courses: $name', ({ bytes, courses }) => {
  const whole = new Uint8Array(bytes)
  const sections = courses.flatMap((course) => course.sections.map((section) => ({ ...section, course })))
  const openIndexes = sections.filter(({ openStatus }) => openStatus).map(({ index }) => index)
  const list = JSON.stringify(openIndexes)
  const scope = groupOf({ term: '12023', school: 'NB', subject: '' })

  it('is read with exactly its sections, each correctly', async () => {
    const answers = await collected(open(whole, list).wholeTerm?.(scope))
    expect(answers.flatMap((answer) => (answer.known ? answer.warnings : [answer.why]))).toEqual([])
    const read = answers.flatMap((answer) => believed(answer).sections)
    const byKey = new Map(read.map((section) => [section.section_key, section]))
    expect([read.length, byKey.size]).toEqual([sections.length, sections.length])
    for (const { index, number, openStatus, course } of sections) {
      const section = byKey.get(index)
      const { subject, section: code, stated, level = '', title } = section ?? {}
      const found = [subject, code, stated, level.replace(/ .*/, '')]
      expect(found, index).toEqual([course.subject, number, openStatus ? 'open' : 'closed', course.courseNumber])
      expect(title, index).not.toBe('')
      expect(section?.instruction_list, index).not.toBeNull()
    }
  })

  it('serves one subject, and is not believed if it breaks off or is from another campus', async () => {
    const [{ subject } = { subject: '' }] = courses
    const group = { ...scope, subject }
    const wanted = sections.filter(({ course }) => course.subject === subject)
    expect(believed(await open(whole, list).sections(group)).sections).toHaveLength(wanted.length)
    for (const part of [0.1, 0.5, 0.999]) {
      const cut = whole.slice(0, Math.floor((whole.length - 2) * part))
      expect(await open(cut, list).sections(group)).toMatchObject({ known: false, reason: 'incomplete' })
    }
    expect(await open(whole, list).sections({ ...group, school: 'NK' })).toMatchObject({ reason: 'wrong_scope' })
    const half = JSON.stringify(openIndexes.slice(0, Math.floor(openIndexes.length / 2)))
    expect((await open(whole, half).sections(group)).known).toBe(false)
  })
})

it.each(OPEN)('a recorded list of open sections is read completely: $name', ({ bytes }) => {
  const page = { url: '', contentType: '', bytes }
  expect([...believed(readOpenList(page))]).toEqual(JSON.parse(new TextDecoder().decode(bytes)))
  for (const part of [0.1, 0.5, 0.999]) {
    const cut = { ...page, bytes: bytes.subarray(0, Math.floor((bytes.length - 2) * part)) }
    expect(readOpenList(cut).known).toBe(false)
  }
})
