import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { pollSource } from '../../src/class-tracker/polling/poll-source.ts'
import { refreshSections } from '../../src/class-tracker/refresh/refresh-sections.ts'
import { refreshSubjects } from '../../src/class-tracker/refresh/refresh-subjects.ts'
import { refreshTerms } from '../../src/class-tracker/refresh/refresh-terms.ts'
import { sweepAlerts } from '../../src/class-tracker/deliveries/sweep-alerts.ts'
import { makeRecipient, makeWatch } from '../worker/catalog.ts'
import { rows } from '../worker/rows.ts'
import { addSource, runJob, until, world, type worldSources, type WorldSection } from '../worker/world.ts'

/** One subject of one school, known from its source; its sections as in the world. */
interface Scene {
  source_id: number
  school_id: number
  term_id: number
  subject_id: number
  sections: WorldSection[]
}

let phones = 100
const freshPhone = () => ({ kind: 'phone', address: `+1202555${String((phones += 1)).padStart(4, '0')}` })

/** `school` is its name in the world, `ourName` the name that its system shows. */
async function learn(
  which: keyof typeof worldSources,
  subject: string,
  school: string,
  ourName: string,
): Promise<Scene> {
  const source_id = await addSource(which)
  expect(await runJob(refreshTerms, { by: 'test', source_ids: [source_id] })).toMatchObject({ state: 'finished' })
  const [place] = await rows<{ school_id: number; term_id: number; full_term_name: string }>(
    `SELECT s.id AS school_id, t.term_id, e.full_term_name FROM school s JOIN school_term t ON t.school_id = s.id JOIN term e ON e.id = t.term_id
     WHERE s.source_id = ? AND s.name = ? AND t.is_available ORDER BY e.year DESC, e.id LIMIT 1`,
    source_id,
    ourName,
  )
  if (!place) throw new Error(`${school} was not learned`)
  const scope = { school_id: place.school_id, term_id: place.term_id }
  expect(await runJob(refreshSubjects, { by: 'test', ...scope })).toMatchObject({
    state: 'finished',
  })
  const [row] = await rows<{ id: number; name: string }>(
    'SELECT id, name FROM subject WHERE school_id = ? AND key = ?',
    place.school_id,
    subject,
  )
  if (!row) throw new Error(`${subject} was not learned`)
  const ended = await runJob(refreshSections, { ...scope, by: 'test', subject_id: row.id })
  expect(ended).toMatchObject({ state: 'finished' })
  const all = await world.sections({ school, term: place.full_term_name })
  const known = new Set(
    (
      await rows<{ section_key: string }>(
        'SELECT s.section_key FROM section s JOIN section_group g ON g.id = s.group_id WHERE g.subject_id = ?',
        row.id,
      )
    ).map((one) => one.section_key),
  )
  return { source_id, ...scope, subject_id: row.id, sections: all.filter((section) => known.has(section.section)) }
}

const idOf = async (scene: Scene, section: WorldSection) => {
  const [row] = await rows<{ id: number; status: string }>(
    'SELECT s.id, s.status FROM section s JOIN school_term t ON t.id = s.school_term_id WHERE t.school_id = ? AND t.term_id = ? AND s.section_key = ?',
    scene.school_id,
    scene.term_id,
    section.section,
  )
  if (!row) throw new Error(`section ${section.section} is not known`)
  return row
}
/** A round of the source now, however recent the last one was. */
async function poll(scene: Scene) {
  await env.DB.prepare('UPDATE section_group SET asked_at = 0 WHERE source_id = ?').bind(scene.source_id).run()
  return runJob(pollSource, { source_id: scene.source_id })
}
const smsTo = async (address: string) => (await world.outbox()).sms.filter((message) => message.to === address)

async function watchClosed(scene: Scene): Promise<{ section: WorldSection; id: number; phone: string }> {
  const section = scene.sections.pop()
  if (!section) throw new Error('no section is left')
  await world.set(section, { status: 'closed' })
  const { id } = await idOf(scene, section)
  const phone = freshPhone()
  await makeWatch(await makeRecipient([phone]), id, false)
  await poll(scene)
  expect(await rows('SELECT status, new_watch_count FROM section WHERE id = ?', id)).toEqual([
    { status: 'closed', new_watch_count: 0 },
  ])
  return { section, id, phone: phone.address }
}

/** What a kind's own reading could believe. */
const believable = ['empty', 'truncated']
/** What every kind makes the same of, as the conformance tests show: unknown, whatever the school. */
const evident = ['http_500', 'http_429', 'timeout', 'reset', 'maintenance_html', 'slow']

describe.each([
  { which: 'harbor', subject: 'MATH', school: 'Harbor State University', service: 'Harbor State University' },
  { which: 'cuny', subject: 'CMSC', school: 'Queens College', service: 'CUNY Global Search' },
  {
    which: 'fose',
    subject: 'PHIL',
    school: 'Cedar Valley Community College',
    service: 'Cedar Valley Community College',
  },
  {
    which: 'rutgers',
    subject: 'ANTH',
    school: 'Harbor State University',
    service: 'Harbor State University',
    ourName: 'Rutgers University–New Brunswick',
  },
] as const)('at $school by $which', ({ which, subject, school, service, ourName = school }) => {
  let scene: Scene
  beforeAll(async () => {
    await world.clearFaults()
    await env.DB.prepare(
      "INSERT OR REPLACE INTO setting (name, value, changed_at) VALUES ('school_timeout_ms', '1500', 0)",
    ).run()
    scene = await learn(which, subject, school, ourName)
    expect(scene.sections.length).toBeGreaterThan(12)
  })
  beforeEach(async () => {
    await world.clearFaults()
    await env.DB.prepare('UPDATE source SET failures = 0, paused_until = NULL').run()
  })

  test('a seat opens, one phone gets one message', async () => {
    const { section, phone } = await watchClosed(scene)
    await world.set(section, { status: 'open' })
    await poll(scene)
    const [message] = await until(
      () => smsTo(phone),
      (sent) => sent.length > 0,
      'the message',
    )
    expect(message?.body).toContain(section.section.length > 0 ? 'http' : '')
    await poll(scene)
    await runJob(sweepAlerts, {})
    expect(await smsTo(phone)).toHaveLength(1)
    const [delivery] = await rows(
      'SELECT state, accepted_at IS NOT NULL AS accepted, provider_id IS NOT NULL AS known FROM delivery WHERE address = ?',
      phone,
    )
    expect(delivery).toMatchObject({ accepted: 1, known: 1 })
  })

  test.each(which === 'harbor' ? [...evident, ...believable] : believable)(
    '%s closes nothing and loses no opening',
    async (mode) => {
      const { section, id, phone } = await watchClosed(scene)
      await world.set(section, { status: 'open' })
      await world.fault(service, mode)
      await poll(scene)
      const [during] = await rows<{ status: string }>('SELECT status FROM section WHERE id = ?', id)
      expect(['closed', 'open']).toContain(during?.status)
      if (mode !== 'slow') {
        expect(during?.status).toBe('closed')
        expect(await smsTo(phone)).toEqual([])
      }
      await world.clearFaults()
      await env.DB.prepare('UPDATE source SET failures = 0, paused_until = NULL').run()
      await poll(scene)
      await until(
        () => smsTo(phone),
        (sent) => sent.length === 1,
        'the message after the fault',
      )
      await world.fault(service, mode)
      await poll(scene)
      expect(await rows('SELECT status FROM section WHERE id = ?', id)).toEqual([{ status: 'open' }])
      expect(await smsTo(phone)).toHaveLength(1)
    },
    90_000,
  )
})
