import { env } from 'cloudflare:workers'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { saveSource } from '../../src/class-tracker/admin/sources.ts'
import { checkSource, whyStopped } from '../../src/class-tracker/refresh/check-source.ts'
import { BudgetSpent } from '../../src/sources/source.ts'
import { Desk } from '../worker/admin-desk.ts'
import { makeGroup, makeRecipient, makeSection, makeWatch } from '../worker/catalog.ts'
import { rows } from '../worker/rows.ts'
import { addSource, world } from '../worker/world.ts'

let desk: Desk
let number = 0

beforeAll(async () => {
  desk = await Desk.open()
})
afterEach(async () => {
  await world.clearFaults()
})

const good = (change: Record<string, string> = {}) => ({
  name: `Made ${(number += 1)}`,
  kind: 'banner9',
  url: 'https://reg.example.edu/StudentRegistrationSsb/ssb/',
  time_zone: 'America/Chicago',
  poll_seconds: '60',
  requests_per_minute: '30',
  settings: '{"mepCode":"CSU"}',
  is_enabled: '1',
  ...change,
})

async function localSource(): Promise<{ id: number; url: string }> {
  const { source_id } = await makeGroup({ url: `${env.WORLD_URL}/schools/northfield/StudentRegistrationSsb/ssb` })
  return { id: source_id, url: `${env.WORLD_URL}/schools/northfield/StudentRegistrationSsb/ssb` }
}

describe('adding a source', () => {
  test('stores the address without its trailing slash', async () => {
    const fields = good()
    const { status, text } = await desk.add('sources', fields)
    expect(status, text).toBe(303)
    const [made] = await rows('SELECT * FROM source WHERE name = ?', fields.name)
    expect(made).toMatchObject({
      kind: 'banner9',
      url: 'https://reg.example.edu/StudentRegistrationSsb/ssb',
      time_zone: 'America/Chicago',
      settings: '{"mepCode":"CSU"}',
      is_enabled: 1,
      terms_refreshed_at: null,
    })
    expect(await desk.entry('source')).toMatchObject({
      act: 'added',
      title: fields.name,
      after: { url: made?.['url'] },
    })
  })

  test.each([
    ['url', 'http://reg.example.edu/StudentRegistrationSsb/ssb', 'The address must begin with https://.'],
    ['url', 'https://reg.example.edu/somewhere', 'The address must end in /StudentRegistrationSsb/ssb.'],
    ['url', 'https://10.0.0.1/StudentRegistrationSsb/ssb', 'The address leads into a private network.'],
    ['url', 'https://169.254.169.254/StudentRegistrationSsb/ssb', 'The address leads into a private network.'],
    ['url', 'https://0xa.0.0.1/StudentRegistrationSsb/ssb', 'An IPv4 address is written as four decimal numbers.'],
    ['url', 'https://[::ffff:10.0.0.1]/StudentRegistrationSsb/ssb', 'The address leads into a private network.'],
    ['url', 'https://[64:ff9b::a00:1]/StudentRegistrationSsb/ssb', 'The address leads into a private network.'],
    ['url', 'https://banner.internal/StudentRegistrationSsb/ssb', 'The address leads into a private network.'],
    ['url', 'https://localhost./StudentRegistrationSsb/ssb', 'The host name must not end in a dot.'],
    ['url', 'http://127.evil.example/StudentRegistrationSsb/ssb', 'The address must begin with https://.'],
    ['url', 'no address', 'The address is not a URL.'],
    ['url', 'https://me:secret@reg.example.edu/StudentRegistrationSsb/ssb', 'must not contain a username'],
    ['kind', 'peoplesoft', 'Select a valid choice.'],
    ['time_zone', 'America/Gotham', 'Unknown time zone.'],
    ['poll_seconds', '14', 'greater than or equal to 15'],
    ['requests_per_minute', '1', 'greater than or equal to 2'],
    ['settings', '{"mepCode":', 'Enter valid JSON.'],
    ['settings', '["CSU"]', 'Enter a JSON object'],
    ['settings', '{"mepcode":"CSU"}', 'mepcode is not a setting of this system. Available: mepCode, campus'],
    ['settings', '{"mepCode":5}', 'mepCode must be text.'],
    ['name', '', 'This field is required.'],
  ])('refuses %s %s', async (field, value, sentence) => {
    const fields = good({ [field]: value })
    const { status, text } = await desk.add('sources', fields)
    expect(status).toBe(422)
    expect(text).toContain(sentence)
    expect(await rows('SELECT id FROM source WHERE name = ?', fields.name)).toEqual([])
  })

  test('accepts http for the local machine, and each name only once', async () => {
    const fields = good({ url: 'http://localhost:8788/schools/x/StudentRegistrationSsb/ssb', settings: '{}' })
    expect((await desk.add('sources', fields)).status).toBe(303)
    const again = await desk.add('sources', fields)
    expect(again.status).toBe(422)
    expect(again.text).toContain('Another source already has this name.')
  })

  test('accepts the local machine only in development', async () => {
    const { id, url } = await localSource()
    const deployed = { ...env, APP_URL: 'https://cords.example.com' }
    const values = { ...good({ url }), poll_seconds: 60, requests_per_minute: 30, is_enabled: 1 }
    const change = {
      key: null,
      before: null,
      values,
      inlines: {},
      actor: { userId: null, who: 'test', ipAddress: null, country: null },
      now: 0,
    }
    expect(await saveSource(deployed, change)).toEqual({
      errors: [{ field: 'url', message: 'An address of this machine is for development only.' }],
    })
    expect(await saveSource(env, change)).toHaveProperty('statements')
    // A row from a database that was filled in development.
    const lane = { id, kind: 'banner9', url, settings: {}, requests_per_minute: 6000, time_zone: 'America/New_York' }
    await world.clearFaults()
    const before = (await world.requests()).length
    expect((await checkSource(deployed, lane, Date.now)).why).toContain('for development only')
    expect(await world.requests()).toHaveLength(before)
    expect((await checkSource(env, lane, Date.now)).why).toBeNull()
  })

  test('CUNY has no settings', async () => {
    const url = 'https://globalsearch.example.edu/CFGlobalSearchTool'
    const refused = await desk.add('sources', good({ kind: 'cuny', url }))
    expect(refused.text).toContain('It has none.')
    expect((await desk.add('sources', good({ kind: 'cuny', url, settings: '{}' }))).status).toBe(303)
  })
})

