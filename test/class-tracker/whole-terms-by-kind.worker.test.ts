import { expect, test } from 'vitest'
import { pollSource } from '../../src/class-tracker/polling/poll-source.ts'
import { refreshSections } from '../../src/class-tracker/refresh/refresh-sections.ts'
import { refreshSubjects } from '../../src/class-tracker/refresh/refresh-subjects.ts'
import { refreshTerms } from '../../src/class-tracker/refresh/refresh-terms.ts'
import { makeRecipient, makeWatch } from '../worker/catalog.ts'
import { rows } from '../worker/rows.ts'
import { addSource, runJob, world } from '../worker/world.ts'

test.each([
  // One answer contains the term.
  {
    which: 'fose',
    school: 'Cedar Valley Community College',
    asks: 'Cedar Valley Community College',
    ourName: 'Cedar Valley Community College',
    paths: ['search'],
  },
  // Open sections, and everything else.
  {
    which: 'rutgers',
    school: 'Harbor State University',
    asks: 'Harbor State Schedule of Classes',
    ourName: 'Rutgers University–New Brunswick',
    paths: ['openSections.json', 'courses.json'],
  },
] as const)('a term is refreshed with few requests by $which', async ({ which, school, asks, ourName, paths }) => {
  const source_id = await addSource(which)
  await runJob(refreshTerms, { by: 'test', source_ids: [source_id] })
  const [place] = await rows<{ school_id: number; term_id: number; full_term_name: string }>(
    `SELECT s.id AS school_id, t.term_id, e.full_term_name FROM school s JOIN school_term t ON t.school_id = s.id
     JOIN term e ON e.id = t.term_id WHERE s.source_id = ? AND s.name = ? AND t.is_available ORDER BY e.year, e.id LIMIT 1`,
    source_id,
    ourName,
  )
  if (!place) throw new Error(`${ourName} was not learned`)
  const { school_id, term_id } = place
  await runJob(refreshSubjects, { by: 'test', school_id, term_id })
  const before = (await world.requests()).length
  const read = { school_id, term_id, subject_id: 0, by: 'test' }
  expect(await runJob(refreshSections, read)).toMatchObject({ state: 'finished' })
  const asked = (await world.requests()).slice(before).filter(({ service }) => service === asks)
  expect(asked.map(({ path }) => paths.find((part) => path.includes(part)))).toEqual(paths)
  const there = await world.sections({ school, term: place.full_term_name })
  const stored = await rows<{ section_key: string; status: string }>(
    `SELECT s.section_key, s.status FROM section s JOIN school_term t ON t.id = s.school_term_id
     WHERE t.school_id = ? AND t.term_id = ? ORDER BY s.section_key`,
    school_id,
    term_id,
  )
  expect(there.length).toBeGreaterThan(100)
  const listedStatus = (status: string) => (which === 'rutgers' && status === 'waitlisted' ? 'closed' : status)
  expect(stored).toEqual(
    there
      .map(({ section, status }) => ({ section_key: section, status: listedStatus(status) }))
      .toSorted((one, other) => (one.section_key < other.section_key ? -1 : 1)),
  )
})

/** The source and term that the table above has refreshed. */
async function rutgersTerm() {
  const [place] = await rows<{ source_id: number; school_term_id: number; full_term_name: string }>(
    `SELECT c.id AS source_id, t.id AS school_term_id, e.full_term_name FROM source c JOIN school s ON s.source_id = c.id
     JOIN school_term t ON t.school_id = s.id JOIN term e ON e.id = t.term_id
     WHERE c.kind = 'rutgers' AND EXISTS (SELECT 1 FROM section WHERE section.school_term_id = t.id)`,
  )
  if (!place) throw new Error('no term of Rutgers was refreshed')
  return place
}

test('a list of open sections that suddenly loses more than a third closes nothing yet', async () => {
  const { source_id, school_term_id, full_term_name } = await rutgersTerm()
  const poll = async () => {
    await rows('UPDATE section_group SET asked_at = 0 WHERE source_id = ?', source_id)
    return runJob(pollSource, { source_id })
  }
  const open = (await world.sections({ school: 'Harbor State University', term: full_term_name })).filter(
    ({ status }) => status === 'open',
  )
  const [watched] = open
  const [section] = await rows<{ id: number }>(
    'SELECT id FROM section WHERE school_term_id = ? AND section_key = ?',
    school_term_id,
    watched?.section,
  )
  if (!section) throw new Error('no section is open')
  await makeWatch(await makeRecipient(), section.id, false)
  await poll()
  const statusNow = () => rows('SELECT status FROM section WHERE id = ?', section.id)
  expect(await statusNow()).toEqual([{ status: 'open' }])
  for (const one of open.slice(0, Math.ceil(open.length / 2))) await world.set(one, { status: 'closed' })
  await poll()
  expect(await statusNow()).toEqual([{ status: 'open' }])
  expect(await rows('SELECT last_error FROM source WHERE id = ?', source_id)).toEqual([
    { last_error: expect.stringContaining('read again before it is accepted') },
  ])
  for (const one of open.slice(0, Math.ceil(open.length / 2))) await world.set(one, { status: 'open' })
})
