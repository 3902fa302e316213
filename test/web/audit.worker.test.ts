import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { write } from '../../src/db/query.ts'
import { auditEntry, type Actor } from '../../src/web/audit.ts'
import { makeRecipient } from '../worker/catalog.ts'
import { rows } from '../worker/rows.ts'
import { addUser, Visitor } from '../worker/visitor.ts'

const webhook =
  'https://discord.com/api/webhooks/123456789012345678/the-token_of-it-which-is-as-long-as-they-are-in-truth-0123456789-abcdef'
const nobody: Actor = { userId: null, who: 'olga', ipAddress: null, country: null }

const written = () => rows<{ title: string; before: string; after: string }>('SELECT title, before, after FROM audit')

describe('the audit', () => {
  let staff: Visitor
  beforeAll(async () => {
    staff = await Visitor.loggedInAs(await addUser({ isSuperuser: true }))
    await staff.see('/class_tracker/add_classes/')
  })

  it('keeps an act as it was recorded', async () => {
    const entry = { act: 'changed', area: 'admin', table: 'contact', key: '1', title: 'Ada', before: { name: 'Ida' } }
    await write(env.DB, auditEntry(nobody, entry, 5))
    await expect(rows("UPDATE audit SET who = 'somebody else'")).rejects.toThrow('append-only')
    await expect(rows('DELETE FROM audit')).rejects.toThrow('append-only')
    expect(await rows('SELECT at, who, act, before, after FROM audit')).toEqual([
      { at: 5, who: 'olga', act: 'changed', before: '{"name":"Ida"}', after: null },
    ])
  })

  it("never stores the token in a webhook's address", async () => {
    const entry = {
      act: 'added',
      area: 'admin',
      table: 'contact',
      key: '2',
      title: webhook,
      after: { address: webhook },
    }
    await write(env.DB, auditEntry(nobody, entry, 6))
    const recipient = await makeRecipient([{ kind: 'discord', address: webhook }])
    const [contact] = await rows<{ id: number }>('SELECT id FROM contact WHERE recipient_id = ?', recipient)
    expect((await staff.call('POST', `/class_tracker/remove_contact/${contact?.id}`)).status).toBe(200)
    const second = await makeRecipient([{ kind: 'discord', address: `${webhook}-2` }])
    expect((await staff.call('POST', `/class_tracker/remove_recipient/${second}`)).status).toBe(200)
    const form = { 'recipient-name': 'Ida', 'contact-new-kind': 'discord', 'contact-new-number': webhook }
    const added = await staff.call('POST', '/class_tracker/add_recipient/0', {
      ...form,
      'contact-new-is_enabled': 'on',
    })
    expect(await added.json()).toMatchObject({ recipient: { name: 'Ida' } })
    const entries = await written()
    expect(entries.length).toBe(5)
    expect(JSON.stringify(entries)).not.toContain('the-token_of-it')
    expect(JSON.stringify(entries)).toContain('/webhooks/123456789012345678/•••')
  })
})