describe('a source', () => {
  test('is audited with old and new values when changed, and its system cannot be changed', async () => {
    const { source_id } = await makeGroup({ url: 'https://a.example.edu/StudentRegistrationSsb/ssb' })
    const { status, text } = await desk.change('sources', source_id, { poll_seconds: '120', kind: 'cuny' })
    expect(status, text).toBe(303)
    expect(await rows('SELECT kind, poll_seconds FROM source WHERE id = ?', source_id)).toEqual([
      { kind: 'banner9', poll_seconds: 120 },
    ])
    expect(await desk.entry('source')).toMatchObject({ before: { poll_seconds: 60 }, after: { poll_seconds: 120 } })
  })

  test('shows its health, and can be resumed', async () => {
    const group = await makeGroup({ requests_per_minute: 10 })
    await makeWatch(await makeRecipient(), await makeSection(group, '10001'))
    await rows(
      `UPDATE source SET failures = 7, paused_until = ?, last_error = 'It fell silent.', requests_a_round = 30 WHERE id = ?`,
      Date.now() + 3_600_000,
      group.source_id,
    )
    await rows("UPDATE section_group SET failures = 3, last_error = 'A page of nothing' WHERE id = ?", group.group_id)
    const { text } = await desk.see(`sources/${group.source_id}/`)
    for (const said of ['Paused', 'It fell silent.', '180', 'A page of nothing']) expect(text).toContain(said)
    expect(await desk.titles('sources/?health=paused')).toHaveLength(1)
    const { status } = await desk.act('sources', 'resume', group.source_id)
    expect(status).toBe(303)
    expect(await rows('SELECT failures, paused_until FROM source WHERE id = ?', group.source_id)).toEqual([
      { failures: 7, paused_until: null },
    ])
    expect(await desk.entry('source')).toMatchObject({ act: 'changed', after: { paused_until: null } })
  })

  test('is asked at once after its address was corrected', async () => {
    const { source_id } = await makeGroup({ url: 'https://old.example.edu/StudentRegistrationSsb/ssb' })
    const learned = () => rows('SELECT paused_until, poll_memo, requests_a_round FROM source WHERE id = ?', source_id)
    await rows("UPDATE source SET paused_until = 5, poll_memo = '{}', requests_a_round = 30 WHERE id = ?", source_id)
    await desk.change('sources', source_id, { poll_seconds: '120' })
    expect(await learned()).toEqual([{ paused_until: 5, poll_memo: '{}', requests_a_round: 30 }])
    const url = 'https://new.example.edu/StudentRegistrationSsb/ssb'
    expect((await desk.change('sources', source_id, { url })).status).toBe(303)
    expect(await learned()).toEqual([{ paused_until: null, poll_memo: null, requests_a_round: null }])
  })

  test('can be disabled and enabled', async () => {
    const { source_id } = await makeGroup()
    await desk.act('sources', 'disable', source_id)
    expect(await rows('SELECT is_enabled FROM source WHERE id = ?', source_id)).toEqual([{ is_enabled: 0 }])
    await desk.act('sources', 'enable', source_id)
    expect(await rows('SELECT is_enabled FROM source WHERE id = ?', source_id)).toEqual([{ is_enabled: 1 }])
    expect(await desk.entry('source')).toMatchObject({ before: { is_enabled: 0 }, after: { is_enabled: 1 } })
  })

  test('is deleted with its schools and sections after naming the waiting recipients', async () => {
    const group = await makeGroup()
    const recipient = await makeRecipient()
    await makeWatch(recipient, await makeSection(group, '10001'))
    const [{ name } = { name: '' }] = await rows<{ name: string }>('SELECT name FROM recipient WHERE id = ?', recipient)
    const { asked, status } = await desk.delete('sources', group.source_id)
    expect(asked).toContain(`these people will no longer be notified when a seat opens ${name}`)
    expect(status).toBe(303)
    expect(await rows('SELECT id FROM section WHERE group_id = ?', group.group_id)).toEqual([])
    expect(await rows('SELECT id FROM watch WHERE recipient_id = ?', recipient)).toEqual([])
  })

  test('with too many sections for one request is not deleted', async () => {
    const group = await makeGroup()
    await rows(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20001)
       INSERT INTO section (school_term_id, group_id, course_id, section_key, section, topic, status, instruction_list, instruction_mode, fingerprint, created_at)
       SELECT ?, ?, ?, i, '001', '', 'closed', '[]', '', '', 0 FROM n`,
      group.school_term_id,
      group.group_id,
      group.course_id,
    )
    for (const [table, id, advice] of [
      ['sources', group.source_id, 'delete it one term at a time.'],
      ['schools', group.school_id, 'delete it one term at a time.'],
      ['school-terms', group.school_term_id, 'delete some of its sections first.'],
    ] as const) {
      const { status, text } = await desk.delete(table, id)
      expect(status, table).toBe(422)
      expect(text).toContain(`has more than 20000 sections: ${advice}`)
    }
  })
})

describe('check now', () => {
  test('shows what the adapter parsed, and is audited', async () => {
    const id = await addSource('harbor')
    const { status, text } = await desk.act('sources', 'check', id)
    expect(status).toBe(200)
    expect(text).toMatch(/Read Harbor State University: \d+ terms, \d+ subjects in .*, \d+ sections? in /)
    for (const said of ['Terms', 'Subjects', 'Sections in', 'Instructor']) expect(text).toContain(said)
    const entry = await desk.entry('source')
    expect(entry).toMatchObject({ act: 'checked', area: 'class_tracker', row_key: String(id), after: { why: null } })
    expect(await rows('SELECT terms_refreshed_at, failures FROM source WHERE id = ?', id)).toEqual([
      { terms_refreshed_at: null, failures: 0 },
    ])
  })

  test('recognizes the schools of a system that has several', async () => {
    const { text } = await desk.act('sources', 'check', await addSource('cuny'))
    expect(text).toMatch(/Read CUNY Global Search: \d+ terms, \d+ schools, \d+ subjects in .* at /)
  })

  test.each(['maintenance_html', 'http_500', 'empty', 'truncated'])(
    'says why not, when the school answers %s',
    async (mode) => {
      const [{ id } = { id: 0 }] = await rows<{ id: number }>(
        `INSERT INTO source (kind, name, url, time_zone, poll_seconds, requests_per_minute, created_at)
       VALUES ('banner9', ?, ?, 'America/New_York', 15, 6000, 0) RETURNING id`,
        `Northfield, ${mode}`,
        `${env.WORLD_URL}/schools/northfield/StudentRegistrationSsb/ssb`,
      )
      await world.fault('Northfield Technical University', mode)
      const { status, text } = await desk.act('sources', 'check', id)
      expect(status).toBe(200)
      expect(text).toContain(`Northfield, ${mode} could not be read. Stopped there: `)
      expect(text).toContain('Could not be read')
    },
  )

  test('does not hang if the school does', async () => {
    await rows(
      `INSERT INTO setting (name, value, changed_at) VALUES ('school_timeout_ms', '300', 0)
       ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    )
    const { source_id } = await makeGroup({ url: `${env.WORLD_URL}/schools/northfield/StudentRegistrationSsb/ssb` })
    await world.fault('Northfield Technical University', 'timeout')
    const { text } = await desk.act('sources', 'check', source_id)
    expect(text).toContain('could not be read')
    await rows("DELETE FROM setting WHERE name = 'school_timeout_ms'")
  })

  test('with an exhausted budget says when to try again', async () => {
    const { source_id } = await makeGroup({
      url: `${env.WORLD_URL}/schools/harbor/StudentRegistrationSsb/ssb`,
      requests_per_minute: 2,
    })
    const { text } = await desk.act('sources', 'check', source_id)
    expect(text).toMatch(/This minute's requests are used up\. Try again in \d+ s\. 2 requests sent\./)
  })

  test('that ran out of time does not say that requests are used up', () => {
    expect(whyStopped(new BudgetSpent(1000), 1000, 1400)).toBe('There was no complete answer within 15 seconds.')
  })
})
