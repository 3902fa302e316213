import { env } from 'cloudflare:workers'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Desk } from '../worker/admin-desk.ts'
import type { MadeGroup } from '../worker/catalog.ts'
import {
  addPerson,
  emptyDirectory,
  guilds,
  linkOf,
  listingsOf,
  makeSchool,
  makeServer,
  type Person,
} from '../worker/directory.ts'
import { one, rows } from '../worker/rows.ts'
import { until, world } from '../worker/world.ts'

/** An invite added by hand goes through the same checks as a submission. */

let desk: Desk
let school: MadeGroup
let other: MadeGroup
let submitter: Person
let server: number

beforeAll(async () => {
  desk = await Desk.open()
  ;[school, other] = [await makeSchool(), await makeSchool()]
  submitter = await addPerson({ school: school.school_id })
})

beforeEach(async () => {
  await emptyDirectory()
  server = await serverOf(guilds.calculus)
})

afterEach(() => world.clearFaults())

const serverOf = async ({ id, name }: { id: string; name: string }) =>
  (
    await one<{ id: number }>(
      "INSERT INTO discord_server (server_id, name, privacy_level, created_at) VALUES (?, ?, 'private', 0) RETURNING id",
      id,
      name,
    )
  ).id

const add = (fields: Record<string, string> = {}, by = desk) =>
  by.add('invites', {
    code: linkOf(guilds.calculus.code),
    server_id: String(server),
    submitter_id: '',
    notes_md: 'Be **kind**',
    privacy_level: 'public',
    school_id: String(school.school_id),
    subject_id: '',
    ...fields,
  })

const invites = () => rows('SELECT * FROM invite ORDER BY id')

