import { beforeAll, describe, expect, test } from 'vitest'
import { Desk } from '../worker/admin-desk.ts'
import { openCampus } from '../worker/campus.ts'
import type { MadeGroup } from '../worker/catalog.ts'
import { listingsOf, makePending, makeSchool, makeServer, type Person, versionOf } from '../worker/directory.ts'
import { one, rows } from '../worker/rows.ts'
import { stranger, type Visitor } from '../worker/visitor.ts'

let desk: Desk
let regular: Person
let boss: Visitor
let school: MadeGroup

beforeAll(async () => {
  desk = await Desk.open()
  ;({ school, regular, boss } = await openCampus())
})

describe('servers', () => {
  test('are disabled and enabled: unlisted and listed again, with updated pages', async () => {
    const server = await makeServer({ schools: [school.school_id] })
    const shown = async () => (await (await stranger()).get(`/classcords/server/${server.id}/`)).status
    const [before, status] = [await versionOf(school.school_id), await shown()]
    await desk.act('servers', 'disable', server.id)
    expect([await listingsOf(server.id), (await versionOf(school.school_id)) === before]).toEqual([[], false])
    expect(await shown()).not.toBe(status)
    expect(await desk.entry('discord_server')).toMatchObject({ before: { is_active: 1 }, after: { is_active: 0 } })
    expect(await desk.titles('servers/?which=disabled')).toHaveLength(1)
    await desk.act('servers', 'enable', server.id)
    expect(await listingsOf(server.id)).toHaveLength(2)
    expect(await shown()).toBe(status)
  })

  test('change the page of every school when one gets its first server or loses its last, because pages name other schools', async () => {
    const [first, second] = [await makeSchool(), await makeSchool()]
    const versions = async () => [await versionOf(first.school_id), await versionOf(second.school_id)]
    const [before] = await versions()
    const server = await makeServer({ schools: [second.school_id] })
    const [listedFirst] = await versions()
    expect(listedFirst).not.toBe(before)
    await makeServer({ schools: [second.school_id], privacy: 'private' })
    const another = await makeServer({ schools: [second.school_id] })
    await desk.act('servers', 'disable', another.id)
    expect((await versions())[0]).toBe(listedFirst)
    await desk.act('servers', 'disable', server.id)
    expect((await versions())[0]).not.toBe(listedFirst)
  })

  test('that are disabled are not featured, so that enabling one never lets its members sign up', async () => {
    const server = await makeServer({ schools: [school.school_id], featured: true })
    await desk.act('servers', 'disable', server.id)
    await desk.act('servers', 'enable', server.id)
    const state = 'SELECT is_active, is_required_for_trust FROM discord_server WHERE id = ?'
    expect(await one(state, server.id)).toEqual({ is_active: 1, is_required_for_trust: 0 })
    await rows('UPDATE discord_server SET is_required_for_trust = 1 WHERE id = ?', server.id)
    await desk.change('servers', server.id, { is_active: '' })
    expect(await one(state, server.id)).toEqual({ is_active: 0, is_required_for_trust: 0 })
    expect(await desk.entry('discord_server')).toMatchObject({
      before: { is_active: 1, is_required_for_trust: 1 },
      after: { is_active: 0, is_required_for_trust: 0 },
    })
  })

  test('have title, notes and links edited together, and their search words and pages updated', async () => {
    const server = await makeServer({ schools: [school.school_id], name: 'Plain name' })
    const before = await versionOf(school.school_id)
    const said = await desk.change('servers', server.id, {
      custom_title: 'Wombat <society>',
      [`invites-${server.invite}-notes_md`]: 'Numbat notes',
      'subjects-new-subject_id': String(school.subject_id),
      'courses-new-course_id': String(school.course_id),
    })
    expect(said.text).toContain('was saved')
    expect(await versionOf(school.school_id)).not.toBe(before)
    const words = await rows<{ word: string }>('SELECT word FROM server_word WHERE server_id = ?', server.id)
    for (const word of ['wombat', 'numbat']) expect(words.map((row) => row.word)).toContain(word)
    expect(await rows('SELECT subject_id, invite_id FROM server_subject WHERE server_id = ?', server.id)).toEqual([
      { subject_id: school.subject_id, invite_id: null },
    ])
    const page = await desk.visitor.get(`/admin/servers/${server.id}/`)
    expect(await page.text()).not.toContain('<society>')
    const { rowid } = await one<{ rowid: number }>('SELECT rowid FROM server_course WHERE server_id = ?', server.id)
    await desk.change('servers', server.id, { [`courses-${rowid}-remove`]: '1' })
    expect(await rows('SELECT 1 FROM server_course WHERE server_id = ?', server.id)).toEqual([])
  })

  test('cannot be linked to what their school does not teach, with the same messages as for a submission', async () => {
    const other = await makeSchool()
    const server = await makeServer({ schools: [school.school_id] })
    for (const [fields, why] of [
      [{ 'subjects-new-subject_id': String(other.subject_id) }, 'This subject is not taught at the school'],
      [{ 'courses-new-course_id': String(school.course_id) }, 'A course does not belong to the subject'],
      [{ 'courses-new-course_id': '999999' }, 'This no longer exists.'],
      [{ privacy_level: 'secret' }, 'Select a valid choice.'],
      [{ custom_title: 'x'.repeat(101) }, 'at most 100 characters'],
    ] as const) {
      const said = await desk.change('servers', server.id, fields)
      expect([said.status, said.text.includes(why)], why).toEqual([422, true])
    }
    expect(await rows('SELECT 1 FROM server_subject WHERE server_id = ?', server.id)).toEqual([])
  })

  test('are added by their Discord ID, once', async () => {
    const fields = {
      server_id: '1150000000000099999',
      name: 'By hand',
      'schools-new-school_id': String(school.school_id),
    }
    expect((await desk.add('servers', { ...fields, server_id: '12' })).text).toContain(
      'A Discord ID has 17 to 20 digits.',
    )
    expect((await desk.add('servers', { ...fields, is_active: '1' })).text).toContain('By hand was added')
    expect((await desk.add('servers', fields)).text).toContain('already has this Discord ID')
    const { id } = await one<{ id: number }>("SELECT id FROM discord_server WHERE server_id = '1150000000000099999'")
    expect(await rows('SELECT school_id FROM server_school WHERE server_id = ?', id)).toEqual([
      { school_id: school.school_id },
    ])
    expect(await desk.titles('servers/?q=by+hand')).toEqual(['By hand'])
  })

  test('lose nothing by the deletion of an invite that was approved after the question', async () => {
    const { id, server } = await makePending({ school: school.school_id })
    const confirm = await desk.ask('invites', 'delete', id)
    await boss.call('POST', `/classcords/ajax/invites/${id}/approve/`)
    const { status, text } = await confirm()
    expect([status, text]).toEqual([409, expect.stringMatching(/of its server/)])
    expect(await rows('SELECT school_id FROM server_school WHERE server_id = ?', server)).toHaveLength(1)
  })

  describe('keep what an administrator corrected when an approval is undone', () => {
    /** Two public invites to one server, for the same school; only the first is approved. */
    async function makeTwo() {
      const [first, second] = [
        await makePending({ school: school.school_id }),
        await makePending({ school: school.school_id }),
      ]
      const ids = [first.id, second.id]
      await rows("UPDATE invite SET server_id = ?, privacy_level = 'public' WHERE id IN (?, ?)", first.server, ...ids)
      await desk.act('invites', 'approve', first.id)
      return { server: first.server, first: first.id, second: second.id }
    }
    const withdraw = (id: number) => boss.call('POST', `/classcords/ajax/invites/${id}/withdraw/`)
    const schoolsOf = (server: number) => rows('SELECT school_id FROM server_school WHERE server_id = ?', server)
    const privacyOf = async (server: number) =>
      (await one<{ privacy_level: string }>('SELECT privacy_level FROM discord_server WHERE id = ?', server))
        .privacy_level
    async function removeSchool(server: number) {
      const { rowid } = await one<{ rowid: number }>('SELECT rowid FROM server_school WHERE server_id = ?', server)
      await desk.change('servers', server, { [`schools-${rowid}-remove`]: '1' })
    }

    test.each([
      ['withdrawn', withdraw],
      ['deleted', (id: number) => desk.delete('invites', id)],
    ])('because its invite is %s', async (_how, undo) => {
      for (const undone of ['first', 'second'] as const) {
        const made = await makeTwo()
        await desk.act('invites', 'approve', made.second)
        await desk.change('servers', made.server, { privacy_level: 'private' })
        await removeSchool(made.server)
        await undo(made[undone])
        expect([await privacyOf(made.server), await schoolsOf(made.server)], undone).toEqual(['private', []])
        expect(await listingsOf(made.server)).toEqual([{ school_id: 0 }])
      }
    })

    test.each([
      ['deleted', 0, 'private', (id: number) => desk.delete('invites', id)],
      ['withdrawn at once', 0, 'public', withdraw],
      ['withdrawn an hour later', 3_600_000, 'private', withdraw],
    ])('a private server whose private invite is %s (%i ms later) is %s', async (_how, later, privacy, undo) => {
      const { server, second } = await makeTwo()
      await rows("UPDATE invite SET privacy_level = 'private' WHERE id = ?", second)
      await desk.act('invites', 'approve', second)
      await rows('UPDATE invite_decision SET created_at = created_at - ? WHERE invite_id = ?', later, second)
      expect(await privacyOf(server)).toBe('private')
      await undo(second)
      expect(await privacyOf(server)).toBe(privacy)
    })

    test('that repeated the correction', async () => {
      const { server, second } = await makeTwo()
      await desk.change('servers', server, { privacy_level: 'private' })
      await rows("UPDATE invite SET privacy_level = 'private' WHERE id = ?", second)
      await desk.act('invites', 'approve', second)
      await withdraw(second)
      expect(await privacyOf(server)).toBe('private')
    })

    test('that replaced the correction', async () => {
      const { server, second } = await makeTwo()
      await desk.change('servers', server, { privacy_level: 'private' })
      await removeSchool(server)
      await desk.act('invites', 'approve', second)
      expect([await privacyOf(server), await schoolsOf(server)]).toEqual(['public', [{ school_id: school.school_id }]])
      await withdraw(second)
      expect([await privacyOf(server), await schoolsOf(server)]).toEqual(['private', []])
    })

    test('but not what another approval replaced, nor links that a later one also gives', async () => {
      const { server, first, second } = await makeTwo()
      await desk.change('servers', server, { privacy_level: 'private' })
      await desk.act('invites', 'approve', second)
      await withdraw(first)
      expect([await privacyOf(server), await schoolsOf(server)]).toEqual(['public', [{ school_id: school.school_id }]])
    })
  })

  test('list what a delete includes', async () => {
    const server = await makeServer({ schools: [school.school_id] })
    await rows(
      "INSERT INTO server_report (server_id, reporter_id, reason, created_at) VALUES (?, ?, 'Spam', 0)",
      server.id,
      regular.discordUserId,
    )
    const said = await desk.delete('servers', server.id)
    for (const words of [`discord.gg/${server.code}`, 'Reports : 1', 'Spam', 'Listings by school : 1'])
      expect(said.asked).toContain(words)
    expect(await rows('SELECT 1 FROM invite WHERE id = ?', server.invite)).toEqual([])
  })

  test('have all their invites checked now', async () => {
    const server = await makeServer()
    expect((await desk.act('servers', 'check', server.id)).text).toContain('1 invite is being checked.')
  })
})

