import { beforeAll, expect, test } from 'vitest'
import { changedBefore } from '../../src/admin/actions/chosen.tsx'
import { changedMeanwhile } from '../../src/admin/row/stale-row.ts'
import { Desk } from '../worker/admin-desk.ts'
import { openCampus } from '../worker/campus.ts'
import type { MadeGroup } from '../worker/catalog.ts'
import { addPerson, makeServer } from '../worker/directory.ts'
import { one, rows } from '../worker/rows.ts'
import { addUser, browserOf } from '../worker/visitor.ts'

/** SQLite gives the key of a deleted row to the next one, so an open page must not mean another row than it showed. */

let desk: Desk
let school: MadeGroup

beforeAll(async () => {
  desk = await Desk.open()
  ;({ school } = await openCampus())
})

/** A user whose newest address is unverified and can be swapped. */
async function addSwapper() {
  const user = await addUser({})
  await rows(`INSERT INTO email_address (user_id, address, created_at) VALUES (?, 'mine@x.test', 0)`, user.id)
  const { id } = await one<{ id: number }>(`SELECT id FROM email_address WHERE address = 'mine@x.test'`)
  const browser = await browserOf(user)
  return {
    user,
    id,
    async swap() {
      await browser.submit('/accounts/email/', { action_remove: '', email: 'mine@x.test' })
      await browser.submit('/accounts/email/', { action_add: '', email: 'victim@uni.test' })
      expect(await one('SELECT address FROM email_address WHERE id = ?', id)).toEqual({ address: 'victim@uni.test' })
    },
    verified: () =>
      rows('SELECT address FROM email_address WHERE user_id = ? AND verified_at IS NOT NULL ORDER BY id', user.id),
  }
}

test('a form does not verify an address that replaced the one it shows', async () => {
  const { user, id, swap, verified } = await addSwapper()
  const before = await verified()
  const save = await desk.open('users', user.id)
  await swap()
  const { status, text } = await save({ [`addresses-${id}-is_verified`]: '1' })
  expect([status, text]).toEqual([409, expect.stringContaining(changedMeanwhile)])
  expect(await verified()).toEqual(before)
  await desk.delete('users', user.id)
})

test('an action does not verify another primary address than the one it names', async () => {
  const user = await addUser({ email: 'first@x.test' })
  await rows('UPDATE email_address SET verified_at = NULL WHERE user_id = ?', user.id)
  const confirm = await desk.ask('users', 'verify', user.id)
  await rows(`UPDATE email_address SET address = 'second@x.test' WHERE user_id = ?`, user.id)
  const refused = await confirm()
  expect([refused.status, refused.text]).toEqual([409, expect.stringContaining(changedBefore)])
  expect(refused.text).toContain('second@x.test will be verified for')
  const again = await desk.ask('users', 'verify', user.id)
  expect((await again()).text).toContain('1 address verified.')
})

test('a form does not delete the course that replaced the selected one', async () => {
  const other = await one<{ id: number }>(
    `INSERT INTO course (subject_id, code, level, title)
     SELECT subject_id, 'ZZZ', '999', 'Other' FROM course WHERE id = ? RETURNING id`,
    school.course_id,
  )
  const courses = [school.course_id]
  const server = await makeServer({ schools: [school.school_id], subjects: [school.subject_id], courses })
  const link = () => one('SELECT rowid, course_id FROM server_course WHERE server_id = ?', server.id)
  const { rowid } = (await link()) as { rowid: number }
  const remove = { [`courses-${rowid}-remove`]: '1' }
  const save = await desk.open('servers', server.id)
  await desk.change('servers', server.id, { ...remove, 'courses-new-course_id': String(other.id) })
  expect(await link()).toEqual({ rowid, course_id: other.id })
  expect((await save(remove)).status).toBe(409)
  expect(await link()).toEqual({ rowid, course_id: other.id })
})

test('a form is not out of date because a check or a login renamed what it shows', async () => {
  const server = await makeServer({ name: 'Before' })
  const saveServer = await desk.open('servers', server.id)
  await rows(`UPDATE discord_server SET name = 'After' WHERE id = ?`, server.id)
  expect((await saveServer({ custom_title: 'Ours' })).text).toContain('was saved.')

  const { discordUserId: person } = await addPerson()
  const savePerson = await desk.open('chat-users', person)
  await rows(`UPDATE discord_user SET username = 'after', display_name = 'After' WHERE id = ?`, person)
  expect((await savePerson({ is_disabled: '1' })).text).toContain('was saved.')
  expect(await one('SELECT display_name, is_disabled FROM discord_user WHERE id = ?', person)).toEqual({
    display_name: 'After',
    is_disabled: 1,
  })
})

test('no server gets the id of a deleted one, and a confirmed question names what it changes', async () => {
  const spam = await makeServer({ name: 'Spam', schools: [school.school_id] })
  const feature = await desk.ask('servers', 'feature', spam.id)
  await desk.delete('servers', spam.id)
  await desk.add('servers', { server_id: '123456789012345678', name: 'Innocent', privacy_level: 'public' })
  const { id } = await one<{ id: number }>(`SELECT id FROM discord_server WHERE name = 'Innocent'`)
  expect(id).toBeGreaterThan(spam.id)
  expect((await desk.see(`servers/${id}/history/`)).text).not.toContain('Spam')
  expect((await feature()).status).toBe(409)

  const [instructor] = await rows<{ id: number }>(
    `INSERT INTO instructor (school_id, name) VALUES (?, 'Ada') RETURNING id`,
    school.school_id,
  )
  const remove = await desk.ask('instructors', 'delete', instructor?.id ?? 0)
  await rows(`UPDATE instructor SET name = 'Grace' WHERE id = ?`, instructor?.id)
  const refused = await remove()
  expect([refused.status, refused.text]).toEqual([409, expect.stringContaining(changedBefore)])
  expect(await rows(`SELECT name FROM instructor WHERE id = ?`, instructor?.id)).toEqual([{ name: 'Grace' }])
})