describe('adding an invite', () => {
  test('stores nothing if the session ends while Discord is asked', async () => {
    const late = await Desk.open()
    const questions = async () => (await world.requests()).filter(({ path }) => path.includes('/invites/')).length
    const before = await questions()
    await world.fault('discord', 'slow', 1)
    const saying = add({}, late)
    await until(questions, (asked) => asked > before, 'the question')
    await rows('DELETE FROM session WHERE user_id = ?', late.user.id)
    const said = await saying
    expect([said.status, said.text]).toEqual([422, expect.stringContaining('You were logged out')])
    expect(await invites()).toEqual([])
  })

  test('stores it as pending with its canonical code, and lists nothing before approval', async () => {
    const before = Date.now()
    const said = await add({ submitter_id: String(submitter.discordUserId), subject_id: String(school.subject_id) })
    expect([said.status, said.text.includes(`discord.gg/${guilds.calculus.code} was added.`)]).toEqual([303, true])
    const [invite, ...others] = await invites()
    expect(others).toEqual([])
    expect(invite).toMatchObject({
      code: guilds.calculus.code,
      server_id: server,
      submitter_id: submitter.discordUserId,
      state: 'pending',
      notes_md: 'Be **kind**',
      privacy_level: 'public',
      school_id: school.school_id,
      subject_id: school.subject_id,
      is_valid: 1,
      uses_count: 0,
      decided_at: null,
    })
    expect(Number(invite?.['due_at'])).toBeGreaterThanOrEqual(before)
    expect(Number(invite?.['due_at'])).toBeLessThanOrEqual(Date.now())
    expect(await rows('SELECT 1 FROM listing')).toEqual([])
    expect(await desk.entry('invite')).toMatchObject({
      act: 'added',
      row_key: String(invite?.['id']),
      after: { code: guilds.calculus.code, server_id: server, state: 'pending' },
    })
    await desk.act('invites', 'approve', Number(invite?.['id']))
    expect(await listingsOf(server)).toEqual([{ school_id: 0 }, { school_id: school.school_id }])
    const listed = await one('SELECT privacy_level, valid_invite_count FROM discord_server WHERE id = ?', server)
    expect(listed).toEqual({ privacy_level: 'public', valid_invite_count: 1 })
  })

  test.each([
    ['a code alone', guilds.calculus.code],
    ['the long link', `https://discordapp.com/invite/${guilds.calculus.code}`],
    ['no scheme', `discord.gg/${guilds.calculus.code}/`],
  ])('takes %s for the same link', async (_, code) => {
    expect((await add({ code })).status).toBe(303)
    expect((await invites())[0]).toMatchObject({ code: guilds.calculus.code })
  })

  test("keeps a code in Discord's spelling, and one code is one invite", async () => {
    const commons = await serverOf(guilds.commons)
    const known = {
      code: 'vanity',
      guild_id: guilds.commons.id,
      name: guilds.commons.name,
      description: '',
      icon: null,
    }
    const answer = { ...known, member_count: 5, online_count: 1, expires_at: null, is_permanent: true }
    await rows('INSERT INTO invite_lookup VALUES (?, ?, ?)', 'VaniTy', JSON.stringify(answer), Date.now())
    expect((await add({ code: linkOf('VaniTy'), server_id: String(commons) })).status).toBe(303)
    const [invite] = await invites()
    expect(invite).toMatchObject({ code: 'vanity', server_id: commons })
    expect((await add({ code: 'vanity', server_id: String(commons) })).status).toBe(422)
    expect(await invites()).toEqual([invite])
  })

  test('is refused while the same invite is pending or approved, but not after a rejection', async () => {
    const taken = 'This Discord invite has already been submitted'
    await add()
    const again = await add()
    expect([again.status, again.text.includes(taken)]).toEqual([422, true])
    const id = Number((await invites())[0]?.['id'])
    await desk.act('invites', 'approve', id)
    expect((await add()).text).toContain(taken)
    await desk.act('invites', 'withdraw', id)
    await desk.act('invites', 'reject', id)
    expect((await add()).status).toBe(303)
    expect((await invites()).map(({ state }) => state)).toEqual(['rejected', 'pending'])
  })

  test('takes the place of an invite whose link led to another server before', async () => {
    const { invite } = await makeServer({ code: guilds.calculus.code })
    expect((await add()).status).toBe(422)
    await rows('UPDATE invite SET is_valid = 0, quarantined_at = 5 WHERE id = ?', invite)
    expect((await add()).status).toBe(303)
    expect((await invites()).map(({ state }) => state)).toEqual(['expired', 'pending'])
  })

  test('is refused if Discord rejects it or it does not fit the server', async () => {
    const listed = await makeServer({ schools: [school.school_id] })
    const count = (await invites()).length
    for (const [wrong, sentence] of [
      [{ code: '' }, 'This field is required.'],
      [{ code: 'https://example.com/invite/abc' }, 'Invalid Discord invite URL provided'],
      [{ code: linkOf('nobody-has-this') }, 'this invite does not exist or has expired'],
      [{ code: linkOf('group-chat') }, 'this invite does not lead to a server'],
      [{ code: linkOf('expires-soon') }, 'Only permanent Discord invites are allowed.'],
      [{ server_id: '' }, 'This field is required.'],
      [{ server_id: String(listed.id) }, `The link leads to another server: ${guilds.calculus.name}`],
      [{ server_id: '999999' }, 'There is a problem'],
      [{ school_id: '' }, 'This field is required.'],
      [{ subject_id: String(other.subject_id) }, 'This subject is not taught at the school'],
      [{ privacy_level: 'secret' }, 'Select a valid choice.'],
      [{ notes_md: 'x'.repeat(256) }, 'Ensure this value has at most 255 characters.'],
    ] as const) {
      const said = await add(wrong)
      expect([said.status, said.text.includes(sentence)], JSON.stringify(wrong)).toEqual([422, true])
      if (!('notes_md' in wrong)) expect(said.text).toContain('Be **kind**')
    }
    expect(await invites()).toHaveLength(count)
  })

  test('is refused, with its form, while Discord does not answer', async () => {
    await world.fault('discord', 'http_500')
    const said = await add({ code: linkOf(guilds.algebra.code) })
    expect([said.status, said.text.includes('Discord could not be reached')]).toEqual([422, true])
    expect(await invites()).toEqual([])
  })

  test('makes its facts read-only', async () => {
    await add()
    const [invite] = await invites()
    const saved = { code: 'else', server_id: '1', state: 'approved', privacy_level: 'private', notes_md: 'New' }
    await desk.change('invites', Number(invite?.['id']), saved)
    expect(await invites()).toEqual([{ ...invite, notes_md: 'New' }])
    expect(await env.DB.prepare('SELECT count(*) AS n FROM invite_decision').first('n')).toBe(0)
  })
})