test('instructors are added, renamed and deleted; their subjects belong to their school', async () => {
  const other = await makeSchool()
  const fields = { school_id: String(school.school_id), name: 'Grace Hopper' }
  const wrong = await desk.add('instructors', { ...fields, 'subjects-new-subject_id': String(other.subject_id) })
  expect([wrong.status, wrong.text.includes('This subject is not taught at the school')]).toEqual([422, true])
  await desk.add('instructors', { ...fields, 'subjects-new-subject_id': String(school.subject_id) })
  expect((await desk.add('instructors', fields)).text).toContain('Another instructor already has this name and school.')
  const { id } = await one<{ id: number }>("SELECT id FROM instructor WHERE name = 'Grace Hopper'")
  expect(await rows('SELECT subject_id FROM instructor_subject WHERE instructor_id = ?', id)).toEqual([
    { subject_id: school.subject_id },
  ])
  const server = await makeServer({ schools: [school.school_id] })
  await desk.change('servers', server.id, { 'instructors-new-instructor_id': String(id) })
  const before = await versionOf(school.school_id)
  await desk.change('instructors', id, { name: 'Rear Admiral Hopper' })
  expect(await versionOf(school.school_id)).not.toBe(before)
  expect(await rows("SELECT 1 FROM server_word WHERE server_id = ? AND word = 'admiral'", server.id)).toHaveLength(1)
  expect(await desk.titles('instructors/?q=rear')).toEqual(['Rear Admiral Hopper'])
  expect((await desk.delete('instructors', id)).asked).toContain('Servers : 1')
  expect(await rows('SELECT 1 FROM instructor WHERE id = ?', id)).toEqual([])
})
